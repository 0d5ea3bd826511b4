"""A Kubernetes object as rules see it."""

from __future__ import annotations

from functools import update_wrapper
from typing import TYPE_CHECKING, Any, TypeVar

from gpuspec.kinds import Flat, Kind, PodPath, guessed, mappings_at, pod_paths, traits_of
from gpuspec.lint.view.lazy import lazy
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, is_written, items, mapping, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.lint.view.pods import Pod
__all__ = ["Object", "at", "is_written", "items", "kept", "mapping", "text", "whole"]

_One = TypeVar("_One")
_Found = TypeVar("_Found")


def kept(make: Callable[[_One], _Found]) -> Callable[[_One], _Found]:
    """A function of an object, a pod or a container that is worked out once for each: several rules
    ask. What it gives is not to be changed."""
    name = f"{make.__module__}.{make.__qualname__}"

    def get(one: _One) -> _Found:
        there = one.__dict__
        if name not in there:
            there[name] = make(one)
        found: _Found = there[name]
        return found

    return update_wrapper(get, make)


class Object:
    """One object: what it is called, and its pods. Its value is plain data, never to be changed."""

    def __init__(
        self,
        value: dict[str, Any],
        base: Path = (),
        number: int = 0,
        custom: tuple[PodPath, ...] = (),
        file: str = "",
        found: tuple[PodPath, ...] = (),
    ) -> None:
        """`custom`: where the configuration says that its pods are; `found`: where a walk found them."""
        self.value = value
        self.file = file
        """The file that it stands in, as the user gave it; empty for what was rendered."""
        self.has_signs = True
        """Whether signs of templates stand anywhere in its text, comments too."""
        self._custom = (*custom, *found)
        self._is_guessed = bool(found)
        self.base = base
        """Steps from the document's root: not empty for an item of a `List`."""
        self.number = number
        """Its place in the set, from 0."""
        version = value.get("apiVersion")
        self.api_version: str = version if isinstance(version, str) else ""
        self.group, _, self.version = self.api_version.rpartition("/")
        kind = value.get("kind")
        self.kind: str = kind if isinstance(kind, str) else ""
        self.metadata: dict[str, Any] = mapping(value.get("metadata"))
        self.name = text(self.metadata.get("name")) or text(self.metadata.get("generateName"))
        self.namespace = text(self.metadata.get("namespace"))
        """Empty where the object leaves it to who applies it."""

    def __repr__(self) -> str:
        return f"Object({self.kind} {self.namespace}/{self.name})"

    def is_a(self, group: str, *kinds: str) -> bool:
        """Whether it is of one of these kinds; `group` is empty for the core one."""
        return self.group == group and self.kind in kinds

    @lazy
    def spec(self) -> dict[str, Any]:
        """Its `spec`; empty where it has none."""
        return mapping(self.value.get("spec"))

    @lazy
    def labels(self) -> dict[str, Any]:
        """Its own labels."""
        return mapping(self.metadata.get("labels"))

    @lazy
    def annotations(self) -> dict[str, Any]:
        """Its own annotations."""
        return mapping(self.metadata.get("annotations"))

    @lazy
    def pods(self) -> tuple[Pod, ...]:
        """The pods that it describes, wherever they lie in it."""
        if not self.has_pods:
            return ()
        from gpuspec.lint.view.pods import pods_of

        return pods_of(self)

    def release(self) -> None:
        """Let go of its pods, which hold on to it, and of what was worked out from them: memory is
        free at once."""
        for name in [each for each in self.__dict__ if each == "pods" or "." in each]:
            del self.__dict__[name]

    @lazy
    def has_pods(self) -> bool:
        """Whether pods lie in it, without looking at them."""
        return bool(self.pod_paths or self.flat)

    @lazy
    def traits(self) -> Kind:
        """What is known of its kind; of an unknown one, nothing but that pods were found in it."""
        return (
            guessed(self.group, self.kind) if self._is_guessed else traits_of(self.group, self.kind)
        )

    @lazy
    def flat(self) -> tuple[tuple[Path, Flat], ...]:
        """Where pods are told in it without a pod's layout: paths from the object."""
        return tuple(
            (path, one)
            for one in self.traits.flat
            for path, _ in mappings_at(self.value, (one.path,))
        )

    @lazy
    def pod_paths(self) -> tuple[PodPath, ...]:
        """Where pods lie in it: by the table of kinds, by the configuration, by a walk."""
        return (*pod_paths(self.value), *self._custom)

    def path(self, *steps: str | int) -> Path:
        """The path, from the document's root, of a field of the object."""
        return (*self.base, *steps)
