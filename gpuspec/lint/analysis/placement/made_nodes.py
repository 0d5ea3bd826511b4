"""The nodes that Karpenter's NodePools of a set create for a pod: the pools that it is bound to,
the instance types, and why a pool creates none.

Sources: sigs.k8s.io/karpenter v1.14.1 pkg/scheduling/requirements.go (`Compatible`: a label that is
not well-known and that a pool does not define is met by none of its nodes),
pkg/scheduling/taints.go, pkg/controllers/provisioning/scheduling/{nodeclaim,scheduler}.go
(resources of each instance type; limits against the capacity of whole machines).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec import hardware
from gpuspec.lint.analysis.placement.instances import fitting, labels_of
from gpuspec.lint.analysis.placement.node_disks import NodeDisk, node_disk
from gpuspec.lint.analysis.placement.node_pools import (
    given,
    is_simulated,
    requirements_of,
    template,
)
from gpuspec.lint.analysis.placement.placing import (
    flavor_tolerations,
    in_all,
    queued,
    requirements,
)
from gpuspec.lint.context import kept_in_run
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.amounts import CPU, MEMORY, all_amounts
from gpuspec.objects.containers import quantity
from gpuspec.objects.scheduling import admitted, has_all_tolerations, is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from gpuspec.fleet.match import Requirement
    from gpuspec.hardware import Instance
    from gpuspec.lint.context import Context
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.spec import Taint

GROUP, KIND = "karpenter.sh", "NodePool"
DISK = "ephemeral-storage"
EFA = "vpc.amazonaws.com/efa"
_NAME = "karpenter.sh/nodepool"
_CLASSES = ("karpenter.k8s.aws", "eks.amazonaws.com")
"""Groups of the node classes on EC2, whose well-known labels are known."""
_WELL_KNOWN = ("kubernetes.io", "k8s.io", "karpenter.sh", "k8s.aws", "eks.amazonaws.com")
_KEEPS_OFF = ("NoSchedule", "NoExecute")
_MIB = 1 << 20
_MEMORY_PART = 900
"""The part of a machine's memory that counts, in thousandths."""


class PoolBinding(msgspec.Struct, frozen=True):
    """The NodePools of the set that a pod selects by a label."""

    pools: tuple[Object, ...]
    requirement: Requirement
    by_name: bool
    """Whether the label is the pool's name, which no other node has."""


class PoolRejection(msgspec.Struct, frozen=True):
    """Why a NodePool creates no node for a pod."""

    pool: Object
    why: Literal["label", "taint", "machines", "resource", "disk"]
    requirement: Requirement | None = None
    """The pod's requirement that no node of the pool meets."""
    taints: tuple[Taint, ...] = ()
    resource: str = ""
    """The resource of which no instance type has as much as the pod requests."""
    instances: tuple[Instance, ...] = ()
    """Instance types that the pool and the pod allow, before resources are considered."""
    most: int = 0
    """The largest amount of the resource among them."""
    disk: NodeDisk | None = None
    """The disk of its nodes, if it is smaller than the pod requests."""

    @property
    def is_written(self) -> bool:
        """Whether the reason is in the NodePool itself, without a table of machines or labels."""
        return self.why in ("taint", "disk") or (
            self.requirement is not None and self.requirement.key in given(self.pool)
        )


class LimitBound(msgspec.Struct, frozen=True):
    """The largest number of pods within the limits of a NodePool."""

    pods: int
    resource: str
    """The resource whose limit is reached first."""
    nodes: int = 0
    machine: str = ""
    """The instance type of these nodes, if there is only one."""


@kept_in_run
def binding(pod: Pod, context: Context) -> PoolBinding | None:
    """Return the NodePools of the set that a pod is bound to. None without such a label, if other
    nodes may have it too, and if a part of the pod is defined elsewhere."""
    pools = context.collection.of(GROUP, KIND)
    if not pools or not is_whole(pod) or pod.spec.get("nodeName"):
        return None
    for requirement in in_all(pod):
        if requirement.operator != "In" or not requirement.values:
            continue
        if requirement.key == _NAME:
            pools_by_name = [
                context.collection.named(GROUP, KIND, value) for value in requirement.values
            ]
            selected = tuple(pool for pool in pools_by_name if pool is not None)
            if len(selected) == len(pools_by_name) and not any(map(is_simulated, selected)):
                return PoolBinding(selected, requirement, by_name=True)
        elif hardware.label_domain(requirement.key) is None:
            selected = tuple(pool for pool in pools if _gives(pool, requirement))
            if selected and not any(map(is_simulated, selected)):
                return PoolBinding(selected, requirement, by_name=False)
    return None


@kept_in_run
def rejections(pod: Pod, context: Context) -> dict[int, PoolRejection]:
    """Return why NodePools that a pod is bound to create no node for it, by the pool's number,
    without those that may create one."""
    bound = binding(pod, context)
    results = (_rejection(pool, pod, context) for pool in bound.pools) if bound else ()
    return {result.pool.number: result for result in results if result is not None}


