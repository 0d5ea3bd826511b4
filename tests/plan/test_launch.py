"""How training is started: one process per GPU, on one node and on several."""

import base64
import json

import pytest

from tests.plan.conftest import Make

RANK = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}


def test_one_gpu_runs_the_command_as_it_is(make: Make) -> None:
    made = make("Training")
    assert made.main["command"] == ["python", "-m", "train"]
    assert "MASTER_ADDR" not in made.env


def test_several_gpus_of_a_python_program_get_torchrun(make: Make) -> None:
    made = make("Training", gpu={"count": 4})
    assert made.main["command"] == [
        "torchrun", "--standalone", "--nproc-per-node=4", "-m", "train"
    ]  # fmt: skip
    assert not made.loud()


def test_torchrun_on_several_nodes_meets_at_rank_0s_host_name(make: Make) -> None:
    made = make("Training", gpu={"count": 8}, workers=2, run="one")
    assert made.main["command"] == [
        "torchrun",
        "--nnodes=2",
        "--nproc-per-node=8",
        "--node-rank=$(JOB_COMPLETION_INDEX)",
        "--master-addr=work-one-0.work-one",
        "--master-port=29500",
        "-m",
        "train",
    ]
    assert made.env["MASTER_ADDR"] == "work-one-0.work-one"
    assert made.env["NODE_RANK"] == RANK


def test_rank_0s_host_name_is_served_by_the_headless_service(make: Make) -> None:
    made = make("Training", gpu={"count": 8}, workers=2, run="one")
    service = made.one("Service")
    assert service["metadata"]["name"] == made.pod["subdomain"] == "work-one"
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": "work-one"}
    assert made.kinds().index("Service") < made.kinds().index("Job")


@pytest.mark.parametrize(
    ("command", "started"),
    [
        (["python", "train.py", "--lr=1"], ["train.py", "--lr=1"]),
        (["python3", "-m", "pkg.train"], ["-m", "pkg.train"]),
        (["python", "-u", "train.py"], ["train.py"]),
    ],
)
def test_scripts_and_modules_are_handed_to_torchrun(
    make: Make, command: list[str], started: list[str]
) -> None:
    made = make("Training", gpu={"count": 2}, command=command)
    assert made.main["command"] == ["torchrun", "--standalone", "--nproc-per-node=2", *started]


def test_unbuffered_output_becomes_a_variable(make: Make) -> None:
    """No launcher passes -u on."""
    made = make("Training", gpu={"count": 2}, command=["python", "-u", "-m", "train"])
    assert made.env["PYTHONUNBUFFERED"] == "1"
    assert "-u" not in made.main["command"]
    assert "PYTHONUNBUFFERED" not in make("Training", gpu={"count": 2}).env


def test_an_interpreter_of_its_own_is_kept(make: Make) -> None:
    """A virtual environment's torchrun may not be on the path."""
    made = make("Training", gpu={"count": 2}, command=["/opt/venv/bin/python", "train.py"])
    assert made.main["command"][:3] == ["/opt/venv/bin/python", "-m", "torch.distributed.run"]


def test_accelerate_on_one_node_and_on_several(make: Make) -> None:
    one = make("Training", gpu={"count": 2}, launcher="accelerate")
    assert one.main["command"] == [
        "accelerate", "launch", "--num_processes=2", "--multi_gpu", "--num_machines=1",
        "-m", "train",
    ]  # fmt: skip
    two = make("Training", gpu={"count": 8}, workers=2, run="one", launcher="accelerate")
    assert two.main["command"] == [
        "accelerate", "launch", "--num_processes=16", "--multi_gpu", "--num_machines=2",
        "--machine_rank=$(JOB_COMPLETION_INDEX)", "--main_process_ip=work-one-0.work-one",
        "--main_process_port=29500", "-m", "train",
    ]  # fmt: skip


