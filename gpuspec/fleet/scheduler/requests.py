"""Requests of a pod, summed as in kube-scheduler.

Sources: Kubernetes 1.37, component-helpers `resource.PodRequests`; defaults of `pkg/apis/core/v1`;
`getNonMissingContainerRequests` of the scheduler's framework. Resources of a whole pod count since
1.34; older API servers drop them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.reading import rows, table

if TYPE_CHECKING:
    from collections.abc import Mapping

CPU, MEMORY, DISK, PODS = "cpu", "memory", "ephemeral-storage", "pods"
_HUGE = "hugepages-"
_MOST = 2**63 - 1
# What scoring takes a container to ask for that says nothing: thousandths of a core, bytes.
_UNSAID = {CPU: 100, MEMORY: 200 * 1024 * 1024 * 1000}


class Requests(msgspec.Struct, frozen=True):
    """Requests of a pod, in the units of `Node.allocatable`; no zeros."""

    amounts: Mapping[str, int]
    nonzero: tuple[int, int]
    """CPU and memory as scoring counts them: a container that names neither asks for 0.1 core and
    200 MiB."""


def requests_of(spec: Mapping[str, Any]) -> Requests:
    """Return the sums of a pod's spec; never raises. What the API server would refuse is left
    out."""
    have = _of_pod(table(spec.get("resources")))
    total = _total(spec, {})
    unsaid = {k: v for k, v in _UNSAID.items() if not have or k not in (total | have)}
    scored = _total(spec, unsaid) if unsaid else total
    over = _amounts(spec.get("overhead"))
    return Requests(
        _units(_plus(_with_pod(total, have), over)),
        _nonzero(_plus(_with_pod(scored, have), over)),
    )


def amount(name: str, quantity: object) -> int | None:
    """Return a quantity of a resource in the units of `Node.allocatable`; None for what is none."""
    thousandths = _thousandths(quantity)
    return None if thousandths is None else _unit(name, thousandths)


def _total(spec: Mapping[str, Any], unsaid: dict[str, int]) -> dict[str, int]:
    """Return the sum of containers, or the larger request of an init container with the sidecars
    before it."""
    total: dict[str, int] = {}
    for container in rows(spec.get("containers")):
        total = _plus(total, unsaid | _of_container(container))
    beside: dict[str, int] = {}
    most: dict[str, int] = {}
    for container in rows(spec.get("initContainers")):
        asks = unsaid | _of_container(container)
        if container.get("restartPolicy") == "Always":
            total, beside = _plus(total, asks), _plus(beside, asks)
            asks = beside
        else:
            asks = _plus(asks, beside)
        most = _most(most, asks)
    return _most(total, most)


def _of_container(container: Mapping[str, Any]) -> dict[str, int]:
    """Return a container's requests; its limits where it has none."""
    resources = table(container.get("resources"))
    return _amounts(resources.get("limits")) | _amounts(resources.get("requests"))


def _of_pod(resources: Mapping[str, Any]) -> dict[str, int]:
    """Return requests of the whole pod; its limits are separate, see `_with_pod`."""
    asks, limits = _amounts(resources.get("requests")), _amounts(resources.get("limits"))
    pod_amounts = {name: asks[name] for name in asks if _of_whole_pod(name)}
    return pod_amounts | {
        f"limit {name}": limits[name] for name in limits if _of_whole_pod(name) and name not in asks
    }


def _with_pod(total: dict[str, int], have: Mapping[str, int]) -> dict[str, int]:
    """Return the pod's own requests instead of its containers'.

    A limit of the pod counts as its request if no container requests the resource; for huge pages,
    whose limit equals the request, always.
    """
    amounts = dict(total)
    for key, value in have.items():
        name = key.removeprefix("limit ")
        if key == name or name not in total or name.startswith(_HUGE):
            amounts[name] = value
    return amounts


def _of_whole_pod(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith(_HUGE)


def _amounts(value: object) -> dict[str, int]:
    """Return quantities by resource, in thousandths; values that are not quantities, or negative,
    are left out."""
    thousandths = {
        name: _thousandths(quantity)
        for name, quantity in table(value).items()
        if isinstance(name, str)
    }
    return {name: amount for name, amount in thousandths.items() if amount is not None}


def _thousandths(quantity: object) -> int | None:
    if not isinstance(quantity, str | int | float) or isinstance(quantity, bool):
        return None
    return _parsed(quantity)


@lru_cache(4096, typed=True)
def _parsed(quantity: str | float) -> int | None:
    from gpuspec.manifests import parse_quantity

    try:
        # The API server rounds each amount up to thousandths when it stores it.
        thousandths = parse_quantity(quantity).milli_value
    except ValueError:
        return None
    return thousandths if thousandths >= 0 else None


def _units(total: Mapping[str, int]) -> dict[str, int]:
    units = {name: _unit(name, amount) for name, amount in total.items() if _schedules(name)}
    return {name: amount for name, amount in units.items() if amount}


def _unit(name: str, thousandths: int) -> int:
    return min(_MOST, thousandths if name == CPU else -(-thousandths // 1000))


def _schedules(name: str) -> bool:
    """Return whether the scheduler counts a resource: those it knows, huge pages, and extended
    ones."""
    return (
        name in (CPU, MEMORY, DISK)
        or name.startswith((_HUGE, "attachable-volumes-"))
        or ("/" in name and not name.startswith("requests."))
    )


def _nonzero(total: Mapping[str, int]) -> tuple[int, int]:
    return _unit(CPU, total.get(CPU, 0)), _unit(MEMORY, total.get(MEMORY, 0))


def _plus(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    amounts = dict(first)
    for name, amount in second.items():
        amounts[name] = amounts.get(name, 0) + amount
    return amounts


def _most(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    amounts = dict(first)
    for name, amount in second.items():
        amounts[name] = max(amounts.get(name, 0), amount)
    return amounts