def machines(pool: Object, pod: Pod) -> tuple[Instance, ...] | None:
    """Return the instance types that both a pool and a pod allow; None if unknown."""
    ways = [fitting([*requirements_of(pool), *_others(way)]) for way in requirements(pod)]
    if not ways or any(way is None for way in ways):
        return None
    allowed = (instance for way in ways if way is not None for instance in way.instances)
    return tuple(dict.fromkeys(allowed))


def capacity(instance: Instance, resource: str) -> int | None:
    """Return the amount of a resource that Karpenter counts for a machine; None if unknown."""
    match resource:
        case "cpu":
            return instance.cpu
        case "memory":
            return instance.memory * _MIB
        case "nodes":
            return 1
    if resource == EFA:
        return instance.efa
    device = hardware.resource(resource)
    if device is None:
        return None
    if device.vendor != instance.maker:
        return 0
    return instance.gpus if resource == f"{instance.maker}.com/gpu" else None


def is_added(resource: str, collection: Collection) -> bool:
    """Return whether a NodeOverlay of the set gives machines a resource that they lack."""
    overlays = collection.of(GROUP, "NodeOverlay")
    return any(resource in mapping(overlay.spec.get("capacity")) for overlay in overlays)


def is_shared(resource: str, collection: Collection) -> bool:
    """Return whether the device plugin advertises several units of a resource for each device."""
    from gpuspec.lint.analysis.sharing.sharing import plugin_configs

    return any(resource in config.replicas for config in plugin_configs(collection))


def is_on_ec2(pool: Object) -> bool:
    """Return whether a pool's node class is one of EC2."""
    return _group(pool) in _CLASSES


def limits_of(pool: Object) -> dict[str, Fraction]:
    """Return the limits of a pool that are quantities."""
    amounts = mapping(pool.spec.get("limits")).items()
    quantities = ((text(name), quantity(amount)) for name, amount in amounts)
    return {name: amount.value for name, amount in quantities if amount is not None}


def slots(instance: Instance, pod: Pod) -> int | None:
    """Return the largest number of such pods on a machine; None if no requested resource is
    known."""
    fits = [
        have // amount
        for resource, amount in all_amounts(pod).items()
        if (have := capacity(instance, resource)) is not None
    ]
    return min(fits, default=None)