def test_deepspeed_starts_without_ssh(make: Make) -> None:
    made = make("Training", gpu={"count": 2}, workers=2, run="one", launcher="deepspeed")
    command = made.main["command"]
    assert command[:3] == ["python", "-m", "deepspeed.launcher.launch"]
    packed = command[3].removeprefix("--world_info=")
    assert json.loads(base64.urlsafe_b64decode(packed)) == {
        "worker-0": [0, 1],
        "worker-1": [0, 1],
    }
    assert command[4:] == [
        "--node_rank=$(JOB_COMPLETION_INDEX)",
        "--master_addr=work-one-0.work-one",
        "--master_port=29500",
        "--module",
        "train",
    ]


def test_deepspeed_on_one_node_passes_sigterm_on(make: Make) -> None:
    """The program `deepspeed` does not, so that nothing could be saved."""
    made = make("Training", gpu={"count": 2}, launcher="deepspeed", command=["python", "t.py"])
    assert made.main["command"][:3] == ["python", "-m", "deepspeed.launcher.launch"]
    assert made.main["command"][4:] == ["t.py"]


def test_a_program_without_a_launcher_finds_the_usual_variables(make: Make) -> None:
    """One process per pod: the worker's index is the rank."""
    made = make("Training", workers=4, run="one", launcher="none", command=["./train"])
    assert made.main["command"] == ["./train"]
    assert made.env["MASTER_ADDR"] == "work-one-0.work-one"
    assert made.env["MASTER_PORT"] == "29500"
    assert (made.env["WORLD_SIZE"], made.env["LOCAL_RANK"]) == ("4", "0")
    assert made.env["RANK"] == RANK


def test_a_command_that_is_a_launcher_is_left_alone_and_told_where_to_meet(make: Make) -> None:
    made = make(
        "Training", workers=2, gpu={"count": 8}, run="one", command=["torchrun", "train.py"]
    )
    assert made.main["command"] == ["torchrun", "train.py"]
    assert made.env["PET_NNODES"] == "2"
    assert made.env["PET_NPROC_PER_NODE"] == "8"
    assert made.env["PET_NODE_RANK"] == RANK
    assert made.env["PET_MASTER_ADDR"] == "work-one-0.work-one"
    again = ["python", "-m", "torch.distributed.run", "train.py"]
    assert make("Training", gpu={"count": 8}, command=again).main["command"] == again


@pytest.mark.parametrize("command", [["torchrun"], ["python3", "-m", "torch.distributed.run"]])
def test_a_torchrun_of_ones_own_starts_a_process_for_each_gpu(
    make: Make, command: list[str]
) -> None:
    made = make("Training", gpu={"count": 8}, command=[*command, "train.py"])
    assert made.env["PET_NPROC_PER_NODE"] == "8"
    told = make("Training", gpu={"count": 8}, command=[*command, "--nproc_per_node=8", "train.py"])
    assert "PET_NPROC_PER_NODE" not in told.env and "PET_NNODES" not in told.env


def test_a_torchrun_in_a_shell_or_for_the_entrypoint_is_told_too(make: Make) -> None:
    several = {"gpu": {"count": 4}, "workers": 2, "run": "one"}
    for where in (
        {"command": ["bash", "-c", "cd /app && exec torchrun train.py"]},
        {"command": [], "args": ["torchrun", "train.py"]},
    ):
        made = make("Training", **several, **where)
        assert (made.env["PET_NNODES"], made.env["PET_NPROC_PER_NODE"]) == ("2", "4")
        assert made.env["PET_NODE_RANK"] == RANK
        assert "no launcher" not in made.loud()
    line = "torchrun --nnodes=$NNODES --nproc-per-node=4 --node-rank=$NODE_RANK train.py"
    assert not [
        name
        for name in make("Training", **several, command=["sh", "-c", line]).env
        if name.startswith("PET")
    ]


