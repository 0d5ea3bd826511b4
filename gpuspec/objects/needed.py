"""The objects that a set refers to without containing them: they must exist on the cluster before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import inner_objects
from gpuspec.objects.objects import Object
from gpuspec.objects.references import made_by, references_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DEFAULT = "default"
"""The name of the namespace in every cluster, and of the ServiceAccount in every namespace."""
_OF_SUBPROJECTS = ("gateway.networking.k8s.io", "inference.networking.k8s.io")
"""Groups that no cluster serves by default, although they end like built-in ones."""
_SYSTEM = "system-"
"""The prefix of the PriorityClasses in every cluster."""
_AUTHORITY = "kube-root-ca.crt"
"""The ConfigMap with the API server's certificate, which every namespace has."""


class RequiredObject(msgspec.Struct, frozen=True, order=True):
    """Something that must exist."""

    namespace: str
    """Empty for a cluster-wide object."""
    kind: str
    """`API` stands for a group of kinds that Kubernetes does not include."""
    name: str
    keys: tuple[str, ...] = ()
    """The keys of a Secret or ConfigMap that are read."""


def needed(values: Iterable[dict[str, Any]]) -> list[RequiredObject]:
    """Return the objects that these objects need in the cluster, cluster-wide ones first.

    Kubernetes' default ServiceAccounts, PriorityClasses and certificate are assumed to exist.
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
    """Yield the objects that an object's controller creates."""
    for _, inner in inner_objects(value):
        yield inner
        yield from _inside(inner)


_Named = tuple[str, tuple[str, ...], str, tuple[str, ...]]


def _named(objects: Iterable[Object]) -> Iterator[_Named]:
    """Yield the namespace, possible kinds, name and keys of every reference."""
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
    """Return whether every cluster serves the group; groups of sub-projects mostly end in
    `x-k8s.io`."""
    is_core = group.endswith(".k8s.io") and not group.endswith((".x-k8s.io", *_OF_SUBPROJECTS))
    return "." not in group or is_core


class _EveryKind:
    """A set that contains every kind."""

    def __contains__(self, kind: object) -> bool:
        return True


_EVERY = _EveryKind()
