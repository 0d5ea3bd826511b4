"""GPU984: a pod against the Node objects in its folder, beyond what its page shows."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

NODE = """\
apiVersion: v1
kind: Node
metadata: {name: NAME, labels: {pool: a}}
spec: {taints: [TAINTS]}
status: {allocatable: {cpu: "16", memory: 64Gi, ephemeral-storage: 800Gi, nvidia.com/gpu: "1", pods: "110"}}
---
"""
POD = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {SELECTOR}
      containers:
        - name: main
          image: registry.example.com/train:1
          resources: {requests: {cpu: 2, memory: 8Gi}, limits: {LIMITS}}
---
"""
GPU = "nvidia.com/gpu: 1"
TEAM = "{key: team, value: a, effect: NoSchedule}"


def said(
    taints: str = "", selector: str = "pool: a", limits: str = GPU, count: int = 2, more: str = ""
) -> list[RaisedFinding]:
    nodes = "".join(
        NODE.replace("NAME", f"n{index}").replace("TAINTS", taints) for index in range(count)
    )
    pod = POD.replace("SELECTOR", selector).replace("LIMITS", limits)
    return [one for one in raised(nodes + pod + more) if one.rule.code == "GPU984"]


@pytest.mark.parametrize(
    ("taints", "selector", "limits", "message"),
    [
        (TEAM, "pool: a", GPU, "tainted `team=a:NoSchedule`"),
        (TEAM, "", GPU, "every Node of these files is tainted"),
        ("", "pool: b", GPU, "no Node of these files with the pod's device has `pool: b`"),
        ("", "", "nvidia.com/gpu: 2", "requests 2 `nvidia.com/gpu`, but the largest Node has 1"),
        ("", "", GPU + ", ephemeral-storage: 1Ti", "requests 1024Gi"),
    ],
)
def test_what_every_node_turns_away(taints: str, selector: str, limits: str, message: str) -> None:
    findings = said(taints, selector, limits)
    assert [one.severity for one in findings] == ["warning"]
    assert message in findings[0].found.message


def test_one_node_is_a_sample() -> None:
    assert [one.severity for one in said(TEAM, count=1)] == ["info"]


def test_a_pod_without_device_may_run_on_other_nodes() -> None:
    assert [one.severity for one in said(TEAM, "", "cpu: 2")] == ["info"]
    assert not said("{key: nvidia.com/gpu, effect: NoSchedule}", "", "cpu: 2")
    assert not said("", "pool: b", "cpu: 2")


@pytest.mark.parametrize(
    "taint",
    [
        "{key: team, effect: PreferNoSchedule}",
        "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}",
        "{key: kwok.x-k8s.io/node, value: fake, effect: NoSchedule}",
    ],
)
def test_taints_that_do_not_count(taint: str) -> None:
    assert not said(taint)


def test_what_another_object_may_add() -> None:
    pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {}\n---\n"
    assert not said(TEAM, more=pool)


def test_a_resource_that_no_node_has_is_for_a_plugin_that_comes_later() -> None:
    assert not said("", "", "amd.com/gpu: 2")
    assert not said("", "", "nvidia.com/gpu: 2, nvidia.com/gpumem: 4000")
