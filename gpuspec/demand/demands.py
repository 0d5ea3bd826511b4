"""The demands of manifests and specs on a fleet, one for each pod template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from fractions import Fraction

    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.fit import PodDemand, TopologyLimit
    from gpuspec.fleet.scheduler.cluster_context import ClusterContext
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.loading.units import Feed, Unit
    from gpuspec.manifests import Path, Place
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Pod
    from gpuspec.spec import Profile

_PLACED_BY = ("", "default-scheduler")
_REQUIRED = "kueue.x-k8s.io/podset-required-topology"
_PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
_MOST_PODS = 200_000
"""The most pods of one template; Kubernetes supports 150,000 in a cluster."""
_JOB_NAME = "batch.kubernetes.io/job-name"
"""The label that the Job controller adds to its pods."""
_NO_COUNT = "the number of pods has no limit"
_ELSEWHERE = (
    "it requests no GPU: it may run on nodes without GPUs, which the profile does not describe"
)
_PARTS = "another object, a runtime or a template, defines a part of its pods"


def demands(
    loader: Feed,
    profile: Profile,
    cluster_objects: Iterable[Mapping[str, Any]] | None = None,
    devices: ClusterDevices | None = None,
) -> tuple[list[PodDemand], Collection, ClusterContext]:
    """Return the demands of a loader in reading order, the objects without pods, and the classes,
    claims and namespaces in these and in the live objects (`cluster_objects`; None without a
    cluster). `devices` are the nodes' devices for claims."""
    from msgspec.structs import replace

    from gpuspec.cluster.platform.priorities import priority_objects
    from gpuspec.demand.admitted import queue_priority
    from gpuspec.demand.hami import under_hami
    from gpuspec.fleet.scheduler.cluster_context import beside_of
    from gpuspec.loading.sets import Sets
    from gpuspec.objects.hami import SCHEDULER as HAMI_SCHEDULER

    sets = Sets(loader)
    collection = sets.all
    values = (obj.value for group, kind in collection.kinds for obj in collection.of(group, kind))
    # Slices have been read already, where the fleet's devices were.
    before = (
        object_value
        for object_value in cluster_objects or ()
        if devices is None or object_value.get("kind") != "ResourceSlice"
    )
    beside = beside_of((*priority_objects(profile), *before, *values))
    if devices is not None:
        devices.learn(beside.resource_claims.classes)
        beside = replace(beside, devices=devices)
    live = cluster_objects is not None
    placed_by = {*_PLACED_BY, profile.spec.scheduler} | (set() if live else {HAMI_SCHEDULER})
    pod_demands: list[PodDemand] = []
    places: dict[tuple[str, str, str, str], Place] = {}
    for number, unit in enumerate(loader.podded()):
        obj = unit.object
        start, _ = unit.where.span(obj.path("kind"))
        object_notes: tuple[str, ...] = ()
        if obj.name:
            first = places.setdefault((obj.group, obj.kind, obj.namespace, obj.name), start)
            if first is not start:
                object_notes = (f"it is defined at {first} too: both are counted",)
        for demand, pod in _of(
            unit, number, sets.beside(unit), beside, profile, start, object_notes
        ):
            scheduler = pod.spec.get("schedulerName") or ""
            if demand.unknown is None and scheduler not in placed_by:
                demand = replace(demand, unknown=f"scheduler {scheduler} places it")
            if demand.queue:
                priority = queue_priority(obj, profile, collection, cluster_objects or ())
                demand = replace(demand, queue_priority=priority)
            if not live:
                demand = under_hami(demand, pod, profile)
            judged = demand.unknown is None and demand.a_card is None
            if not live and judged and _runs_elsewhere(pod, demand.shape, profile):
                demand = replace(demand, unknown=_ELSEWHERE, elsewhere=True)
            untold = tuple(_untold(pod, demand.shape, beside)) if live else ()
            pod_demands.append(
                replace(demand, notes=(*demand.notes, *untold)) if untold else demand
            )
    return pod_demands, collection, beside


