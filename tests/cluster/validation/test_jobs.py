"""Jobs that prove nodes: what they ask for, and what their scripts make of what a node says."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuspec.cluster.platform.namespaces import namespace_objects
from gpuspec.cluster.validation import validation_jobs
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

ASKED = "validation: {image: ghcr.io/example/nccl-tests:2.17.6}\n"
H100 = """\
  - name: h100
    gpu: {model: H100-80GB, count: 8}
    labels: {example.com/pool: h100}
    driver: "580.105.08"
    nodes: 3
"""
FABRIC = H100 + "    rdma: {resource: rdma/ib, memlock: unlimited}\n"
HALF = """\
  - name: half
    gpu: {model: A100-80GB, count: 8}
    labels: {example.com/pool: half}
    sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}, gpus: 4}
    nodes: 2
"""
T4 = """\
  - name: t4
    gpu: {model: T4, count: 4}
    labels: {example.com/pool: t4}
    sharing: {mode: time-slicing, replicas: 4}
    nodes: {min: 0, max: 6}
"""
# As `nvidia-smi -L` lists them.
GPU = "GPU {n}: NVIDIA H100 80GB HBM3 (UUID: GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f)"
SLICE = """\
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f)
  MIG 1g.10gb     Device  0: (UUID: MIG-4a2a7a1d-6d2b-5b4b-9c0d-0c6a2f6f6f6f)"""


def jobs(profile: MakeProfile, *pools: str, more: str = "") -> dict[str, dict[str, Any]]:
    """What is made for pools, by kind and the workload's name."""
    made, _ = validation_jobs(profile(more + ASKED + "pools:\n" + "".join(pools)))
    for each in made:
        assert validate(each, "1.36") == ()
    named = [(each, each["metadata"]["labels"]["app.kubernetes.io/name"]) for each in made]
    return {f"{each['kind']} {name}": each for each, name in named}


