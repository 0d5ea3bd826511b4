"""Find the object that a selector without matches means, by similar labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import kind_of
from gpuspec.lint.analysis.reading.names import KnownNames, near
from gpuspec.lint.analysis.serving.selecting import keeps_labels
from gpuspec.lint.model import Fix, Put, Rename
from gpuspec.objects.collection import same_namespace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

_COMMON = {
    "app.kubernetes.io/part-of",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/version",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/component",
    "helm.sh/chart",
    "environment",
    "env",
    "tier",
    "release",
    "component",
}
"""Labels that different objects share."""
_NAMES = frozenset({"app", "k8s-app", "name", "app.kubernetes.io/name"})
"""Keys that users use for an object's name."""
_ENOUGH = 8


class SelectableObject(msgspec.Struct, frozen=True):
    """An object that a selector may mean."""

    object: int
    kind: str
    namespace: str
    name: str
    labels: dict[str, str]
    file: str


class NearSelector(msgspec.Struct, frozen=True):
    """The object that a selector probably means."""

    thing: SelectableObject
    missing: dict[str, str]
    """The labels that it lacks."""
    key: str | None = None
    """Its key with the value; None if the key is right."""

    @property
    def first(self) -> tuple[str, str]:
        """The first label that it lacks."""
        return next(iter(self.missing.items()))

    def __str__(self) -> str:
        key, value = self.first
        has = self.thing.labels.get(key)
        subject = f"{self.thing.kind} `{self.thing.name}`"
        if self.key is not None:
            return f"{subject} has `{self.key}: {value}`"
        return f"{subject} has no label `{key}`" if has is None else f"{subject} has `{key}: {has}`"

    def fix(self, place: Path) -> Fix | None:
        """Return the right key or value, if only that is wrong; None otherwise."""
        if self.key is not None:
            return Fix(f"write `{self.key}`", (Rename(place, self.key),))
        right = self.thing.labels.get(self.first[0]) if len(self.missing) == 1 else None
        return None if right is None else Fix(f"write `{right}`", (Put(place, right),))


def pods(collection: Collection) -> Labels:
    """Return the labels of pods without labels of an operator."""
    return Labels(
        SelectableObject(pod.object, pod.kind, pod.namespace, pod.name, pod.labels, pod.file)
        for pod in collection.pods
        if keeps_labels(pod)
    )


def services(collection: Collection) -> Labels:
    """Return the labels of Services."""
    return Labels(
        SelectableObject(obj.number, obj.kind, obj.namespace, obj.name, plain_labels(obj), obj.file)
        for obj in collection.of("", "Service")
    )


def plain_labels(obj: Object) -> dict[str, str]:
    """Return an object's labels as a selector sees them."""
    return {str(key): str(value) for key, value in obj.labels.items()}


def may_be_unknown(labels: dict[str, str], file: str, collection: Collection) -> bool:
    """Return whether the file has an object with a label's name, of a kind with unknown pods."""
    return any((file, value) in collection.once(_unknown) for value in labels.values())


def _unknown(collection: Collection) -> set[tuple[str, str]]:
    return {
        (obj.file, obj.name)
        for kind in collection.kinds
        if kind_of(*kind) is None
        for obj in collection.of(*kind)
    }


class Labels:
    """A few objects by each label, and the values of each key."""

    def __init__(self, things: Iterable[SelectableObject]) -> None:
        self._by_label: dict[tuple[str, str], list[SelectableObject]] = {}
        self._values: dict[str, dict[str, SelectableObject]] = {}
        for thing in things:
            for key, value in thing.labels.items():
                selectable_objects = self._by_label.setdefault((key, value), [])
                if len(selectable_objects) < _ENOUGH:
                    selectable_objects.append(thing)
                self._values.setdefault(key, {}).setdefault(value, thing)
        self._near: dict[str, KnownNames] = {}

    def meant(self, labels: dict[str, str], namespace: str) -> NearSelector | None:
        """Return the probable target of labels without matches; None if it may be elsewhere."""
        near_selector = self._under_another_key(labels, namespace)
        # A key with a domain that nothing is written with is a controller's to set.
        if near_selector or any("/" in key and key not in self._values for key in labels):
            return near_selector
        return self._nearly(labels, namespace) or self._alike(labels, namespace)

    def _under_another_key(self, labels: dict[str, str], namespace: str) -> NearSelector | None:
        """Return the object with the value under another key, and with all other labels."""
        unknown = [item for item in labels.items() if item[0] not in self._values]
        if len(unknown) != 1:
            return None
        ((key, value),) = unknown
        rest = labels.items() - {(key, value)}
        for similar_key in _like(key, self._values):
            for thing in self._by_label.get((similar_key, value), ()):
                if rest <= thing.labels.items() and same_namespace(namespace, thing.namespace):
                    return NearSelector(thing, {key: value}, similar_key)
        return None

    def _nearly(self, labels: dict[str, str], namespace: str) -> NearSelector | None:
        """Return the object with some of the labels, and with the others missing or nearly
        right."""
        for item in labels.items():
            if item[0] in _COMMON:
                continue
            for thing in self._by_label.get(item, ()):
                if not same_namespace(namespace, thing.namespace):
                    continue
                missing = {
                    key: value for key, value in labels.items() if thing.labels.get(key) != value
                }
                if all(
                    key not in thing.labels or near(value, [thing.labels[key]])
                    for key, value in missing.items()
                ):
                    return NearSelector(thing, missing)
        return None

    def _alike(self, labels: dict[str, str], namespace: str) -> NearSelector | None:
        """Return the object whose only label is spelt similarly, or has a prefix."""
        if len(labels) != 1:
            return None
        ((key, value),) = labels.items()
        if key in _COMMON:
            return None
        if key not in self._near:
            self._near[key] = KnownNames(self._values.get(key, {}))
        close = self._near[key].near(value)
        if close is None:
            return None
        thing = self._values[key][close]
        return NearSelector(thing, labels) if same_namespace(namespace, thing.namespace) else None


def _like(key: str, others: Iterable[str]) -> list[str]:
    """Return the keys with the meaning of one, or with its domain and a similar name."""
    if key in _NAMES:
        return sorted(_NAMES.intersection(others))
    domain, slash, name = key.rpartition("/")
    beside = [
        candidate.rpartition("/")[2]
        for candidate in others
        if candidate.rpartition("/")[:2] == (domain, slash)
    ]
    close = near(name, beside) if slash else None
    return [] if close is None else [f"{domain}{slash}{close}"]