def _of(
    unit: Unit,
    number: int,
    collection: Collection,
    beside: ClusterContext,
    profile: Profile,
    start: Place,
    object_notes: tuple[str, ...],
) -> Iterator[tuple[PodDemand, Pod]]:
    from gpuspec.demand.admission import added_to, refused_by, told_of
    from gpuspec.fleet.claims.counting import gpus_of
    from gpuspec.fleet.fit import PodDemand
    from gpuspec.kinds.scale import Scale
    from gpuspec.objects.gangs import gang_of, ranks, slice_gang
    from gpuspec.objects.queues import queue_of
    from gpuspec.objects.runtimes import completed
    from gpuspec.objects.scale import counts_alone, scale_of
    from gpuspec.objects.scheduling import asks_alone

    written_object = unit.object
    obj = completed(written_object, collection)
    gang = gang_of(obj) or slice_gang(obj)
    together = () if gang is None else gang.pods
    queue = queue_of(written_object)
    name = written_object.name or written_object.metadata.get("generateName") or "?"
    space = written_object.namespace or "default"
    for pod in obj.pods:
        if pod.role.overlay:
            continue
        scale = scale_of(pod, collection)
        unknown = scale if isinstance(scale, str) else None
        least = most = 0
        notes = list(object_notes)
        if isinstance(scale, Scale):
            least, most = scale.least, scale.least if scale.most is None else scale.most
            if scale.most is None:
                notes.append(f"{_NO_COUNT}: the minimum of {least} counts")
            elif scale.by and most != least:
                notes.append(f"{scale.by} scales it from {least} to {most}")
        added = added_to(pod, collection)
        spec = _spec(pod, profile.spec.provider, added)
        shape = beside.shape(spec, _labels(pod, name), space)
        notes += _assumed(shape, pod, beside)
        notes += told_of(added)
        barred, likely = refused_by(profile, pod)
        notes += likely
        alone = counts_alone(pod, collection)
        # What an autoscaler adds one by one waits for nobody.
        is_gang = pod in together and not (alone and least != most)
        if unknown is None and shape.unknown_devices and beside.devices is not None:
            unknown = shape.unknown_devices
        if unknown is None and not asks_alone(pod):
            unknown = _PARTS
        pod_demand = PodDemand(
            name=name,
            namespace=space,
            kind=written_object.kind,
            role=pod.role.name,
            place=start,
            shape=shape,
            least=least,
            most=most,
            devices=pod.gpus + gpus_of(shape),
            unit=number if is_gang else None,
            groups=_groups(pod, most, alone=alone) if is_gang and not ranks(pod) else 1,
            queue=queue.queue if queue else None,
            near=_near(pod),
            places=tuple(_places(pod, unit)) if obj is written_object else (),
            unknown=unknown,
            invalid=(*_invalid(pod), *_beyond(most), *barred),
            notes=tuple(notes),
        )
        yield pod_demand, pod


