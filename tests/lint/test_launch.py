"""C-53: processes, slots and shares of a model against the devices that are there."""

import pytest

from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Object
from tests.lint.sets import base, codes, container, lint


@pytest.mark.parametrize(
    ("line", "processes", "nodes"),
    [
        ("torchrun --nnodes=2 --nproc_per_node 8 train.py --nnodes 9", 8, 2),
        ("python -m torch.distributed.run --nnodes=1:4 --nproc-per-node=gpu train.py", None, 1),
        ("accelerate launch --num_processes 16 --num_machines=2 train.py", 16, 2),
        ("deepspeed --num_gpus 4 train.py --deepspeed ds.json", 4, None),
    ],
)
def test_launchers_are_read_up_to_their_script(
    line: str, processes: int | None, nodes: int | None
) -> None:
    pod = base("pod", {"spec": {"containers": [{"name": "main", "command": ["bash", "-c", line]}]}})
    launch = launch_of(Object(pod).pods[0].containers[0])
    assert launch is not None
    assert (launch.processes and launch.processes.number) == processes
    assert launch.least_nodes == nodes


@pytest.mark.parametrize(
    ("args", "severity"),
    [
        (["/m", "--tensor-parallel-size", "2"], None),
        (["/m", "--tensor-parallel-size=1", "--data-parallel-size=2"], None),
        (["/m", "-tp", "2", "-pp", "2"], "error"),
        (["/m", "-tp", "1"], "warning"),
        (["/m"], "warning"),
        (["$MODEL_ARGS"], None),
        (["/m", "--tensor-parallel-size", "$(TP)"], None),
        (["/m", "-tp", "2", "--data-parallel-size", "8", "--data-parallel-rank", "3"], None),
        (["/m", "-tp", "2", "--nnodes", "2", "--pipeline-parallel-size", "2"], None),
        (
            ["/m", "-tp", "4", "--data-parallel-size", "2", "--data-parallel-size-local", "1"],
            "error",
        ),
        (["/m", "--config", "/etc/vllm.yaml"], None),
    ],
)
def test_degrees_multiply_over_the_group(args: list[str], severity: str | None) -> None:
    """C-53: two GPUs a pod, and what a server is told to divide its model over."""
    found = lint(base("statefulset", container(args=args)))
    assert [one.severity for one in found if one.rule == "GPU731"] == [severity] * (
        severity is not None
    )


def test_ray_may_have_other_pods() -> None:
    """C-53"""
    args = ["/m", "-tp", "8", "--distributed-executor-backend", "ray"]
    assert lint(base("statefulset", container(args=args))) == []


def test_a_jobs_part_of_a_jobset_may_be_a_run_of_its_own() -> None:
    """A JobSet of two runs of two nodes each."""
    job = base("jobset")
    part = job["spec"]["replicatedJobs"][0]
    part["replicas"] = 2
    part["template"]["spec"] |= {"parallelism": 2, "completions": 2}
    main = part["template"]["spec"]["template"]["spec"]["containers"][0]
    meet = ["--rdzv-backend=c10d", "--rdzv-endpoint=$(FIRST)"]
    main["command"] = ["torchrun", "--nnodes=2", "--nproc-per-node=8", *meet, "train.py"]
    assert lint(job) == []
    main["command"][1] = "--nnodes=8"
    assert [(one.rule, one.severity) for one in lint(job)] == [("GPU733", "warning")]


@pytest.mark.parametrize(
    ("command", "severity"),
    [
        (["mpirun", "-np", "16", "python", "train.py"], None),
        (["mpirun", "-np", "8", "python", "train.py"], "warning"),
        (["mpirun", "-np", "17", "python", "train.py"], "error"),
        (["mpirun", "-np", "2", "-npernode", "1", "all_reduce_perf", "-g", "8"], None),
        (["mpirun", "-np", "2", "--map-by", "ppr:1:node", "python", "train.py"], None),
        (["mpirun", "-np", "$NP", "python", "train.py"], None),
        (["horovodrun", "-np", "16", "python", "train.py"], None),
    ],
)
def test_mpi_starts_a_process_for_each_gpu(command: list[str], severity: str | None) -> None:
    """Two workers of eight GPUs."""
    job = base("mpijob")
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]
    launcher["containers"][0]["command"] = command
    assert [one.severity for one in lint(job)] == [severity] * (severity is not None)


def test_ray_is_told_of_the_gpus_that_there_are() -> None:
    job = base("rayjob")
    group = job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]
    group["rayStartParams"] = {"num-gpus": "4"}
    assert codes(lint(job)) == ["GPU736"]
    group["rayStartParams"] = {"num-gpus": "$GPUS"}
    assert lint(job) == []


@pytest.mark.parametrize(
    ("resource", "counted"),
    [
        ("nvidia.com/gpu", True),
        ("amd.com/gpu", True),
        ("nvidia.com/mig-1g.10gb", True),
        ("nvidia.com/gpu.shared", False),
        ("nvidia.com/mig-1g.10gb.shared", False),
        ("gpu.intel.com/i915", False),
        # Custom resources of Ray, which are no GPUs.
        ("google.com/tpu", True),
        ("habana.ai/gaudi", True),
    ],
)
def test_kuberay_counts_gpus_by_their_names(resource: str, counted: bool) -> None:
    job = base("rayjob")
    group = job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]
    limits = group["template"]["spec"]["containers"][0]["resources"]
    for amounts in limits.values():
        amounts.pop("nvidia.com/gpu", None)
        amounts[resource] = 2
    group["rayStartParams"] = {}
    assert ("GPU736" not in codes(lint(job))) is counted
    group["rayStartParams"] = {"num-gpus": "2"}
    assert counted or "GPU736" not in codes(lint(job))
    group["rayStartParams"] = {}
    group["resources"] = {"GPU": "2"}
    assert "GPU736" not in codes(lint(job))


def test_a_head_that_no_gpu_node_takes_offers_none() -> None:
    """C-21: with a profile whose GPU nodes are tainted."""
    job = base("rayjob")
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]
    head["rayStartParams"] = {}
    head["template"]["spec"]["containers"][0]["image"] = "rayproject/ray:2.52.0-gpu"
    assert codes(lint(job)) == ["GPU737"]
    assert lint(job, profile="h100") == []


@pytest.mark.parametrize(
    ("head", "worker", "apart"),
    [
        ({"pool": "cpu"}, {"pool": "gpu"}, True),
        ({"pool": "gpu"}, {"pool": "gpu"}, False),
        ({"pool": "cpu"}, {"team": "a"}, False),
        # A zone has nodes of both kinds.
        ({"topology.kubernetes.io/zone": "a"}, {"topology.kubernetes.io/zone": "b"}, False),
    ],
)
def test_a_head_on_other_nodes_than_the_gpu_workers_sees_no_gpu(
    head: dict[str, str], worker: dict[str, str], apart: bool
) -> None:
    job = base("rayjob")
    cluster = job["spec"]["rayClusterSpec"]
    group = cluster["headGroupSpec"]
    group["rayStartParams"] = {}
    group["template"]["spec"]["containers"][0]["image"] = "rayproject/ray:2.52.0-gpu"
    group["template"]["spec"]["nodeSelector"] = head
    cluster["workerGroupSpecs"][0]["template"]["spec"]["nodeSelector"] = worker
    assert ("GPU737" in codes(lint(job))) is not apart
