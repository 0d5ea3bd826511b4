"""The Node objects in a pod's folder, as of a dump of a cluster, and which of them take the pod."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.context import kept_in_run
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.containers import quantity
from gpuspec.objects.scheduling import scheduling

if TYPE_CHECKING:
    from gpuspec.fleet.labels import PossibleLabels
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.spec import Taint

# Objects that create nodes which are not listed.
_MAKERS = (
    ("karpenter.sh", "NodePool"),
    ("cloud.google.com", "ComputeClass"),
    ("cluster.x-k8s.io", "MachineDeployment"),
    ("machine.openshift.io", "MachineSet"),
)
_SIMULATED = "kwok"
_EFFECTS = ("NoSchedule", "NoExecute")


class ListedNode(msgspec.Struct, frozen=True):
    """What a Node object states about its node."""

    object: Object
    labels: PossibleLabels
    taints: tuple[Taint, ...]
    """Taints that repel pods, without those of transient conditions."""
    allocatable: dict[str, Fraction]


@kept_in_run
def listed_nodes(pod: Pod, context: Context) -> tuple[ListedNode, ...]:
    """Return the Nodes in the folder of a pod's file. Empty if a Node of the set is simulated or
    states no `allocatable`, and if the set creates further nodes."""
    collection = context.collection
    nodes = collection.of("", "Node")
    if not nodes or any(collection.of(group, kind) for group, kind in _MAKERS):
        return ()
    listed = [_listed(node) for node in nodes]
    if any(not node.allocatable or _is_simulated(node) for node in listed):
        return ()
    folder = pod.object.file.rpartition("/")[0]
    return tuple(node for node in listed if node.object.file.rpartition("/")[0] == folder)


def selected(pod: Pod, nodes: tuple[ListedNode, ...]) -> list[ListedNode]:
    """Return the nodes with the labels that a pod requires."""
    from gpuspec.fleet.match import selects

    spec = scheduling(pod)
    return [node for node in nodes if selects(spec, node.labels)]


def repelling(node: ListedNode, tolerations: list[dict[str, object]]) -> list[Taint]:
    """Return the taints of a node that some tolerations do not match."""
    from gpuspec.fleet.match import untolerated

    return untolerated(tolerations, node.taints)


def _listed(node: Object) -> ListedNode:
    from gpuspec.fleet.labels import node_labels
    from gpuspec.fleet.passing_taints import is_passing
    from gpuspec.spec import Taint

    labels = {key: value for key, value in node.labels.items() if isinstance(value, str)}
    taints = (
        Taint(key=text(row.get("key")), value=text(row.get("value")), effect=row["effect"])
        for row in map(mapping, items(node.spec.get("taints")))
        if row.get("effect") in _EFFECTS and row.get("key") and not is_passing(text(row["key"]))
    )
    allocatable = mapping(mapping(node.value.get("status")).get("allocatable"))
    amounts = ((name, quantity(amount)) for name, amount in allocatable.items())
    return ListedNode(
        node,
        node_labels(labels),
        tuple(taints),
        {str(name): amount.value for name, amount in amounts if amount is not None},
    )


def _is_simulated(node: ListedNode) -> bool:
    keys = (*node.object.labels, *node.object.annotations, *(t.key for t in node.taints))
    return any(_SIMULATED in str(key) for key in keys)
