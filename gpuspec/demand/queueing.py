"""The quotas of queues and namespaces for `fit`, from a profile and from the objects of a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec import hardware
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.fleet.fit import FitQueue, QueueShare
    from gpuspec.fleet.fit.quota import Amounts
    from gpuspec.objects.collection import Collection
    from gpuspec.spec import Cohort, Profile
    from gpuspec.spec import Queue as SpecQueue

_NO_BOUND = 1 << 60
_CLASS = ".deviceclass.resource.k8s.io/devices"
"""The suffix of a DeviceClass's name in a quota for its devices."""


def queues(
    profile: Profile, collection: Collection, cluster_objects: Iterable[Mapping[str, Any]] = ()
) -> tuple[FitQueue, ...]:
    """Return the queues of the set; if it has none, the live ones (`cluster_objects`), or else
    those of the profile."""
    from gpuspec.objects.collection import Collection

    cluster_collection = Collection()
    for object_value in cluster_objects:
        if text(object_value.get("apiVersion")).startswith(KUEUE):
            cluster_collection.add(Object(dict(object_value)))
    for candidate in (collection, cluster_collection):
        if fit_queues := tuple(_objects(candidate)):
            return (
                *fit_queues,
                *_members(candidate, frozenset(queue.owner for queue in fit_queues)),
            )
    return tuple(_profile(profile))


def quotas(
    profile: Profile,
    collection: Collection,
    cluster_objects: Iterable[Mapping[str, Any]],
    namespaces: Iterable[str],
) -> tuple[dict[str, Amounts], list[str]]:
    """Return, by namespace, the most that its pods may request together, and what else is
    limited there. The limits come from the profile, the set and the existing objects
    (`cluster_objects`). Quotas of limits, and of only some pods, are not counted; a note says so for
    those in `namespaces`."""
    notes: list[str] = []
    counted = frozenset(namespaces)
    limits: dict[str, Amounts] = {}
    for namespace in profile.spec.namespaces:
        if namespace.quota:
            limits[namespace.name] = {
                name: _scaled(name, amount) for name, amount in namespace.quota.items()
            }
    objects = [
        Object(dict(object_value))
        for object_value in cluster_objects
        if object_value.get("kind") == "ResourceQuota"
    ]
    quotas_by_name = {(obj.namespace, obj.name): obj for obj in objects}
    quotas_by_name |= {
        (obj.namespace or "default", obj.name): obj for obj in collection.of("", "ResourceQuota")
    }
    for obj in quotas_by_name.values():
        hard, where = obj.spec.get("hard"), obj.namespace or "default"
        rows = hard.items() if isinstance(hard, dict) else ()
        if obj.spec.get("scopes") or obj.spec.get("scopeSelector"):
            if where in counted:
                notes.append(
                    f"ResourceQuota {obj.name} applies only to some pods of {where}: not counted"
                )
            continue
        for key, amount_value in rows:
            name, amount = _requested(key), quantity(key, amount_value)
            if name and amount is not None:
                space = limits.setdefault(where, {})
                space[name] = min(amount, space.get(name, amount))
            elif where in counted and _is_other(str(key)):
                notes.append(f"ResourceQuota {obj.name} of {where} limits {key}: not counted")
    return limits, notes


def _profile(profile: Profile) -> Iterator[FitQueue]:
    from gpuspec.fleet.fit import FitQueue
    from gpuspec.fleet.lending import root

    spec = profile.spec
    for queue in spec.queues:
        cohort = None if queue.cohort is None else root(spec, queue.cohort)
        shares = tuple(_profile_shares(profile, queue)) or tuple(_unknown(profile))
        yield FitQueue(
            queue.name,
            frozenset(queue.namespaces),
            shares,
            cohort,
            queue.cluster,
            queue.preemption == "lower-priority",
        )
    for member in spec.cohorts:
        name, shares = f"cohort {member.name}", tuple(_profile_shares(profile, member))
        yield FitQueue(name, frozenset(), shares, root(spec, member.name), name)


def _profile_shares(profile: Profile, member: SpecQueue | Cohort) -> Iterator[QueueShare]:
    from gpuspec.fleet.fit import QueueShare
    from gpuspec.plan.quotas import share, usable
    from gpuspec.spec import Queue

    pools_by_name = {pool.name: pool for pool in profile.spec.pools}
    for part in member.pools:
        has, lends, _ = share(pools_by_name[part.pool], part)
        lent = usable(profile, member, part.pool)[1] if isinstance(member, Queue) else {}
        unlent = {name: max(0, has[name] - amount) for name, amount in (lends or {}).items()}
        yield QueueShare(part.pool, has, lent, unlent)


def _unknown(profile: Profile) -> Iterator[QueueShare]:
    """Yield an unlimited share for a queue whose quotas are unknown."""
    from gpuspec.fleet.fit import QueueShare
    from gpuspec.plan.quotas import quota

    for pool in profile.spec.pools:
        yield QueueShare(pool.name, dict.fromkeys(quota(pool, 1), _NO_BOUND), {})


