"""The story of pools that name an instance type, and not what is allocatable of its nodes."""

from pathlib import Path

import pytest

from tests.cli.conftest import SPEC, Program

POOLS = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: aws}
spec:
  kubernetes: "1.36"
  provider: eks
  pools:
    - name: l4
      gpu: {model: L4, count: 1}
      labels: {node.kubernetes.io/instance-type: TYPE}
      nodes: 3
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: x
      resources: {requests: {cpu: CPU}, limits: {nvidia.com/gpu: 1}}
"""


@pytest.mark.parametrize(
    ("instance", "cpu", "code"),
    [
        # 64 CPUs as sold, less a tenth and what DaemonSets take; 4 of the smallest machine with an L4.
        ("g6.16xlarge", "56", 0),
        ("g6.16xlarge", "57", 1),
        # A size that no table of common machines lists.
        ("g6.4xlarge", "13", 0),
        ("g6.4xlarge", "14", 1),
        ("g9.xlarge", "2", 0),
        ("g9.xlarge", "3", 1),
        # A machine with another GPU says nothing of this pool.
        ("g5.16xlarge", "4", 1),
    ],
)
def test_a_node_is_the_machine_that_its_label_names(
    gpuspec: Program, folder: Path, instance: str, cpu: str, code: int
) -> None:
    (folder / "aws.yaml").write_text(POOLS.replace("TYPE", instance))
    (folder / "pod.yaml").write_text(POD.replace("CPU", cpu))
    done = gpuspec("fit", "pod.yaml", "-c", "aws.yaml")
    assert done.code == code, done.out
    assert done.out.count(": its profile has no `allocatable`") == 1
    known = instance.startswith("g6")
    said = f"its instance type {instance} as sold, less 10 %" if known else "smallest common"
    assert said in done.out


def test_render_takes_its_share_of_that_machine_and_says_so_once(
    gpuspec: Program, folder: Path
) -> None:
    (folder / "aws.yaml").write_text(POOLS.replace("TYPE", "g6.16xlarge"))
    spec = SPEC.replace("T4", "L4").replace("  resources: {cpu: 4, memory: 16Gi}\n", "")
    (folder / "train.yaml").write_text(spec)
    done = gpuspec("render", "train.yaml", "-c", "aws.yaml")
    assert done.code == 0, done.err
    assert 'cpu: "56"' in done.out
    assert done.err.count("g6.16xlarge") == 1
    assert "56 CPUs and 226Gi of memory a pod (1 GPU's share of g6.16xlarge, less 10 %)" in done.err
