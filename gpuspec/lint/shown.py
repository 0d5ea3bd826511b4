"""The selection of rules for an object, by its kind and by the requests of its pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.kinds import kind_of
from gpuspec.lint.registry import LoadedRule, load
from gpuspec.lint.rows import ROWS, Row
from gpuspec.objects.queues import queue_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Set

    from gpuspec.lint.model import Scope
    from gpuspec.objects.objects import Object, Pod


class LazyRules:
    """The rules of a run, each loaded when there is something for it to check."""

    def __init__(self, wanted: Callable[[str], bool], *, profile: bool) -> None:
        """Keep the selection: `wanted` tells by code whether a rule runs; `profile`, whether there
        is a profile."""
        self._rows = [row for row in ROWS if (profile or not row.profile) and wanted(row.code)]
        self._for_objects: dict[tuple[str, str, bool], list[LoadedRule]] = {}
        self._for_pods: dict[tuple[str, str, bool, bool], list[LoadedRule]] = {}

    def an_object(self, obj: Object) -> list[LoadedRule]:
        """Return the rules for an object."""
        key = group, kind, queued = obj.group, obj.kind, queue_of(obj) is not None
        found = self._for_objects.get(key)
        if found is None:
            rows = self._about(group, kind, "object")
            found = [load(row) for row in rows if queued or row.when == "always"]
            self._for_objects[key] = found
        return found

    def a_pod(self, pod: Pod) -> list[LoadedRule]:
        """Return the rules for a pod."""
        gpu = pod.has_gpu or bool(pod.claims)
        owner = pod.object
        key = group, kind, gpu, finite = owner.group, owner.kind, gpu, pod.life == "finite"
        found = self._for_pods.get(key)
        if found is None:
            fits = {"always": True, "gpu": gpu, "none": not gpu, "finite": gpu and finite}
            found = [load(row) for row in self._about(group, kind, "pod") if fits[row.when]]
            self._for_pods[key] = found
        return found

    def a_spec(self) -> Iterator[LoadedRule]:
        """Return the rules for specs as written."""
        return (load(row) for row in self._rows if row.scope == "spec")

    def a_set(self, kinds: Set[tuple[str, str]]) -> Iterator[LoadedRule]:
        """Yield the rules for a whole set with objects of these kinds, by group and kind."""
        for row in self._rows:
            if row.scope == "set" and (row.kinds is None or not row.kinds.isdisjoint(kinds)):
                yield load(row)

    def _about(self, group: str, kind: str, scope: Scope) -> Iterator[Row]:
        """Yield the rules of a scope for objects of a kind, or for their pods."""
        known = kind_of(group, kind)
        for row in self._rows:
            named = row.kinds is None or (group, kind) in row.kinds
            if (
                row.scope == scope
                and named
                and (row.trait is None or (known is not None and row.trait(known)))
            ):
                yield row