def test_an_accelerate_of_ones_own_is_told_which_worker_it_is(make: Make) -> None:
    """Untold, each worker is rank 0 of a run of its own."""
    own = ["accelerate", "launch", "--use_deepspeed", "--num_machines=2", "train.py"]
    made = make("Training", gpu={"count": 8}, workers=2, run="one", command=own)
    assert made.main["command"] == [
        "accelerate", "launch", "--num_processes=16", "--machine_rank=$(JOB_COMPLETION_INDEX)",
        "--main_process_ip=work-one-0.work-one", "--main_process_port=29500",
        "--use_deepspeed", "--num_machines=2", "train.py",
    ]  # fmt: skip
    plain = make(
        "Training", gpu={"count": 8}, workers=2, run="one", command=["accelerate", "launch", "t.py"]
    )
    assert "--multi_gpu" in plain.main["command"]
    one = make("Training", gpu={"count": 8}, command=own)
    assert one.main["command"] == own


@pytest.mark.parametrize(
    ("command", "workers", "said"),
    [
        (["deepspeed", "t.py"], 2, "deepspeed reaches other workers by ssh"),
        (["mpirun", "-np", "8", "python", "t.py"], 2, "mpirun reaches other workers by ssh"),
        (["mpirun", "python", "t.py"], 1, "write -np 4"),
        (["sh", "-c", "ray start --head; python t.py"], 2, "nothing joins the Ray nodes"),
        (["sh", "-c", "accelerate launch t.py"], 2, "so each is rank 0: write --num_machines=2"),
        (["deepspeed", "t.py"], 1, ""),
        (["mpirun", "-np", "4", "python", "t.py"], 1, ""),
        (["sh", "-c", "ray start --head --block"], 1, ""),
        (["sh", "-c", "accelerate launch --machine_rank=$NODE_RANK t.py"], 2, ""),
        (["sh", "-c", "ray start --address=$MASTER_ADDR:6379 --block"], 2, ""),
    ],
)
def test_a_launcher_that_gets_nothing_is_said(
    make: Make, command: list[str], workers: int, said: str
) -> None:
    made = make("Training", gpu={"count": 4}, workers=workers, run="one", command=command)
    assert made.main["command"] == command
    loud = "\n".join(line for line in made.loud().splitlines() if "no queue admits" not in line)
    assert (said in loud) if said else not loud


def test_an_interpreter_alone_starts_what_the_arguments_begin_with(make: Make) -> None:
    made = make("Training", gpu={"count": 2}, command=["python", "-u"], args=["-m", "train", "--x"])
    assert made.main["command"] == [
        "torchrun", "--standalone", "--nproc-per-node=2", "-m", "train", "--x"
    ]  # fmt: skip
    assert "args" not in made.main


def test_several_gpus_that_nobody_starts_a_process_for_are_said(make: Make) -> None:
    made = make("Training", gpu={"count": 4}, command=["bash", "run.sh"])
    assert made.main["command"] == ["bash", "run.sh"]
    assert "4 GPUs in a pod and no launcher" in made.loud()
    decided = make("Training", gpu={"count": 4}, command=["bash", "run.sh"], launcher="none")
    assert not decided.loud()


def test_the_specs_own_variables_win(make: Make) -> None:
    made = make("Training", workers=2, env={"MASTER_PORT": 12345})
    assert made.env["MASTER_PORT"] == "12345"


def test_arguments_follow_the_command(make: Make) -> None:
    made = make("Training", gpu={"count": 2}, args=["--epochs=3"])
    assert made.main["args"] == ["--epochs=3"]


def test_a_launcher_that_ends_its_processes_before_they_have_saved_is_said(make: Make) -> None:
    """C-35: a grace period alone does not let a checkpoint finish."""
    slow = {"pvc": "ckpt", "every": "30m", "save": "5m"}
    made = make("Training", gpu={"count": 2}, checkpoint=slow)
    assert "torchrun ends its processes 30s after SIGTERM, but saving takes 5m" in made.loud()
    quick = {**slow, "save": "20s"}
    assert not make("Training", gpu={"count": 2}, checkpoint=quick).loud()
    assert not make("Training", checkpoint=slow).loud(), "without a launcher, grace is enough"
