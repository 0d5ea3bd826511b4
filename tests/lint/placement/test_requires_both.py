"""GPU415: what no node meets, beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.sets import base

Row = tuple[str, str, list[str]]
PRODUCT, POOL = "nvidia.com/gpu.product", "karpenter.sh/nodepool"


def pod(selector: dict[str, str], *terms: list[Row]) -> Any:
    found = base("pod")
    made = [
        {"matchExpressions": [{"key": k, "operator": o, "values": v} for k, o, v in term]}
        for term in terms
    ]
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": made}}
    found["spec"]["nodeSelector"] = selector
    found["spec"]["affinity"] = {"nodeAffinity": affinity} if terms else None
    return found


def said(*documents: Any) -> list[str]:
    text = yaml.safe_dump_all(documents)
    engine = Engine(lambda code: code == "GPU415", None)
    return [one.finding().message for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


@pytest.mark.parametrize(
    ("selector", "terms"),
    [
        ({"a": "red"}, [[("a", "In", ["blue"])]]),
        ({"a": "red"}, [[("a", "NotIn", ["red", "blue"])]]),
        ({"a": "red"}, [[("a", "DoesNotExist", [])]]),
        ({}, [[("a", "Exists", []), ("a", "DoesNotExist", [])]]),
        ({"a": "red"}, [[("a", "In", ["blue"])], [("a", "In", ["green"])]]),
    ],
)
def test_what_no_node_meets(selector: dict[str, str], terms: list[list[Row]]) -> None:
    (message,) = said(pod(selector, *terms))
    assert message.endswith("no node has both")


@pytest.mark.parametrize(
    ("selector", "terms"),
    [
        ({"a": "red"}, [[("a", "In", ["red", "blue"])]]),
        ({"a": "red"}, [[("a", "NotIn", ["blue"])]]),
        ({"a": "red"}, [[("a", "Exists", [])]]),
        ({"a": "red"}, [[("a", "In", ["blue"])], [("b", "In", ["green"])]]),
        ({PRODUCT: "NVIDIA-A10G", "node.kubernetes.io/instance-type": "g5.12xlarge"}, []),
        ({PRODUCT: "NVIDIA-NEW", "node.kubernetes.io/instance-type": "g5.12xlarge"}, []),
        ({PRODUCT: "NVIDIA-A10G", "node.kubernetes.io/instance-type": "g99.large"}, []),
    ],
)
def test_what_some_node_may_meet(selector: dict[str, str], terms: list[list[Row]]) -> None:
    assert said(pod(selector, *terms)) == []


def test_labels_and_requirements_of_the_nodepool_count() -> None:
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {
            "template": {
                "metadata": {"labels": {"team": "vision"}},
                "spec": {
                    "requirements": [{"key": "arch", "operator": "NotIn", "values": ["arm64"]}]
                },
            }
        },
    }
    (message,) = said(pod({POOL: "gpu", "team": "language"}), pool)
    assert message.endswith("creates no node with `team: language`")
    assert said(pod({POOL: "gpu", "team": "vision", "arch": "amd64", "other": "red"}), pool) == []
    assert said(pod({POOL: "cpu", "team": "language"}), pool) == []


FAMILY, CPU = "karpenter.k8s.aws/instance-family", "karpenter.k8s.aws/instance-cpu"


@pytest.mark.parametrize(
    ("selector", "terms", "found"),
    [
        ({FAMILY: "p4d"}, [[(CPU, "Lt", ["64"])]], True),
        ({FAMILY: "p4d", "kubernetes.io/arch": "arm64"}, [], True),
        ({}, [[(FAMILY, "In", ["p4d"]), (CPU, "In", ["8"])], [(FAMILY, "In", ["g6"])]], False),
        ({FAMILY: "p4d"}, [[(CPU, "Gt", ["64"])]], False),
        ({FAMILY: "m7i"}, [[(CPU, "Lt", ["2"])]], False),
    ],
)
def test_what_no_machine_of_a_family_has(
    selector: dict[str, str], terms: list[list[Row]], found: bool
) -> None:
    messages = said(pod(selector, *terms))
    assert len(messages) == found
    assert all(
        one.startswith(f"the pod stays Pending: no instance type has `{FAMILY}: p4d`")
        for one in messages
    )