def bound_by_amounts(pod: Pod, pool: Object) -> LimitBound | None:
    """Return the number of pods within the limits by their requests; None if no limit applies."""
    limits, requested = limits_of(pool), all_amounts(pod)
    bounds = [
        LimitBound(limits[resource] // amount, resource)
        for resource, amount in requested.items()
        if resource in limits
    ]
    return min(bounds, key=lambda bound: bound.pods, default=None)


def bound_by_machines(pod: Pod, pool: Object, context: Context) -> LimitBound | None:
    """Return the number of pods within the limits by whole machines, which is how limits count;
    None if unknown."""
    limits = limits_of(pool)
    requested = all_amounts(pod)
    if any(is_added(resource, context.collection) for resource in requested) or any(
        is_shared(resource, context.collection) for resource in requested
    ):
        return None
    usable = [
        (instance, space)
        for instance in machines(pool, pod) or ()
        if is_within(instance, limits) and (space := slots(instance, pod))
    ]
    bounds = [
        bound
        for resource, limit in limits.items()
        if (bound := _bound(resource, limit, usable)) is not None
    ]
    return min(bounds, key=lambda bound: bound.pods, default=None)


def is_within(instance: Instance, limits: Mapping[str, Fraction]) -> bool:
    """Return whether a pool with these limits can have one such machine."""
    return all((_counted(instance, resource) or 0) <= limit for resource, limit in limits.items())


def _bound(resource: str, limit: Fraction, usable: list[tuple[Instance, int]]) -> LimitBound | None:
    counted = [(_counted(instance, resource), space, instance) for instance, space in usable]
    some = [(have, space, instance) for have, space, instance in counted if have]
    if not some or len(some) < len(counted):
        return None
    if len(some) == 1:
        (have, space, instance) = some[0]
        nodes = limit // have
        return LimitBound(nodes * space, resource, nodes, instance.name)
    nodes = limit // min(have for have, _, _ in some)
    return LimitBound(max(limit * space // have for have, space, _ in some), resource, nodes)


def _counted(instance: Instance, resource: str) -> Fraction | int | None:
    """Return the least amount that one machine counts against a limit."""
    have = capacity(instance, resource)
    # Karpenter's provider for AWS takes 7.5 % off what EC2 calls its memory, by default.
    return have * _MEMORY_PART // 1000 if have is not None and resource == MEMORY else have


def _rejection(pool: Object, pod: Pod, context: Context) -> PoolRejection | None:
    failed = [_failed(pool, way) for way in requirements(pod)]
    if failed and all(failed):
        return PoolRejection(pool, "label", failed[0])
    taints = _untolerated(pool, pod, context)
    if taints:
        return PoolRejection(pool, "taint", taints=taints)
    disk = node_disk(pool, context.collection)
    if disk is not None and all_amounts(pod).get(DISK, 0) > disk.size:
        return PoolRejection(pool, "disk", disk=disk)
    alone = fitting(requirements_of(pool))
    allowed = machines(pool, pod)
    if allowed is None or (alone is not None and not alone.instances):
        return None  # not known, or another rule says that the pool makes no node at all
    if not allowed:
        return PoolRejection(pool, "machines", _first_without(pool, pod))
    return _too_small(pool, pod, allowed, context.collection)


def _too_small(
    pool: Object, pod: Pod, allowed: tuple[Instance, ...], collection: Collection
) -> PoolRejection | None:
    """Return the resource that excludes all machines, or the last of them."""
    remaining = allowed
    requested = all_amounts(pod)
    # Devices first: they say most of what a pod needs.
    for resource in sorted(requested, key=lambda name: (name in (CPU, MEMORY), name)):
        if is_added(resource, collection) or is_shared(resource, collection):
            continue
        having = [(instance, capacity(instance, resource)) for instance in remaining]
        enough = tuple(
            instance
            for instance, have in having
            if have is None
            or have >= requested[resource]
            or _is_part_of_auto(instance, resource, pool)
        )
        if not enough:
            most = max(have for _, have in having if have is not None)
            return PoolRejection(pool, "resource", None, (), resource, remaining, most)
        remaining = enough
    return None


def _is_part_of_auto(instance: Instance, resource: str, pool: Object) -> bool:
    """Return whether a machine has a part of a GPU, which EKS Auto Mode counts in an unknown
    way."""
    auto = _group(pool) == _CLASSES[1]
    return auto and not instance.gpus and resource == f"{instance.maker}.com/gpu"


def _untolerated(pool: Object, pod: Pod, context: Context) -> tuple[Taint, ...]:
    from gpuspec.fleet.match import untolerated
    from gpuspec.spec import Taint

    if not has_all_tolerations(pod):
        return ()
    tolerations = admitted(pod, context.provider or ("eks" if is_on_ec2(pool) else None))
    if queued(pod):
        tolerations = [*tolerations, *flavor_tolerations(context)]
    rows = map(mapping, items(template(pool).get("taints")))
    taints = [
        Taint(key=text(row.get("key")), value=text(row.get("value")), effect=row["effect"])
        for row in rows
        if row.get("effect") in _KEEPS_OFF and text(row.get("key"))
    ]
    return tuple(untolerated(tolerations, taints))


def _failed(pool: Object, way: Iterable[Requirement]) -> Requirement | None:
    """Return the first condition that no node of a pool meets, apart from those on machines."""
    labels = given(pool) | {_NAME: frozenset((pool.name,))}
    defined = {requirement.key for requirement in requirements_of(pool)}
    return next(
        (requirement for requirement in way if not _can_meet(requirement, labels, defined, pool)),
        None,
    )


def _can_meet(
    requirement: Requirement, labels: Mapping[str, frozenset[str]], defined: set[str], pool: Object
) -> bool:
    from gpuspec.fleet.labels import PossibleLabels

    if requirement.key in labels:
        values = tuple(labels[requirement.key])
        return requirement.allows(PossibleLabels({requirement.key: values}))
    if requirement.key in defined or _is_well_known(requirement.key) or not is_on_ec2(pool):
        return True
    return requirement.operator not in ("In", "Exists", "Gt", "Lt")


def _first_without(pool: Object, pod: Pod) -> Requirement | None:
    """Return the first of a pod's conditions on machines that none of a pool's meets."""
    ways = requirements(pod)
    for requirement in ways[0] if ways else ():
        fits = fitting([*requirements_of(pool), requirement])
        if fits is not None and not fits.instances:
            return requirement
    return None


def _others(way: Iterable[Requirement]) -> list[Requirement]:
    """Return the conditions on labels that do not follow from the machine."""
    return [requirement for requirement in way if requirement.key in _of_machines()]


@cache
def _of_machines() -> frozenset[str]:
    """Return the labels that follow from the machine."""
    return frozenset(
        key
        for instances in hardware.instances().values()
        for instance in instances[:1]
        for key in labels_of(instance)
    )


def _gives(pool: Object, requirement: Requirement) -> bool:
    return not given(pool).get(requirement.key, frozenset()).isdisjoint(requirement.values)


def _group(pool: Object) -> str:
    return text(mapping(template(pool).get("nodeClassRef")).get("group"))


def _is_well_known(key: str) -> bool:
    domain = key.rpartition("/")[0]
    return any(domain == owner or domain.endswith(f".{owner}") for owner in _WELL_KNOWN)
