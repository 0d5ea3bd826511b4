"""What queues and namespaces have, as `fit` counts it: of a profile, and of the objects of a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.fleet.fit import Queue, Share
    from gpuspec.fleet.fit.quota import Amounts
    from gpuspec.lint.collection import Collection
    from gpuspec.lint.objects import Object
    from gpuspec.spec import Profile

_NO_BOUND = 1 << 60


def queues(profile: Profile, collection: Collection) -> tuple[Queue, ...]:
    """The queues of the set; where it has none, those of the profile."""
    return tuple(_objects(collection)) or tuple(_profile(profile))


def quotas(profile: Profile, collection: Collection) -> dict[str, Amounts]:
    """By namespace, the most that its pods may ask for together."""
    found: dict[str, Amounts] = {}
    for one in profile.spec.namespaces:
        if one.quota:
            found[one.name] = {name: _scaled(name, amount) for name, amount in one.quota.items()}
    for each in collection.of("", "ResourceQuota"):
        hard = each.spec.get("hard")
        rows = hard.items() if isinstance(hard, dict) else ()
        for key, written in rows:
            name, amount = _requested(key), _quantity(key, written)
            if name and amount is not None:
                space = found.setdefault(each.namespace or "default", {})
                space[name] = min(amount, space.get(name, amount))
    return found


def _profile(profile: Profile) -> Iterator[Queue]:
    from gpuspec.fleet.fit import Queue, Share
    from gpuspec.plan.quotas import usable

    for queue in profile.spec.queues:
        shares = [Share(part.pool, *usable(profile, queue, part.pool)) for part in queue.pools]
        yield Queue(queue.name, frozenset(queue.namespaces), tuple(shares), queue.cohort)


def _objects(collection: Collection) -> Iterator[Queue]:
    """LocalQueues that lead to a ClusterQueue of the set, with its flavors."""
    from gpuspec.fleet.fit import Queue
    from gpuspec.lint.placing import KUEUE
    from gpuspec.lint.queues import cluster_queue, cohort

    for local in collection.of(KUEUE, "LocalQueue"):
        one = cluster_queue(collection, local.name, local)
        if one is not None:
            shares = tuple(_shares(one, collection))
            space = frozenset((local.namespace or "default",))
            yield Queue(local.name, space, shares, cohort(one) or None, one.name)


def _shares(queue: Object, collection: Collection) -> Iterator[Share]:
    """One for each flavor of the group that covers devices, with the first flavor of the others."""
    from gpuspec.fleet.fit import Share
    from gpuspec.lint.placing import KUEUE
    from gpuspec.lint.queues import groups

    known = {one.name: one for one in collection.of(KUEUE, "ResourceFlavor")}
    found = [[flavor for _, flavor in flavors] for _, _, flavors in groups(queue)]
    if not found:
        return
    first = max(found, key=lambda flavors: any("/" in name for one in flavors for name in _of(one)))
    rest = [flavors[0] for flavors in found if flavors is not first and flavors]
    for flavor in first:
        own: dict[str, int] = {}
        lent: dict[str, int] = {}
        for one in (flavor, *rest):
            for name, row in _of(one).items():
                own[name] = _quantity(name, row.get("nominalQuota")) or 0
                limit = _quantity(name, row.get("borrowingLimit"))
                lent[name] = _NO_BOUND if limit is None else limit
        name = str(flavor.get("name"))
        labels = known[name].spec.get("nodeLabels") if name in known else None
        yield Share(name, own, lent, dict(labels) if isinstance(labels, dict) else {})


def _of(flavor: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The rows of a flavor by resource."""
    rows = flavor.get("resources")
    found = rows if isinstance(rows, list) else []
    return {str(row["name"]): row for row in found if isinstance(row, dict) and "name" in row}


def _requested(key: object) -> str | None:
    """The resource whose requests a quota bounds; None for what it bounds else."""
    if not isinstance(key, str):
        return None
    if key in ("cpu", "memory", "ephemeral-storage", "pods"):
        return key
    return key.removeprefix("requests.") if key.startswith("requests.") else None


def _quantity(name: object, written: object) -> int | None:
    from gpuspec.manifests import Quantity

    if not isinstance(name, str) or not isinstance(written, str | int | float):
        return None
    try:
        return _scaled(name.removeprefix("requests."), Quantity.parse(written))
    except ValueError:
        return None


def _scaled(name: str, amount: Any) -> int:
    """In the units of `Node.allocatable`."""
    found: int = amount.milli_value if name == "cpu" else amount.int_value
    return found
