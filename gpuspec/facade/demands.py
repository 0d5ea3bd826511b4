"""What manifests and specs ask a fleet for, one demand for each kind of pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.fleet.fit import Demand, Near
    from gpuspec.fleet.scheduler import Priority
    from gpuspec.lint.collection import Collection
    from gpuspec.lint.engine import Feed
    from gpuspec.lint.objects import Object
    from gpuspec.lint.pods import Pod
    from gpuspec.lint.units import Unit
    from gpuspec.manifests import Place
    from gpuspec.spec import Profile

_PLACED_BY = ("", "default-scheduler")
_REQUIRED = "kueue.x-k8s.io/podset-required-topology"
_PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
_NO_COUNT = "nothing bounds how many pods there are"
_PARTS = "another object, a runtime or a template, has a part of its pods"


def demands(feed: Feed, profile: Profile) -> tuple[list[Demand], Collection]:
    """The demands of a feed, in the order they were read, and the objects without pods."""
    from gpuspec.lint.collection import Collection

    collection = Collection()
    for unit in feed.plain():
        collection.add(unit.object)
    known = _priorities(profile, collection)
    found: list[Demand] = []
    for number, unit in enumerate(feed.podded()):
        found += _of(unit, number, collection, known, profile)
    return found, collection


def _of(
    unit: Unit,
    number: int,
    collection: Collection,
    priorities: Mapping[str, Priority],
    profile: Profile,
) -> Iterator[Demand]:
    from gpuspec.fleet.fit import Demand
    from gpuspec.fleet.scheduler import shape_of
    from gpuspec.lint.gangs import gang_of
    from gpuspec.lint.placing import is_whole, scheduling
    from gpuspec.lint.queues import queue_of
    from gpuspec.lint.scale import Scale, scale_of

    one = unit.object
    gang = gang_of(one)
    together = () if gang is None else gang.pods
    queue = queue_of(one)
    name = one.name or one.metadata.get("generateName") or "?"
    start, _ = unit.where.span(one.path("kind"))
    for pod in one.pods:
        if pod.role.name == "patch":
            continue
        scale = scale_of(pod, collection)
        unknown = scale if isinstance(scale, str) else None
        least = most = 0
        note: str | None = None
        if isinstance(scale, Scale):
            least, most = scale.least, scale.least if scale.most is None else scale.most
            if scale.most is None:
                note = f"{_NO_COUNT}: the {least} that there are at least count"
            elif scale.by and most != least:
                note = f"{scale.by} makes {least} to {most}"
        scheduler = pod.spec.get("schedulerName") or ""
        if unknown is None and not is_whole(pod):
            unknown = _PARTS
        elif unknown is None and scheduler not in (*_PLACED_BY, profile.spec.scheduler):
            unknown = f"scheduler {scheduler} places it"
        space = one.namespace or "default"
        yield Demand(
            name=name,
            namespace=space,
            kind=one.kind,
            role=pod.role.name,
            place=start,
            shape=shape_of(
                {**pod.spec, **scheduling(pod)},
                labels=pod.labels,
                namespace=space,
                priorities=priorities,
            ),
            least=least,
            most=most,
            devices=pod.gpus,
            unit=number if pod in together else None,
            groups=max(1, pod.role.groups or 1) if pod in together else 1,
            queue=queue.queue if queue else None,
            near=_near(pod),
            places=tuple(_places(pod, unit)),
            unknown=unknown,
            invalid=tuple(_invalid(pod)),
            note=note,
        )


def _near(pod: Pod) -> Near | None:
    """The level that its queue keeps its pods together in."""
    from gpuspec.fleet.fit import Near

    for key, required in ((_REQUIRED, True), (_PREFERRED, False)):
        label = pod.annotations.get(key)
        if isinstance(label, str) and label:
            return Near(label, required)
    return None


def _places(pod: Pod, unit: Unit) -> Iterator[tuple[str, Place]]:
    """Where each resource is asked for: by the container that asks for devices, else by the first."""
    seen: set[str] = set()
    for one in (*pod.gpu_containers, *pod.containers):
        for field, amounts in (("requests", one.requests), ("limits", one.limits)):
            for resource in amounts:
                if isinstance(resource, str) and resource not in seen:
                    seen.add(resource)
                    place, _ = unit.where.span(one.path(one.resources_at, field, resource))
                    yield resource, place


def _invalid(pod: Pod) -> Iterator[str]:
    """Amounts that the API server refuses: a sum with them would be wrong."""
    from gpuspec.lint.containers import quantity

    for one in pod.every:
        for field, amounts in (("requests", one.requests), ("limits", one.limits)):
            for resource, written in amounts.items():
                found = quantity(written)
                if found is None or found.value < 0:
                    where = f"{one.name or 'a container'}: {field}.{resource}"
                    yield f"the API server refuses it: {where} is `{written}`"


def _priorities(profile: Profile, collection: Collection) -> dict[str, Priority]:
    """PriorityClasses by name: those of the profile, and those of the set."""
    from gpuspec.cluster.platform.priorities import priority_objects

    return dict(_classes((*priority_objects(profile), *_values(collection))))


def _values(collection: Collection) -> Iterable[dict[str, object]]:
    found: list[Object] = list(collection.of("scheduling.k8s.io", "PriorityClass"))
    return (one.value for one in found)


def _classes(objects: Iterable[dict[str, object]]) -> Iterator[tuple[str, Priority]]:
    from gpuspec.fleet.scheduler import Priority

    for one in objects:
        metadata, value = one.get("metadata"), one.get("value")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if isinstance(value, int) and isinstance(name, str):
            priority = Priority(value, one.get("preemptionPolicy") != "Never")
            yield name, priority
            if one.get("globalDefault") is True:
                yield "", priority
