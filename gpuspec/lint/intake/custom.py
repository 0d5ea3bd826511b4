"""Kinds that no table knows: where the configuration says that their pods are, and whether an
unknown kind seems to have any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds import PodPath, kind_of, mappings_at
from gpuspec.lint.view.objects import mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.lint.view.objects import Object

Kind = tuple[str, str]


class Custom:
    """The pod paths of custom kinds, and the kinds whose pods nobody told us."""

    def __init__(self, paths: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """`paths` by group and kind, `example.com/Kind`: patterns for what holds `containers`."""
        self._paths = {_kind(name): patterns for name, patterns in (paths or {}).items()}
        self.strangers: dict[Kind, str] = {}
        """Unknown kinds that seem to hold pods, and the first file with one."""

    def pods(self, value: dict[str, Any]) -> tuple[PodPath, ...]:
        """Where the pods of an object of a custom kind are."""
        if not self._paths:
            return ()
        group = str(value.get("apiVersion", "")).rpartition("/")[0]
        patterns = self._paths.get((group, str(value.get("kind"))), ())
        return tuple(
            # A pod's own labels lie beside its spec, if they lie anywhere.
            PodPath(path, (*path[:-1], "metadata") if path[-1:] == ("spec",) else None)
            for path, _ in mappings_at(value, patterns)
        )

    def meet(self, one: Object, file: str) -> None:
        """Remember the kind of an object whose pods are in no place that is known."""
        kind = one.group, one.kind
        if kind in self.strangers or kind in self._paths or kind_of(*kind) is not None:
            return
        if _holds_pods(one.value):
            self.strangers[kind] = file


def _kind(name: str) -> Kind:
    group, _, kind = name.rpartition("/")
    return group, kind


def _holds_pods(value: object) -> bool:
    """Whether a list of containers lies anywhere in a value."""
    if isinstance(value, dict):
        containers = value.get("containers")
        if isinstance(containers, list) and any("image" in mapping(one) for one in containers):
            return True
        return any(map(_holds_pods, value.values()))
    return isinstance(value, list) and any(map(_holds_pods, value))
