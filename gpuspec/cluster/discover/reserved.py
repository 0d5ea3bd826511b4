"""Requests of the pods that run on every node: those of DaemonSets, and static pods."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gpuspec.cluster.discover.input import field, listed, mapping
from gpuspec.manifests import InputError, Problem, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.cluster.discover.input import Json

RESOURCES = ("cpu", "memory", "ephemeral-storage")
# The owner of a static pod's mirror is its Node.
EVERYWHERE = frozenset(("DaemonSet", "Node"))


class ReservedAmounts(NamedTuple):
    """Requests: thousandths of a core, bytes of memory, bytes of disk."""

    cpu: int
    memory: int
    disk: int


def taken_by_node(pods: Iterable[Json]) -> dict[str, ReservedAmounts]:
    """Return, by node, the requests of its running DaemonSet and static pods.

    Raises `InputError` for a request that is not a quantity.
    """
    sums: dict[str, ReservedAmounts] = defaultdict(lambda: ReservedAmounts(0, 0, 0))
    for pod in pods:
        node = field(pod, "spec", "nodeName")
        ended = field(pod, "status", "phase") in ("Succeeded", "Failed")
        if isinstance(node, str) and not ended and _is_everywhere(pod):
            old, new = sums[node], pod_requests(pod)
            sums[node] = ReservedAmounts(
                old.cpu + new.cpu, old.memory + new.memory, old.disk + new.disk
            )
    return dict(sums)


def _is_everywhere(pod: Json) -> bool:
    owners = listed(pod, "metadata", "ownerReferences")
    return any(str(owner.get("kind")) in EVERYWHERE for owner in owners)


def pod_requests(pod: Json) -> ReservedAmounts:
    """Return the requests of a pod as the scheduler counts them.

    Containers and sidecars together, or the largest init container with the sidecars before it,
    whichever is more. A request at pod level replaces that of the containers, and overhead is
    added.
    """
    spec = mapping(pod, "spec")
    running = [_asked(container) for container in listed(spec, "containers")]
    before = [
        (_asked(container), container.get("restartPolicy") == "Always")
        for container in listed(spec, "initContainers")
    ]
    whole, overhead = _asked(spec), mapping(spec, "overhead")
    try:
        return ReservedAmounts(
            *(_request(running, before, whole, overhead, resource) for resource in RESOURCES)
        )
    except (TypeError, ValueError) as error:
        name = f"{field(pod, 'metadata', 'namespace')}/{field(pod, 'metadata', 'name')}"
        raise InputError([Problem(f"pod {name}: {error}")]) from None


def _request(
    running: list[Json], before: list[tuple[Json, bool]], whole: Json, overhead: Json, resource: str
) -> int:
    beside = peak = 0
    for requests, stays in before:
        peak = max(peak, beside + _amount(requests, resource))
        beside += _amount(requests, resource) if stays else 0
    together = beside + sum(_amount(requests, resource) for requests in running)
    return (_amount(whole, resource) or max(together, peak)) + _amount(overhead, resource)


def _asked(holder: Json) -> Json:
    """Return requests, with limits as their defaults."""
    resources = holder.get("resources")
    if not resources:
        return {}
    return mapping(resources, "limits") | mapping(resources, "requests")


def _amount(requests: Json, resource: str) -> int:
    text = requests.get(resource)
    if text is None:
        return 0
    quantity = _parsed(text)
    return quantity.milli_value if resource == "cpu" else quantity.int_value


@cache
def _parsed(text: str | int | float) -> Quantity:
    return Quantity.parse(text)