def _groups(pod: Pod, pods: int, *, alone: bool) -> int:
    """Return the number of groups that so many pods of a gang form."""
    count = pod.role.count
    return max(1, pods // count if count and not alone else pod.role.groups or 1)


def _runs_elsewhere(pod: Pod, shape: Shape, profile: Profile) -> bool:
    """Return whether a pod without GPUs has no label or toleration that binds it to GPU nodes.

    Profiles describe only GPU nodes; a driver or a data loader runs on other nodes, if there are
    any.
    """
    from gpuspec.fleet.match import alternatives
    from gpuspec.fleet.pins import in_every, pins
    from gpuspec.fleet.scheduler.filters.taint_toleration import EFFECTS
    from gpuspec.fleet.scheduler.tolerations import untolerated
    from gpuspec.objects.scheduling import scheduling

    pools = profile.spec.pools
    if pod.gpus or pod.claims or not pools:
        return False
    pool_labels = {label for pool in pools for label in pool.labels.items()}
    if pins(in_every(alternatives(scheduling(pod))), pool_labels):
        return False
    return not any(
        any(taint.effect in EFFECTS for taint in pool.taints)
        and untolerated(shape.tolerations, pool.taints, EFFECTS) is None
        for pool in pools
    )


def _beyond(pods: int) -> Iterator[str]:
    """Yield notes on demands with more pods than `fit` can place."""
    if pods > _MOST_PODS:
        yield f"{pods:,} pods are more than any cluster runs: the limit is {_MOST_PODS:,}"


def _assumed(shape: Shape, pod: Pod, beside: ClusterContext) -> Iterator[str]:
    """Yield the assumptions about a pod that neither its object nor the set confirms."""
    from gpuspec.fleet.scheduler.shape import BUILT_IN

    if shape.node_name:
        yield f"its `nodeName` is {shape.node_name}: kube-scheduler ignores it"
    if shape.gates:
        yield f"it waits until its scheduling gates are removed: {', '.join(shape.gates)}"
    if shape.unknown_devices and beside.devices is None:
        yield f"{shape.unknown_devices}: they are not counted"
    name = pod.spec.get("priorityClassName")
    classes = beside.priorities
    if isinstance(name, str) and name and name not in classes and name not in BUILT_IN:
        yield f"its PriorityClass {name} is unknown: its priority counts as {shape.priority}"


def _untold(pod: Pod, shape: Shape, beside: ClusterContext) -> Iterator[str]:
    """Yield facts about a pod that only a dump of a cluster contains."""
    name = pod.spec.get("runtimeClassName")
    if isinstance(name, str) and name and name not in beside.overheads:
        yield f"its RuntimeClass {name} is unknown: it is assumed to add nothing"
    for name in beside.unknown(shape):
        yield f"claim {name} is unknown: every node is assumed to reach its volume"


def _labels(pod: Pod, name: str) -> dict[str, str]:
    """Return the labels of a running pod: those of its template, and the one that its controller
    adds."""
    obj = pod.object
    added = _JOB_NAME if obj.is_a("batch", "Job") else obj.traits.pod_label
    return {**pod.labels, **({added: name} if added else {})}


def _spec(pod: Pod, provider: str, added: dict[str, object] | None) -> dict[str, object]:
    """Return the pod's spec as the scheduler sees it: with the containers and device claims that
    its kind keeps elsewhere, an added init container, and the tolerations that the provider's
    admission adds."""
    from gpuspec.manifests.values import items
    from gpuspec.objects.scheduling import admitted, scheduling

    spec = {**pod.spec, **scheduling(pod)}
    if pod.claims:
        spec["resourceClaims"] = pod.claims
    if tolerations := admitted(pod, provider):
        spec["tolerations"] = tolerations
    containers = pod.spec.get("containers")
    container_ids = (
        {id(container) for container in containers} if isinstance(containers, list) else set[int]()
    )
    apart = [
        {**container.value, "resources": container.resources}
        for container in pod.containers
        if id(container.value) not in container_ids
    ]
    if apart:
        spec["containers"] = [*(containers or ()), *apart]
    if added is not None:
        spec["initContainers"] = [*items(pod.spec.get("initContainers")), added]
    return spec


def _near(pod: Pod) -> TopologyLimit | None:
    """Return the topology level in which a pod's queue keeps its pods together."""
    from gpuspec.fleet.fit import TopologyLimit

    for key, required in ((_REQUIRED, True), (_PREFERRED, False)):
        label = pod.annotations.get(key)
        if isinstance(label, str) and label:
            return TopologyLimit(label, required)
    return None


def _places(pod: Pod, unit: Unit) -> Iterator[tuple[str, Place]]:
    """Yield the place of each resource's request: that of the container with the largest one.

    Of equal ones, the first container with devices counts.
    """
    from gpuspec.objects.containers import quantity

    largest: dict[str, tuple[Fraction, Path]] = {}
    for gpu_container in (*pod.gpu_containers, *pod.every):
        for field, amounts in (
            ("limits", gpu_container.limits),
            ("requests", gpu_container.requests),
        ):
            for resource, value in amounts.items():
                if field == "limits" and resource in gpu_container.requests:
                    continue
                amount = quantity(value)
                if amount is None or not isinstance(resource, str):
                    continue
                if resource not in largest or largest[resource][0] < amount.value:
                    path = gpu_container.path(gpu_container.resources_at, field, resource)
                    largest[resource] = amount.value, path
    for resource, (_, path) in largest.items():
        place, _ = unit.where.span(path)
        yield resource, place


def _invalid(pod: Pod) -> Iterator[str]:
    """Yield amounts that the API server rejects, because a sum with them would be wrong.

    If other objects add to the pod, only amounts that are wrong in any case are reported.
    """
    from gpuspec.objects.containers import quantity
    from gpuspec.objects.scheduling import is_whole

    for container in pod.every:
        who = container.name or "a container"
        for field, amounts in (("requests", container.requests), ("limits", container.limits)):
            for resource, value in amounts.items():
                amount = quantity(value)
                if amount is None or amount.value < 0:
                    yield f"the API server rejects it: {who}: {field}.{resource} is `{value}`"
                elif "/" in str(resource) and amount.value % 1:
                    text = f"{who}: {field}.{resource} is `{value}`, which is not a whole number"
                    yield f"the API server rejects it: {text}"
        for resource, value in container.requests.items() if is_whole(pod) else ():
            requested, most = quantity(value), quantity(container.limits.get(resource))
            if requested is None or "/" not in str(resource):
                continue
            if most is None and resource not in container.limits:
                text = f"{who}: requests.{resource} needs an equal limit, but has none"
                yield f"the API server rejects it: {text}"
            elif most is not None and most.value != requested.value:
                text = (
                    f"{who}: requests.{resource} is `{value}`, but its limit is "
                    f"`{container.limits[resource]}`"
                )
                yield f"the API server rejects it: {text}"
