"""Notes on nodes and pods that are missing in the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.cluster.discover.input import HINT, field
from gpuspec.escaping.characters import visible
from gpuspec.manifests import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gpuspec.cluster.discover.input import Inventory, LiveNode

# So many nodes are named, the others counted.
NAMED = 3


def about_nodes(
    reasons: Mapping[str, Sequence[str]], counted: Mapping[str, LiveNode], plain: int
) -> Iterator[str]:
    """Yield notes on skipped nodes with reasons, on nodes in a transient state, and on the number
    of nodes without a GPU."""
    for reason in sorted(reasons, key=lambda reason: (reasons[reason], reason)):
        out = [name for name in reasons[reason] if name not in counted]
        nodes = [name for name in reasons[reason] if name in counted]
        if out:
            yield f"left out: {named(out)}: {reason}"
        if nodes:
            yield f"{named(nodes)}: {reason}"
    if unready := [name for name in sorted(counted) if not counted[name].ready]:
        yield f"counted although not ready: {named(unready)}"
    if cordoned := [name for name in sorted(counted) if counted[name].cordoned]:
        yield f"counted although cordoned: {named(cordoned)}"
    if plain:
        yield f"{plain} {'node has' if plain == 1 else 'nodes have'} no GPU and no pool"


def about_pods(inventory: Inventory) -> Iterator[str]:
    """Yield notes on signs of missing pods."""
    if inventory.pods is not None:
        namespaces = {str(field(pod, "metadata", "namespace")) for pod in inventory.pods}
        if len(namespaces) == 1:
            yield f"all pods are of namespace {namespaces.pop()}: were they listed with -A?"


def about_others(others: Mapping[str, int]) -> Iterator[str]:
    """Yield notes on kinds that are not used."""
    for kind in sorted(others):
        yield visible(f"{others[kind]} {kind} skipped")


def found_nothing(name: str, reasons: Mapping[str, Sequence[str]], plain: int) -> Problem:
    """Return the problem of a cluster without a GPU that a profile can state."""
    total = plain + len({node for nodes in reasons.values() for node in nodes})
    message = f"none of {node_count(total)} has a GPU that a profile can state"
    reason_lines = [
        visible(f"{named(nodes)}: {reason}") for reason, nodes in sorted(reasons.items())
    ]
    return Problem(message, Place(name, 1, 1), "\n  ".join(reason_lines) or HINT)


def named(nodes: Sequence[str]) -> str:
    """Return some names, and the number of further ones."""
    rest = len(nodes) - NAMED
    shown = ", ".join(sorted(nodes)[:NAMED])
    return f"{shown} and {rest} more" if rest > 0 else shown


def node_count(number: int) -> str:
    """Return `1 node`, `2 nodes`."""
    return "1 node" if number == 1 else f"{number} nodes"
