"""A service on a part of a node that nothing may move: its node is never emptied."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.nodes import fewest, nodes, whole_device
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU408",
    "never-consolidated",
    "info",
    "Replicas on parts of nodes can never be consolidated by an autoscaler",
)

_HOLDS = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield annotations that hold a pod for ever, on one that lives for ever."""
    if pod.life != "service" or pod.role.gang or pod.metadata_path is None:
        return
    if pod.annotations.keys().isdisjoint(_HOLDS):
        return
    device = whole_device(pod)
    if device is None or fewest(pod, context) < 2:
        return
    node_kinds = nodes(pod, context)
    if not node_kinds.kinds or not all(node.host.gpus > pod.gpus for node in node_kinds.kinds):
        return
    for key, value in _HOLDS.items():
        if pod.annotations.get(key) == value:
            total = min(node.host.gpus for node in node_kinds.kinds)
            yield RawFinding(
                (*pod.metadata_path, "annotations", key),
                f"`{key}` protects a service that uses only {pod.gpus} of a node's {total} GPUs: "
                "the autoscaler can never remove the node, even if most of its GPUs are idle",
                note=(
                    "replace the annotation with a PodDisruptionBudget, which lets replicas move one "
                    "by one: the annotation is for work that ends"
                ),
                confidence="certain" if node_kinds.certain else "likely",
            )
            return
