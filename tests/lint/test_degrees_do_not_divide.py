"""GPU799: Megatron-LM and NeMo, beyond what its page shows."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text


def _said(command: list[str], gpus: int = 8, **more: Any) -> list[Finding]:
    one = {
        "name": "main",
        "image": "mine/train:1",
        "command": command,
        "resources": {"limits": {"nvidia.com/gpu": gpus}},
        **more,
    }
    return of("GPU799", text(an("v1", "Pod", "p", spec={"containers": [one]})))


def _megatron(line: str, launcher: str = "torchrun --nproc-per-node 8 --nnodes 2") -> list[Finding]:
    return _said([*launcher.split(), "pretrain.py", *line.split()])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 3",
            "16 (`--nproc-per-node 8` × `--nnodes 2`) is not a multiple of 12",
        ),
        ("--tensor-model-parallel-size=4 --context-parallel-size 8", "is not a multiple of 32"),
        ("--tensor_model_parallel_size 3", "is not a multiple of `--tensor-model-parallel-size 3`"),
        (
            "--tensor-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 12",
            "`--global-batch-size 12` is not a multiple of 8 (`--micro-batch-size 2` × 4 data-parallel",
        ),
        ("--pipeline-model-parallel-size 8 --num-layers 36", "`--num-layers 36` is not a multiple"),
        ("--tensor-model-parallel-size 8 --num-attention-heads 12", "`--num-attention-heads 12`"),
        (
            "--tensor-model-parallel-size 1 --num-experts 6 --expert-model-parallel-size 4",
            "`--num-experts 6` is not a multiple",
        ),
    ],
)
def test_what_does_not_come_out_even(line: str, said: str) -> None:
    (found,) = _megatron(line)
    assert said in found.message
    assert found.severity == "warning"


@pytest.mark.parametrize(
    "line",
    [
        "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --num-layers 32",
        "--tensor-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 64",
        # Layers and batches that are divided otherwise.
        "--pipeline-model-parallel-size 8 --num-layers 36 --decoder-first-pipeline-num-layers 1",
        "--tensor-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 12 --rampup-batch-size 4 4 100",
        "--tensor-model-parallel-size 3 --yaml-cfg /c.yaml",
        # What a variable says, or may say.
        "--tensor-model-parallel-size $TP --pipeline-model-parallel-size 2",
        "--tensor-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 12 $MORE",
        # Another program.
        "--num-layers 36 --global-batch-size 100 --micro-batch-size 3",
    ],
)
def test_what_does_or_nobody_knows(line: str) -> None:
    assert _megatron(line) == []


@pytest.mark.parametrize(
    "launcher",
    [
        "torchrun --nproc-per-node $N",
        "torchrun --nproc-per-node 8 --nnodes 1:4",
        "python",
        "torchrun --nproc-per-node 8 --nnodes $NODES",
    ],
)
def test_processes_that_nobody_knows(launcher: str) -> None:
    assert _megatron("--tensor-model-parallel-size 3", launcher) == []


def test_an_operator_says_how_many_nodes_there_are() -> None:
    template = {
        "spec": {
            "containers": [
                {
                    "name": "pytorch",
                    "image": "a:1",
                    "command": [
                        "torchrun",
                        "--nproc-per-node",
                        "8",
                        "t.py",
                        "--tensor-model-parallel-size",
                        "3",
                    ],
                }
            ]
        }
    }
    job = an(
        "kubeflow.org/v1",
        "PyTorchJob",
        "p",
        spec={"pytorchReplicaSpecs": {"Worker": {"replicas": 3, "template": template}}},
    )
    assert of("GPU799", text(job)) == []


def test_a_script_and_all_devices() -> None:
    script = "torchrun --nproc-per-node gpu pretrain.py --tensor-model-parallel-size 3"
    (found,) = _said(["bash", "-c", script])
    assert "`--nproc-per-node gpu` is not a multiple of" in found.message


NEMO = "nemo llm pretrain --factory llama3_8b trainer.num_nodes=1"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("trainer.devices=8 trainer.strategy.tensor_model_parallel_size=3", "is not a multiple of"),
        ("data.global_batch_size=100 data.micro_batch_size=8", "`data.global_batch_size=100`"),
        ("trainer.devices=16", "in a container with 8 GPUs"),
    ],
)
def test_nemo_says_less_and_is_held_to_it(line: str, said: str) -> None:
    (found,) = _said([*NEMO.split(), *line.split()])
    assert said in found.message


@pytest.mark.parametrize(
    "line",
    [
        "trainer.devices=8 trainer.strategy.tensor_model_parallel_size=2",
        "trainer.devices=-1 trainer.strategy.tensor_model_parallel_size=3",
        "trainer.devices=8 data.global_batch_size=100",
        "trainer.strategy.tensor_model_parallel_size=3",
    ],
)
def test_what_a_recipe_may_say(line: str) -> None:
    assert _said([*NEMO.split(), *line.split()]) == []


def test_nemo_1_has_other_names() -> None:
    line = "trainer.devices=8 trainer.num_nodes=2 model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=3"
    assert len(_said(["torchrun", "megatron_gpt_pretraining.py", *line.split()])) == 1


def test_the_note_says_how_many_devices_to_request() -> None:
    (found,) = _said([*NEMO.split(), "trainer.devices=4"], gpus=1)
    assert found.note == "request 4 GPUs, or lower the number of devices to 1"
