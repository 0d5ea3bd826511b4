"""Kueue's Workloads in a dump: those with quota, and those that wait for it.

Source: Kueue 0.19, the API of Workloads: `spec` and `status.admission` of both versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.demand.queueing import quantity
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.queues import KUEUE
from gpuspec.objects.references import labels_at
from gpuspec.plan.queueing import PRIORITY_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.fleet.fit import Entry
    from gpuspec.fleet.fleets import Owner
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.spec import Profile


def entries(
    cluster_objects: Iterable[Mapping[str, Any]], owners: frozenset[Owner]
) -> Iterator[Entry]:
    """Yield the unfinished Workloads, without those of `owners`, which new ones replace."""
    from gpuspec.fleet.fit import Entry

    for object_value in cluster_objects:
        if object_value.get("kind") != "Workload" or not text(
            object_value.get("apiVersion")
        ).startswith(KUEUE):
            continue
        metadata, spec = mapping(object_value.get("metadata")), mapping(object_value.get("spec"))
        space = text(metadata.get("namespace")) or "default"
        of = [mapping(owner) for owner in items(metadata.get("ownerReferences"))]
        names = {(space, text(owner.get("kind")), text(owner.get("name"))) for owner in of}
        conditions = {
            text(mapping(condition).get("type")): mapping(condition).get("status") == "True"
            for condition in items(at(object_value, ("status", "conditions")))
        }
        if conditions.get("Finished") or spec.get("active") is False or names & owners:
            continue
        priority = spec.get("priority")
        yield Entry(
            name=next((name for _, _, name in sorted(names)), text(metadata.get("name"))),
            namespace=space,
            queue=text(spec.get("queueName")),
            priority=priority if isinstance(priority, int) else 0,
            made=text(metadata.get("creationTimestamp")),
            usage=_usage(object_value) if conditions.get("QuotaReserved") else None,
            owner=text(at(object_value, ("status", "admission", "clusterQueue"))),
        )


def queue_priority(
    obj: Object,
    profile: Profile,
    collection: Collection,
    cluster_objects: Iterable[Mapping[str, Any]],
) -> int | None:
    """Return the value of the WorkloadPriorityClass that an object names: from the set, the cluster
    or the profile. None if the priority of its pods counts."""
    name = mapping(at(obj.value, labels_at(obj))).get(PRIORITY_LABEL)
    if not isinstance(name, str):
        return None
    kind = "WorkloadPriorityClass"
    classes = [*(priority_class.value for priority_class in collection.of(KUEUE, kind))]
    classes += [
        dict(object_value) for object_value in cluster_objects if object_value.get("kind") == kind
    ]
    values = (class_.get("value") for class_ in classes if at(class_, ("metadata", "name")) == name)
    value = next(values, profile.spec.priorities.queued.get(name))
    return value if isinstance(value, int) else None


def _usage(workload: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the used amount of each resource, by flavor."""
    usage: dict[str, dict[str, int]] = {}
    for row in items(at(workload, ("status", "admission", "podSetAssignments"))):
        flavors, amounts = mapping(mapping(row).get("flavors")), mapping(row).get("resourceUsage")
        for name, amount_value in mapping(amounts).items():
            amount = quantity(name, amount_value)
            if amount is not None:
                of = usage.setdefault(text(flavors.get(name)), {})
                of[name] = of.get(name, 0) + amount
    return usage
