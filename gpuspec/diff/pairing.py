"""Match the objects of two sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.diff.model import SideObject
from gpuspec.diff.similar import renamed, stem
from gpuspec.kinds import ObjectIdentity, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence


class ObjectPair(msgspec.Struct, frozen=True):
    """An object before and after; None where a side has none."""

    old: SideObject | None
    new: SideObject | None
    how: Literal["same", "renamed", "retargeted"] = "same"


def named(side_object: SideObject) -> ObjectIdentity:
    """Return the identity that an object states; with `generateName`, the prefix."""
    metadata = side_object.value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    record = kind_of(*kind(side_object))
    spaced = record is None or record.namespaced
    return ObjectIdentity(
        str(side_object.value.get("apiVersion") or ""),
        str(side_object.value.get("kind") or ""),
        str(metadata.get("namespace") or "") if spaced else "",
        str(metadata.get("name") or metadata.get("generateName") or ""),
    )


def kind(side_object: SideObject) -> tuple[str, str]:
    """Return group and kind."""
    version = str(side_object.value.get("apiVersion") or "")
    return version.rpartition("/")[0], str(side_object.value.get("kind") or "")


def home(side_object: SideObject) -> Hashable:
    """Return the identity of an object within its file."""
    return kind(side_object), _space(side_object), named(side_object).name, side_object.at


def pairs(old: Sequence[SideObject], new: Sequence[SideObject]) -> list[ObjectPair]:
    """Return every object once: those of the new side in its order, then the removed ones.

    Objects match by identity first, in the same file and then in any file; then without a namespace
    that one side leaves open, or without the API group, which can change; then by content: a new
    name, another kind. Objects for two known clusters match only within one cluster.
    """
    both = {obj.cluster for obj in old} & {obj.cluster for obj in new} - {""}
    if not both:
        return _paired(old, new)
    object_pairs: list[ObjectPair] = []
    for cluster in ("", *sorted(both)):
        ours = [
            [obj for obj in side if (obj.cluster if obj.cluster in both else "") == cluster]
            for side in (old, new)
        ]
        object_pairs += _paired(*ours)
    order = {id(obj): at for at, obj in enumerate((*new, *old))}
    return sorted(object_pairs, key=lambda pair: order[id(pair.new or pair.old)])


def _paired(old: Sequence[SideObject], new: Sequence[SideObject]) -> list[ObjectPair]:
    """Return every object once, whatever its cluster."""
    pairing = _Pairing(old, new)
    for key in (
        home,
        lambda side_object: (kind(side_object), _space(side_object), named(side_object).name),
    ):
        pairing.by(key)
    pairing.by(lambda obj: (kind(obj), named(obj).name), one_space=True)
    pairing.by(lambda obj: (kind(obj)[1], _space(obj), named(obj).name), one_layout=True)
    pairing.by_content()
    pairing.by_target()
    return pairing.pairs()


class _Pairing:
    def __init__(self, old: Sequence[SideObject], new: Sequence[SideObject]) -> None:
        self._old, self._new = old, new
        self._free_old = dict.fromkeys(range(len(old)))
        self._free_new = dict.fromkeys(range(len(new)))
        self._found: dict[int, ObjectPair] = {}

    def by(
        self,
        key: Callable[[SideObject], Hashable],
        *,
        one_space: bool = False,
        one_layout: bool = False,
    ) -> None:
        """Pair objects with the same key, from the end: of two in one file the last one is applied.

        `one_space`: one side leaves the namespace open. `one_layout`: the pods must have the same
        paths.
        """
        waiting: dict[Hashable, list[int]] = {}
        for at in reversed(self._free_old):
            waiting.setdefault(key(self._old[at]), []).append(at)
        for at in [*reversed(self._free_new)]:
            for old in waiting.get(key(self._new[at]), ()):
                if old not in self._free_old:
                    continue
                before, after = self._old[old], self._new[at]
                if one_space and _space(before) and _space(after):
                    continue
                if not one_layout or _is_moved(kind(before), kind(after)):
                    self._take(old, at, "same")
                    break

    def by_content(self) -> None:
        """Pair similar objects of one kind with different names."""
        kinds: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for at in self._free_old:
            kinds.setdefault(kind(self._old[at]), ([], []))[0].append(at)
        for at in self._free_new:
            kinds.setdefault(kind(self._new[at]), ([], []))[1].append(at)
        for old, new in kinds.values():
            if old and new:
                index_pairs = renamed([self._old[at] for at in old], [self._new[at] for at in new])
                for old_index, new_index in index_pairs:
                    self._take(old[old_index], new[new_index], "renamed")

    def by_target(self) -> None:
        """Pair workloads of one name that another kind runs now."""

        def key(side_object: SideObject) -> Hashable:
            return (
                (_space(side_object), stem(named(side_object).name, kind(side_object)[1]))
                if side_object.pods
                else object()
            )

        waiting: dict[Hashable, list[int]] = {}
        for at in self._free_old:
            waiting.setdefault(key(self._old[at]), []).append(at)
        for at in [*self._free_new]:
            for old in waiting.get(key(self._new[at]), ()):
                if old in self._free_old and kind(self._old[old]) != kind(self._new[at]):
                    self._take(old, at, "retargeted")
                    break

    def _take(self, old: int, new: int, how: Literal["same", "renamed", "retargeted"]) -> None:
        del self._free_old[old], self._free_new[new]
        self._found[new] = ObjectPair(self._old[old], self._new[new], how)

    def pairs(self) -> list[ObjectPair]:
        """Return the pairs, and the unpaired objects."""
        made = [self._found.get(at, ObjectPair(None, obj)) for at, obj in enumerate(self._new)]
        return [*made, *(ObjectPair(self._old[at], None) for at in self._free_old)]


def _is_moved(old: tuple[str, str], new: tuple[str, str]) -> bool:
    """Return whether a kind of another group has the same name, as Ingress had; the pods must have
    the same paths."""
    records = kind_of(*old), kind_of(*new)
    if None in records:
        return True
    before, after = ({*record.templates, *record.specs} for record in records if record is not None)
    return before == after or not before.isdisjoint(after)


def _space(side_object: SideObject) -> str:
    return named(side_object).namespace
