"""What objects name and do not bring with them: it must be on the cluster before they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import inner_objects
from gpuspec.objects.objects import Object
from gpuspec.objects.references import made_by, references_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DEFAULT = "default"
"""The namespace that every cluster has, and the ServiceAccount that every namespace has."""
_OF_SUBPROJECTS = ("gateway.networking.k8s.io", "inference.networking.k8s.io")
"""Groups that no cluster serves by itself, whatever their ending says."""
_SYSTEM = "system-"
"""How the PriorityClasses begin that every cluster has."""
_AUTHORITY = "kube-root-ca.crt"
"""The ConfigMap by which pods know the API server, which every namespace has."""


class RequiredObject(msgspec.Struct, frozen=True, order=True):
    """Something that must exist."""

    namespace: str
    """Empty for what is cluster-wide."""
    kind: str
    """`API` of a group of kinds that Kubernetes does not bring."""
    name: str
    keys: tuple[str, ...] = ()
    """Of a Secret or a ConfigMap: what is read of it."""


def needed(values: Iterable[dict[str, Any]]) -> list[RequiredObject]:
    """Return what these objects need of the cluster, cluster-wide things first.

    Kubernetes' own default ServiceAccounts, PriorityClasses and certificate count as there.
    """
    whole = [object_value for value in values for object_value in (value, *_inside(value))]
    objects = [Object(value) for value in whole]
    present = {(obj.kind, obj.namespace, obj.name) for obj in objects}
    present |= {(ref.kind, ref.namespace, ref.name) for obj in objects for ref in made_by(obj)}
    keys: dict[tuple[str, str, str], dict[str, None]] = {}
    for namespace, kinds, name, data_keys in _named(objects):
        if present.isdisjoint((kind, namespace, name) for kind in kinds):
            reference = (namespace, " or ".join(kinds), name)
            keys.setdefault(reference, {}).update(dict.fromkeys(data_keys))
    return sorted(
        RequiredObject(*reference, tuple(data_keys)) for reference, data_keys in keys.items()
    )


def _inside(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield objects that an object makes."""
    for _, inner in inner_objects(value):
        yield inner
        yield from _inside(inner)


_Named = tuple[str, tuple[str, ...], str, tuple[str, ...]]


def _named(objects: Iterable[Object]) -> Iterator[_Named]:
    """Yield Namespace, kinds that it may be of, name and keys of whatever is named."""
    for obj in objects:
        if obj.namespace not in ("", DEFAULT):
            yield "", ("Namespace",), obj.namespace, ()
        if not _is_kubernetes(obj.group):
            yield "", ("API",), obj.group, ()
        for ref in references_of(obj, _EVERY):
            is_provided = (
                (ref.kind == "ServiceAccount" and ref.name == DEFAULT)
                or (ref.kind == "ConfigMap" and ref.name == _AUTHORITY)
                or (ref.kind == "PriorityClass" and ref.name.startswith(_SYSTEM))
            )
            if not is_provided:
                kinds = (ref.kind, *ref.others)
                yield ref.namespace, kinds, ref.name, tuple(key for key, _ in ref.keys)


def _is_kubernetes(group: str) -> bool:
    """Return whether every cluster serves the group: those of its sub-projects mostly end in
    `x-k8s.io`."""
    is_core = group.endswith(".k8s.io") and not group.endswith((".x-k8s.io", *_OF_SUBPROJECTS))
    return "." not in group or is_core


class _EveryKind:
    """Every kind there is."""

    def __contains__(self, kind: object) -> bool:
        return True


_EVERY = _EveryKind()
