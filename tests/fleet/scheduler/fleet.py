"""Nodes and pods for the tests of the scheduler."""

from collections.abc import Iterable
from typing import Any

from gpuspec.fleet.nodes.node import FleetNode
from gpuspec.fleet.scheduler.shape import Shape, shape_of
from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
from gpuspec.fleet.scheduler.verdict import feasible
from gpuspec.spec import Taint

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
HOSTNAME = "kubernetes.io/hostname"
GPU = "nvidia.com/gpu"


def node(
    name: str,
    labels: dict[str, str] | None = None,
    taints: Iterable[dict[str, Any]] = (),
    *,
    unschedulable: bool = False,
    **have: int,
) -> FleetNode:
    """A node with room for ten pods, four cores and four GPUs unless told otherwise."""
    amounts = {"cpu": 4000, "memory": 2**34, "pods": 10, GPU: 4} | have
    return FleetNode(
        name,
        {HOSTNAME: name} | (labels or {}),
        amounts,
        tuple(Taint(**taint) for taint in taints),
        unschedulable,
    )


def bare(gpus: int = 0, **more: Any) -> dict[str, Any]:
    """A pod's spec."""
    limits = {GPU: gpus} if gpus else {}
    return {"containers": [{"resources": {"limits": limits}}], **more}


def shape(
    gpus: int = 0, labels: dict[str, str] | None = None, namespace: str = "default", **more: Any
) -> Shape:
    """The shape of such a pod."""
    return shape_of(bare(gpus, **more), labels=labels, namespace=namespace)


def fleet(
    *nodes: FleetNode,
    pods: Iterable[tuple[str, Shape]] = (),
    namespaces: dict[str, dict[str, str]] | None = None,
) -> Snapshot:
    """Nodes, and the pods on them as (name of the node, shape)."""
    made = Snapshot(nodes, namespaces)
    names = [each.name for each in nodes]
    for number, (name, each) in enumerate(pods):
        made.add(names.index(name), RunningPod(f"pod-{number}", each))
    return made


def said(pod: Shape, snapshot: Snapshot) -> dict[str, tuple[object, ...] | None]:
    """Reasons and whether they can be resolved, by node; the nodes that take the pod have none."""
    verdict = feasible(pod, snapshot)
    found: dict[str, tuple[object, ...] | None] = {each.name: None for each in snapshot.nodes}
    for index, refusal in verdict.refusals.items():
        found[snapshot.nodes[index].name] = (*refusal.reasons, refusal.resolvable)
    assert set(verdict.nodes) | verdict.refusals.keys() == set(range(verdict.total))
    return found