def main(job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = job["spec"]["template"]["spec"]["containers"][0]
    return found


def told(job: dict[str, Any]) -> dict[str, str]:
    names = ("WANTED", "DEVICES", "DRIVER", "NNODES", "MASTER_ADDR")
    return {each["name"]: each["value"] for each in main(job)["env"] if each["name"] in names}


def test_a_profile_that_does_not_ask_has_none(profile: MakeProfile) -> None:
    assert validation_jobs(profile("pools:\n" + H100)) == ([], ())


def test_each_node_of_a_pool_has_a_pod_with_all_of_its_gpus(profile: MakeProfile) -> None:
    """C-15: on that pool alone, at the same time, with a limit of time and no retry."""
    made = jobs(profile, H100)
    assert list(made) == ["Service validate-h100", "Job validate-h100"]
    job = made["Job validate-h100"]
    spec = job["spec"]
    assert (spec["completions"], spec["parallelism"], spec["backoffLimit"]) == (3, 3, 0)
    assert (spec["activeDeadlineSeconds"], spec["ttlSecondsAfterFinished"]) == (1800, 86400)
    assert main(job)["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert job["metadata"]["namespace"] == "gpu-validation"
    said = told(job)
    assert (said["WANTED"], said["DEVICES"], said["NNODES"]) == ("GPU", "8", "3")
    assert said["DRIVER"] == "580.105.08"
    assert "rdma" not in str(main(job)["resources"])


def test_over_a_fabric_pytorch_joins_the_nodes(profile: MakeProfile) -> None:
    job = jobs(profile, FABRIC)["Job validate-h100"]
    assert main(job)["resources"]["limits"]["rdma/ib"] == "1"
    assert "torchrun --nnodes" in main(job)["command"][2]


def test_with_the_mpi_operator_all_reduce_perf_does(profile: MakeProfile) -> None:
    more = 'installed: {mpi-operator: "0.8"}\n'
    made = jobs(profile, FABRIC, more=more)
    assert list(made) == ["ConfigMap validate-h100", "MPIJob validate-h100"]
    roles = made["MPIJob validate-h100"]["spec"]["mpiReplicaSpecs"]
    launcher, worker = (
        roles[role]["template"]["spec"]["containers"][0] for role in ("Launcher", "Worker")
    )
    assert roles["Worker"]["replicas"] == 3
    assert worker["resources"]["limits"]["rdma/ib"] == "1"
    command = launcher["command"]
    assert command[:7] == ["mpirun", "--bind-to", "none", "--map-by", "ppr:1:node", "-np", "3"]
    assert "torchrun" not in command[9]
    assert 'all_reduce_perf -b 8M -e 1G -f 2 -g "$DEVICES" -c 1' in command[9]


def test_each_slice_has_a_pod_and_so_have_whole_gpus_beside_them(profile: MakeProfile) -> None:
    """C-15: the layout, times the GPUs that are cut, times the nodes."""
    made = jobs(profile, HALF)
    counted = {
        name.removeprefix("Job "): (
            each["spec"]["completions"],
            told(each)["WANTED"],
            [key for key in main(each)["resources"]["limits"] if key.startswith("nvidia.com/")],
        )
        for name, each in made.items()
        if name.startswith("Job ")
    }
    assert counted == {
        "validate-half": (2, "GPU", ["nvidia.com/gpu"]),
        "validate-half-1g-10gb": (16, "MIG 1g.10gb", ["nvidia.com/mig-1g.10gb"]),
        "validate-half-2g-20gb": (8, "MIG 2g.20gb", ["nvidia.com/mig-2g.20gb"]),
        "validate-half-3g-40gb": (8, "MIG 3g.40gb", ["nvidia.com/mig-3g.40gb"]),
    }
    one = made["Job validate-half-1g-10gb"]["spec"]
    assert (one["backoffLimitPerIndex"], one["maxFailedIndexes"]) == (0, 15)


def test_a_pool_that_may_have_no_nodes_is_said_and_asked_for_one(profile: MakeProfile) -> None:
    made, notes = validation_jobs(profile(ASKED + "pools:\n" + T4))
    assert [each["spec"]["completions"] for each in made] == [16]
    least = "so its Jobs validate 1 node; write in `nodes` how many run"
    assert notes == (f"pool t4: it may be scaled to 0 nodes, {least}",)
    untold = T4.replace("    nodes: {min: 0, max: 6}\n", "")
    assert validation_jobs(profile(ASKED + "pools:\n" + untold))[1] == (
        f"pool t4: the profile gives no `nodes`, {least}",
    )


def test_devices_of_others_are_not_proven_and_that_is_said(profile: MakeProfile) -> None:
    amd = "  - {name: mi, gpu: {model: MI300X, count: 8, resource: amd.com/gpu}}\n"
    made, notes = validation_jobs(profile(ASKED + "pools:\n" + amd))
    assert made == []
    assert notes == ("pool mi: gpuspec can list the GPUs of a node only with nvidia-smi",)


def test_pools_may_be_called_anything(profile: MakeProfile) -> None:
    """Names of objects are made of theirs, and each is its own."""
    names = ("A 1", "a-1", "!?", "x" * 300)
    pools = "".join(
        f"  - {{name: '{name}', gpu: {{model: T4, count: 1}}, labels: {{p: p{at}}}, nodes: 1}}\n"
        for at, name in enumerate(names)
    )
    made = jobs(profile, pools)
    assert list(made) == [
        "Job validate-a-1",
        "Job validate-a-1-2",
        "Job validate-pool",
        f"Job validate-{'x' * 24}",
    ]


def test_more_than_a_pod_can_ask_for_is_said(profile: MakeProfile) -> None:
    many = "  - {name: many, gpu: {model: T4, count: 200}, nodes: 1}\n"
    made, notes = validation_jobs(profile(ASKED + "pools:\n" + many))
    assert made == []
    (said,) = notes
    assert said.startswith("pool many: ")
    assert "128" in said


def test_the_namespace_is_among_the_platform_s(profile: MakeProfile) -> None:
    (made,) = namespace_objects(profile(ASKED))
    assert made["metadata"]["name"] == "gpu-validation"
    assert made["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    named = ASKED + "namespaces: [{name: gpu-validation, podSecurity: baseline}]\n"
    (made,) = namespace_objects(profile(named))
    assert made["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"


# ------------------------------------------------------------------------------------ what they run


class Node:
    """A node that says what a test has it say, by programs that stand in for its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.says("nvidia-smi", "-L", GPU.format(n=0))
        for name in ("all_reduce_perf", "sleep", "torchrun", "sample"):
            self.program(name, f'echo "{name} $*"')
        self.program("getent", "true")

    def program(self, name: str, body: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def says(self, name: str, option: str, listed: str, driver: str = "580.105.08") -> None:
        (self.folder / "listed").write_text(listed + "\n")
        self.program(name, f'[ "$1" = {option} ] && exec cat {self.folder}/listed\necho {driver}')

    def run(self, job: dict[str, Any], *more: str) -> tuple[int, str]:
        """Its script's exit code, and all that it says."""
        container = main(job)
        values = {each["name"]: each.get("value", "n-1") for each in container["env"]}
        env = {**values, "PATH": f"{self.folder}:/usr/bin:/bin"}
        done = subprocess.run(
            [*container["command"], *more],
            env=env,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_a_node_with_all_its_gpus_passes(profile: MakeProfile, node: Node) -> None:
    node.says("nvidia-smi", "-L", "\n".join(GPU.format(n=n) for n in range(8)))
    code, said = node.run(jobs(profile, H100)["Job validate-h100"], "sample", "--fast")
    assert code == 0, said
    assert said.splitlines() == [
        "sample --fast",
        "all_reduce_perf -b 8M -e 1G -f 2 -g 8 -c 1",
        "passed on n-1: 8 of GPU",
        "sleep 60",
    ]


def test_one_that_lacks_a_gpu_says_what_it_has(profile: MakeProfile, node: Node) -> None:
    node.says("nvidia-smi", "-L", "\n".join(GPU.format(n=n) for n in range(7)))
    code, said = node.run(jobs(profile, FABRIC)["Job validate-h100"])
    assert code == 1
    assert said.startswith("failed on n-1: 7 of 8 devices: GPU 0: NVIDIA H100")
    assert "torchrun" not in said


def test_a_slice_is_counted_by_its_profile(profile: MakeProfile, node: Node) -> None:
    """A slice of another layout is not the one that was asked for."""
    made = jobs(profile, HALF)
    node.says("nvidia-smi", "-L", SLICE)
    assert node.run(made["Job validate-half-1g-10gb"])[0] == 0
    code, said = node.run(made["Job validate-half-2g-20gb"])
    assert (code, said.splitlines()[0]) == (
        1,
        f"failed on n-1: 0 of 1 devices: {SLICE.splitlines()[0]}",
    )


def test_another_driver_than_the_pool_s_fails(profile: MakeProfile, node: Node) -> None:
    listed = "\n".join(GPU.format(n=n) for n in range(8))
    node.says("nvidia-smi", "-L", listed, driver="570.211.01")
    job = jobs(profile, H100)["Job validate-h100"]
    assert node.run(job) == (1, "failed on n-1: driver 570.211.01, and not 580.105.08\n")
    other = jobs(profile, H100.replace('    driver: "580.105.08"\n', ""))["Job validate-h100"]
    assert node.run(other)[0] == 0


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("nvidia-smi", "failed on n-1: nvidia-smi finds no driver"),
        ("all_reduce_perf", "failed on n-1: all_reduce_perf"),
        ("sample", "failed on n-1: sample"),
        ("torchrun", "failed on n-1: all-reduce over the fabric"),
    ],
)
def test_what_fails_is_named(profile: MakeProfile, node: Node, program: str, said: str) -> None:
    node.says("nvidia-smi", "-L", "\n".join(GPU.format(n=n) for n in range(8)))
    node.program(program, "exit 3")
    code, told = node.run(jobs(profile, FABRIC)["Job validate-h100"], "sample")
    assert code == 1
    assert said in told.splitlines()


def test_nodes_without_a_fabric_wait_until_all_are_there(profile: MakeProfile, node: Node) -> None:
    """By the names of the Job's own pods, each of them."""
    asked = node.folder / "asked"
    node.program("getent", f'echo "$2" >> {asked}; [ "$(grep -c . {asked})" -gt 4 ]')
    node.says("nvidia-smi", "-L", "\n".join(GPU.format(n=n) for n in range(8)))
    job = jobs(profile, H100)["Job validate-h100"]
    assert node.run(job)[0] == 0
    name = job["metadata"]["name"]
    names = [f"{name}-{rank}.{name}" for rank in range(3)]
    assert asked.read_text().split() == [names[0]] * 5 + names[1:]