def _objects(collection: Collection) -> Iterator[FitQueue]:
    """Yield LocalQueues that lead to a ClusterQueue of the set, with its flavors."""
    from gpuspec.fleet.fit import FitQueue
    from gpuspec.objects.queues import cluster_queue

    for local in collection.of(KUEUE, "LocalQueue"):
        obj = cluster_queue(collection, local.name, local)
        if obj is not None:
            shares = tuple(_shares(obj, collection))
            space = frozenset((local.namespace or "default",))
            rule = text(mapping(obj.spec.get("preemption")).get("withinClusterQueue"))
            preempts = rule.startswith("Lower")
            yield FitQueue(local.name, space, shares, _cohort(obj, collection), obj.name, preempts)


def _members(collection: Collection, queue_names: frozenset[str]) -> Iterator[FitQueue]:
    """Yield the other members of a cohort: ClusterQueues without a LocalQueue, and cohorts
    themselves."""
    from gpuspec.fleet.fit import FitQueue

    objects_by_name = {obj.name: obj for obj in collection.of(KUEUE, "ClusterQueue")}
    members = [(obj.name, obj) for name, obj in objects_by_name.items() if name not in queue_names]
    members += [(f"cohort {obj.name}", obj) for obj in collection.of(KUEUE, "Cohort")]
    for name, obj in members:
        shares = tuple(_shares(obj, collection))
        yield FitQueue(name, frozenset(), shares, _cohort(obj, collection), name)


def _cohort(obj: Object, collection: Collection) -> str | None:
    """Return the root cohort of a ClusterQueue or Cohort, whose members share quota."""
    from gpuspec.objects.queues import cohort

    parents = {
        cohort_object.name: text(cohort_object.spec.get("parentName"))
        or text(cohort_object.spec.get("parent"))
        for cohort_object in collection.of(KUEUE, "Cohort")
    }
    root, visited = obj.name if obj.kind == "Cohort" else cohort(obj), set[str]()
    while parents.get(root) and root not in visited:
        visited.add(root)
        root = parents[root]
    return root or None


def _shares(queue: Object, collection: Collection) -> Iterator[QueueShare]:
    """Yield one share for each flavor of the group that covers devices, with the first flavor of
    the other groups."""
    from gpuspec.fleet.fit import QueueShare
    from gpuspec.objects.queues import groups

    objects_by_name = {obj.name: obj for obj in collection.of(KUEUE, "ResourceFlavor")}
    flavor_groups = [[flavor for _, flavor in flavors] for _, _, flavors in groups(queue)]
    if not flavor_groups:
        return
    first = max(
        flavor_groups,
        key=lambda flavors: any("/" in name for flavor in flavors for name in _of(flavor)),
    )
    rest = [flavors[0] for flavors in flavor_groups if flavors is not first and flavors]
    for flavor in first:
        nominal: dict[str, int] = {}
        lent: dict[str, int] = {}
        unlent: dict[str, int] = {}
        for resource_flavor in (flavor, *rest):
            for name, row in _of(resource_flavor).items():
                nominal[name] = quantity(name, row.get("nominalQuota")) or 0
                limit = quantity(name, row.get("borrowingLimit"))
                lent[name] = _NO_BOUND if limit is None else limit
                lends = quantity(name, row.get("lendingLimit"))
                unlent[name] = 0 if lends is None else max(0, nominal[name] - lends)
        name = str(flavor.get("name"))
        labels = objects_by_name[name].spec.get("nodeLabels") if name in objects_by_name else None
        yield QueueShare(
            name, nominal, lent, unlent, dict(labels) if isinstance(labels, dict) else {}
        )


def _of(flavor: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the quotas of a flavor, by resource."""
    rows = flavor.get("resources")
    row_list = rows if isinstance(rows, list) else []
    return {str(row["name"]): row for row in row_list if isinstance(row, dict) and "name" in row}


def _requested(key: object) -> str | None:
    """Return the resource whose requests a quota limits; None if it limits anything else."""
    if not isinstance(key, str):
        return None
    if key in ("cpu", "memory", "ephemeral-storage", "pods"):
        return key
    if key == "count/pods":
        return "pods"
    if key.endswith(_CLASS):
        device_class = key.removesuffix(_CLASS)
        drivers = (
            claim_driver
            for claim_driver in hardware.claim_drivers().values()
            if claim_driver.whole == device_class
        )
        return next((driver.extended for driver in drivers if driver.extended), None)
    return key.removeprefix("requests.") if key.startswith("requests.") else None


def _is_other(key: str) -> bool:
    """Return whether a limit that is not counted could keep pods waiting."""
    return key.startswith("limits.") or key.endswith(_CLASS)


def quantity(name: object, value: object) -> int | None:
    """Return an amount in the units of `Node.allocatable`; None for an invalid quantity."""
    from gpuspec.manifests import Quantity

    if not isinstance(name, str) or not isinstance(value, str | int | float):
        return None
    try:
        return _scaled(name.removeprefix("requests."), Quantity.parse(value))
    except ValueError:
        return None


def _scaled(name: str, amount: Any) -> int:
    """Convert an amount to the units of `Node.allocatable`."""
    scaled_amount: int = amount.milli_value if name == "cpu" else amount.int_value
    return scaled_amount
