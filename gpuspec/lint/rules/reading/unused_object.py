"""Objects that reserve resources, and that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gpuspec.kinds.references import KUEUE, RESOURCE
from gpuspec.lint.analysis.reading.wholes import Whole, wholes
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import blank_name
from gpuspec.numbers import is_digits
from gpuspec.objects.collection import Collection, same_namespace
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import cohort
from gpuspec.objects.references import references_of

RULE = Rule(
    "GPU025",
    "unused-object",
    "info",
    "A claim, queue or flavor is never used",
)


class _Row(msgspec.Struct, frozen=True):
    """A kind whose objects may be unused."""

    users: tuple[str, ...]
    """Kinds that use it, of which at least one must be in the set; none for pods."""
    says: str


_ROWS = {
    ("", "PersistentVolumeClaim"): _Row((), "no pod mounts it: an empty volume may cost money"),
    (RESOURCE, "ResourceClaim"): _Row((), "no pod uses it"),
    (RESOURCE, "ResourceClaimTemplate"): _Row((), "no pod has a claim from it"),
    (KUEUE, "LocalQueue"): _Row((), "no workload uses it"),
    (KUEUE, "ClusterQueue"): _Row(
        ("LocalQueue",), "no LocalQueue leads to it: its quota stays unused"
    ),
    (KUEUE, "ResourceFlavor"): _Row(("ClusterQueue", "Cohort"), "no queue has quota for it"),
    (KUEUE, "Topology"): _Row(("ResourceFlavor",), "no flavor uses it"),
}


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield objects of a kustomization that is applied as a whole: nothing else is known to be
    complete."""
    for whole in wholes(collection):
        used = _used(whole)
        for obj in whole.plain:
            row = _ROWS.get((obj.group, obj.kind))
            if row is None or (obj.kind, obj.name) in used or blank_name(obj.name):
                continue
            if _has_users(row, obj, whole) and not _may_be_used(obj, whole):
                yield RawFinding(
                    obj.path("metadata", "name"),
                    f"{obj.kind} `{obj.name}` is unused: in everything that `{whole.maker.file}` builds, "
                    f"{row.says}",
                    note="use the object, or remove it",
                    confidence="likely",
                    object=obj.number,
                )


def _used(whole: Whole) -> set[tuple[str, str]]:
    """Return kind and name of all that something names."""
    uses = {use for pod in whole.pods for use in pod.uses}
    for obj in whole.plain:
        uses |= {
            (kind, ref.name)
            for ref in references_of(obj, _ROWS)
            for kind in (ref.kind, *ref.others)
        }
    return uses


def _has_users(row: _Row, obj: Object, whole: Whole) -> bool:
    """Return whether there is anything that could use it: who comes later may."""
    if row.users:
        return any(
            plain_object.group == KUEUE and plain_object.kind in row.users
            for plain_object in whole.plain
        )
    return any(same_namespace(obj.namespace, pod.namespace) for pod in whole.pods)


def _may_be_used(obj: Object, whole: Whole) -> bool:
    """Return whether something uses it without its name, or through its cohort."""
    if obj.kind == "ClusterQueue":
        return bool(cohort(obj))
    if obj.kind != "PersistentVolumeClaim":
        return False
    # A StatefulSet takes what is called as it would call its own.
    return any(
        pod.kind == "StatefulSet" and f"-{pod.name}-" in obj.name and is_digits(obj.name[-1:])
        for pod in whole.pods
    )
