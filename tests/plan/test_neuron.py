"""Workloads on Neuron devices: a process for each core, EFA between nodes, nothing of CUDA."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make, Refused

EFA = {"resource": "vpc.amazonaws.com/efa", "count": 8, "perGpu": True}


def neuron(words: ModuleType, model: str, count: int, **more: Any) -> dict[str, Any]:
    gpu = {"model": model, "count": count, "resource": "aws.amazon.com/neuron"}
    return words.cluster({"name": "n", "gpu": gpu, **more}, provider="eks")


@pytest.mark.parametrize(
    ("model", "count", "processes"),
    [("Trainium", 16, 32), ("Trainium2", 16, 64), ("Inferentia2", 6, 12), ("Inferentia", 16, 64)],
)
def test_a_process_for_each_core(
    make: Make, words: ModuleType, model: str, count: int, processes: int
) -> None:
    gpu = {"models": [model], "count": count}
    made = make("Training", neuron(words, model, count), gpu=gpu)
    assert f"--nproc-per-node={processes}" in made.main["command"]
    assert made.limits["aws.amazon.com/neuron"] == str(count)
    names = [name for name in made.env if name.startswith(("NCCL", "CUDA", "NVIDIA"))]
    assert not names and made.env["NEURON_COMPILE_CACHE_URL"].startswith("/home/")


def test_cores_are_counted_where_the_plugin_hands_them_out(make: Make, words: ModuleType) -> None:
    gpu = {"model": "Trainium", "count": 32, "resource": "aws.amazon.com/neuroncore"}
    pools = words.cluster({"name": "n", "gpu": gpu}, provider="eks")
    made = make("Training", pools, gpu={"models": ["trn1"], "count": 32})
    assert "--nproc-per-node=32" in made.main["command"]
    assert made.limits["aws.amazon.com/neuroncore"] == "32"


def test_several_nodes_meet_over_efa(make: Make, words: ModuleType) -> None:
    gpu = {"models": ["trn1"], "count": 16}
    made = make("Training", neuron(words, "Trainium", 16, rdma=EFA), gpu=gpu, workers=2)
    assert made.limits["vpc.amazonaws.com/efa"] == "8"
    assert made.env["FI_PROVIDER"] == "efa" and made.env["FI_EFA_USE_DEVICE_RDMA"] == "1"
    assert "aws-neuronx-collectives" in made.notes() and "aws-ofi-nccl" not in made.notes()
    without = make("Training", neuron(words, "Trainium", 16), gpu=gpu, workers=2)
    assert "the Neuron runtime cannot use TCP" in without.notes()


def test_a_server_is_told_of_the_cores(make: Make, words: ModuleType) -> None:
    gpu = {"models": ["inf2"], "count": 6}
    image = "public.ecr.aws/neuron/pytorch-inference-vllm-neuronx:0.13.0"
    made = make("Inference", neuron(words, "Inferentia2", 6), gpu=gpu, image=image)
    assert "--tensor-parallel-size 12" in " ".join(made.main["args"])
    asked = {"gpu": gpu, "image": image, "parallelism": {"tensor": 6}}
    half = make("Inference", neuron(words, "Inferentia2", 6), **asked)
    assert "--tensor-parallel-size 6" in " ".join(half.main["args"])


def test_an_image_for_gpus_is_kept_off(refused: Refused, words: ModuleType) -> None:
    gpu = {"models": ["inf2"], "count": 1}
    pools = neuron(words, "Inferentia2", 1, allocatable={"cpu": 30, "memory": "110Gi"})
    text = refused("Inference", pools, gpu=gpu, image="docker.io/vllm/vllm-openai:v0.20.0")
    assert "the image is built for devices of NVIDIA" in text


def test_only_what_names_it_is_placed_on_it(refused: Refused, words: ModuleType) -> None:
    text = refused("Training", neuron(words, "Trainium", 1))
    assert "its Trainium runs only programs built for it: name it in gpu.models" in text


def test_without_pools(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(provider="eks"), gpu={"models": ["inf2"], "count": 1})
    assert "karpenter.k8s.aws/instance-accelerator-name" in str(made.terms)
    assert "inferentia2" in str(made.terms)
    (toleration,) = made.pod["tolerations"]
    assert toleration["key"] == "aws.amazon.com/neuron"


def test_a_core_has_its_part_of_the_memory(refused: Refused, words: ModuleType) -> None:
    gpu = {"model": "Trainium", "count": 32, "resource": "aws.amazon.com/neuroncore"}
    pools = words.cluster({"name": "n", "gpu": gpu}, provider="eks")
    text = refused("Training", pools, gpu={"models": ["trn1"], "memory": "20Gi"})
    assert "16Gi" in text


@pytest.mark.parametrize(("count", "said"), [(2, True), (4, False), (12, True), (16, False)])
def test_devices_that_are_not_connected(
    make: Make, words: ModuleType, count: int, said: bool
) -> None:
    made = make("Training", neuron(words, "Trainium", 16), gpu={"models": ["trn1"], "count": count})
    assert ("gives 1, 4, 8 or 16" in made.notes()) is said
    free = make("Training", neuron(words, "Inferentia2", 12), gpu={"models": ["inf2"], "count": 5})
    assert "connected" not in free.notes()
