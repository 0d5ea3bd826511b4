"""Fields that a server rejects unless its administrator enables them; no fix may add one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.kinds import inner_objects, traits_of
from gpuspec.lint.fixing.document_parts import parts
from gpuspec.lint.fixing.text_fixes import written
from gpuspec.lint.model import Drop
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.kinds import ObjectIdentity
    from gpuspec.lint.model import Fix
    from gpuspec.manifests import Document, Path


def brings_withheld(document: Document, object_identity: ObjectIdentity, fix: Fix) -> bool:
    """Return whether a fix adds a field that pods of the object's kind may not have."""
    group = object_identity.api_version.rpartition("/")[0]
    if traits_of(group, object_identity.kind).withheld is None:
        return False
    (whole,) = parts(written(document), ())
    value = whole.value(document.value)
    absent = [
        path
        for base, object_value in [((), value), *inner_objects(value)]
        for path in _absent(Object(object_value, base))
    ]
    return any(
        change.path[: len(path)] == path
        for change in fix.changes
        if not isinstance(change, Drop)
        for path in absent
    )


def _absent(obj: Object) -> Iterator[Path]:
    """Yield the restricted fields that an object's pods do not have."""
    if obj.traits.withheld is None:
        return
    fields = obj.traits.withheld(obj.value)
    for pod in obj.pods:
        yield from (pod.path(name) for name in fields.pod - pod.spec.keys())
        for container in pod.every:
            absent = fields.container - container.value.keys()
            yield from (container.path(name) for name in absent)
