"""GPU861 and GPU864: NodePools of GPU machines that are open to all, or emptied when that is cheaper."""

from typing import Any

import pytest

from tests.lint.patched import of
from tests.lint.plain import an, text

Object = dict[str, Any]
CLASS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}
TAINT = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}


def needs(*values: str, key: str = "karpenter.k8s.aws/instance-family") -> Object:
    return {"key": key, "operator": "In", "values": list(values)}


def pool(*wanted: Object, disruption: Object | None = None, **made: Any) -> Object:
    spec = {"nodeClassRef": CLASS, "requirements": list(wanted), **made}
    inner: Object = {"template": {"spec": spec}}
    if disruption is not None:
        inner["disruption"] = {"consolidationPolicy": "WhenEmptyOrUnderutilized", **disruption}
    return an("karpenter.sh/v1", "NodePool", "gpu", spec=inner)


def levels(code: str, *objects: Object) -> list[str]:
    return [one.severity for one in of(code, text(*objects))]


@pytest.mark.parametrize(
    "wanted",
    [
        needs("g6", "p5"),
        needs("g", "p", key="karpenter.k8s.aws/instance-category"),
        needs("g5.xlarge", key="node.kubernetes.io/instance-type"),
        needs("l4", key="karpenter.k8s.aws/instance-gpu-name"),
    ],
)
def test_gpu_nodes_without_a_taint_are_told(wanted: Object) -> None:
    assert levels("GPU861", pool(wanted)) == ["warning"]
    assert levels("GPU861", pool(wanted, startupTaints=[TAINT])) == ["warning"]
    assert levels("GPU861", pool(wanted, taints=[TAINT])) == []


@pytest.mark.parametrize(
    "wanted",
    [
        needs("m7i", "g6"),
        needs("c7i"),
        needs("l4", key="example.com/gpu"),
        needs("m", "g", key="karpenter.k8s.aws/instance-category"),
    ],
)
def test_nodes_that_may_have_none_are_not(wanted: Object) -> None:
    assert levels("GPU861", pool(wanted)) == []
    assert levels("GPU864", pool(wanted, disruption={})) == []


def test_a_class_that_taints_its_nodes_itself() -> None:
    data = "[settings.kubernetes.node-taints]\n'nvidia.com/gpu' = 'true:NoSchedule'"
    made = an("karpenter.k8s.aws/v1", "EC2NodeClass", "gpu", spec={"userData": data})
    assert levels("GPU861", pool(needs("g6")), made) == []
    made["spec"]["userData"] = "#!/bin/sh"
    assert levels("GPU861", pool(needs("g6")), made) == ["warning"]


def test_simulated_nodes_run_nothing() -> None:
    simulated = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
    one = pool(needs("g6"), disruption={}, nodeClassRef=simulated)
    assert levels("GPU861", one) == levels("GPU864", one) == []


@pytest.mark.parametrize(
    ("disruption", "told"),
    [
        ({}, ["info"]),
        ({"consolidateAfter": "5m", "budgets": [{"nodes": "10%"}]}, ["info"]),
        ({"consolidationPolicy": "WhenEmpty"}, []),
        ({"consolidateAfter": "Never"}, []),
        ({"budgets": [{"nodes": "0", "reasons": ["Underutilized"]}]}, []),
        ({"budgets": [{"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}]}, []),
    ],
)
def test_gpu_nodes_that_are_emptied_are_told(disruption: Object, told: list[str]) -> None:
    one = pool(needs("p5"), disruption=disruption, expireAfter="Never")
    assert levels("GPU864", one) == told


@pytest.mark.parametrize(
    ("age", "budgets", "told"),
    [
        ({"expireAfter": "168h"}, [{"nodes": "0"}], ["info"]),
        ({}, [{"nodes": "0%", "schedule": "0 9 * * *", "duration": "8h"}], ["info"]),
        ({"expireAfter": "Never"}, [{"nodes": "0"}], []),
        ({"expireAfter": "168h"}, [{"nodes": "1"}], []),
        ({"expireAfter": "168h"}, [{"nodes": "0", "reasons": ["Drifted"]}], []),
    ],
)
def test_nodes_expire_whatever_the_budgets_say(
    age: Object, budgets: list[Object], told: list[str]
) -> None:
    disruption = {"consolidationPolicy": "WhenEmpty", "budgets": budgets}
    assert levels("GPU864", pool(needs("p5"), disruption=disruption, **age)) == told
    assert levels("GPU864", pool(needs("m7i"), disruption=disruption, **age)) == []


def test_of_a_run_that_is_there_another_rule_speaks() -> None:
    main = {"name": "main", "image": "a/b:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    spec = {"restartPolicy": "Never", "containers": [main]}
    nodes = pool(needs("p5"), disruption={})
    assert levels("GPU864", nodes, an("batch/v1", "Job", spec={"template": {"spec": spec}})) == []
    assert levels("GPU864", nodes, an("v1", "Pod", spec=spec)) == ["info"]
