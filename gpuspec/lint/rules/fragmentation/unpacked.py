"""Many small pods that nothing packs: the scheduler begins every node with them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.lint.analysis.placement.nodes import NodeKinds, fewest, nodes, whole_device
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.lint.rules.fragmentation.hard_spread import HOST
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU406",
    "unpacked",
    "info",
    "Many small pods of one Job are not packed onto few nodes",
    gives_way=("GPU401", "GPU405"),
    fix="unsafe",
)

_DEFAULT = ("", "default-scheduler")
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
# The least GPUs of a node that large pods need whole, and the part of one that a small pod has.
_LARGE, _SMALL = 8, 4


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield finite work that fills a node and more, of pods with a quarter of one or less."""
    device = whole_device(pod)
    if device is None or context.cluster is None or not _scattered(pod, context):
        return
    node_kinds = nodes(pod, context)
    number = fewest(pod, context)
    if not node_kinds.kinds or not _applies(pod, node_kinds, number):
        return
    total = min(node.host.gpus for node in node_kinds.kinds)
    most_nodes = max((node.most or 0 for node in node_kinds.kinds), default=0)
    labels = {key: value for key, value in pod.labels.items() if isinstance(value, str)}
    yield RawFinding(
        pod.path("affinity"),
        f"{number} pods with {pod.gpus} of {total} GPUs are not packed: the default scheduler "
        "scores only CPU and memory and puts them on "
        f"{f'up to {min(number, most_nodes)} nodes' if most_nodes else 'a node each'}, although "
        f"{counted(-(-number * pod.gpus // total), 'node')} would be enough",
        note=(
            "prefer nodes that already have such pods (`podAffinity` on the hostname), or use a "
            "scheduler that packs by GPUs (`MostAllocated`, in the profile `scoring`)"
        ),
        confidence="likely",
        fix=_fix(pod, labels),
    )


def _applies(pod: Pod, node_kinds: NodeKinds, number: int) -> bool:
    largest = min(node.host.gpus for node in node_kinds.kinds)
    return largest >= _LARGE and pod.gpus * _SMALL <= largest and number * pod.gpus >= largest


def _scattered(pod: Pod, context: Context) -> bool:
    """Return whether it is for the default scheduler, with no wish to be near or far from its
    like."""
    cluster = context.cluster
    if pod.life != "finite" or pod.role.gang:
        return False
    if cluster and (cluster.scheduler is not None or cluster.scoring == "most-allocated"):
        return False
    name = pod.spec.get("schedulerName") or ""
    if name not in _DEFAULT:
        return False
    affinity = mapping(pod.spec.get("affinity"))
    near = mapping(affinity.get("podAffinity"))
    topology = any("topology" in str(key) for key in (*pod.annotations, *pod.object.annotations))
    return not (near or items(pod.spec.get("topologySpreadConstraints")) or topology)


def _fix(pod: Pod, labels: dict[str, str]) -> Fix | None:
    if not labels or "podAffinity" in mapping(pod.spec.get("affinity")):
        return None
    key = next((name for name in ("app", "app.kubernetes.io/name") if name in labels), None)
    if key is None:
        return None
    term = {
        "weight": 100,
        "podAffinityTerm": {
            "topologyKey": HOST,
            "labelSelector": {"matchLabels": {key: labels[key]}},
        },
    }
    affinity_put = Put(pod.path("affinity", "podAffinity", _PREFERRED), [term])
    return Fix("prefer nodes with such pods by `podAffinity`", (affinity_put,))
