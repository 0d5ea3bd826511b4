"""An object that a chart makes from its values, and the value behind each of its fields."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.manifests import Path


class ChartObject(msgspec.Struct, frozen=True):
    """An object, and the origins of its fields."""

    value: dict[str, Any]
    origins: dict[Path, Path]
    """By the path of a field, the path of the value behind it. Paths below have the same steps
    there.
    """
    whole: bool
    """Whether the object is complete; otherwise the chart's templates and defaults may add to it.
    """
    line: bool = False
    """Whether the command line is complete, if the object is not."""
    told: bool = False
    """Whether the chart is known to use each value for its field; otherwise names suggest it."""
    defaulted: frozenset[Path] = frozenset()
    """Values that the chart fills in if they are missing, so that only null removes their field."""

    def origin(self, path: Path) -> Path:
        """Return the path of the value behind a field, or of where it would be."""
        return self.known_origin(path) or ()

    def known_origin(self, path: Path) -> Path | None:
        """Return the path of the value behind a field; None for what no value is behind."""
        for end in range(len(path), 0, -1):
            origin = self.origins.get(path[:end])
            if origin is not None:
                return (*origin, *path[end:])
        return None


class Sheet:
    """An object that is built field by field."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.value: dict[str, Any] = {}
        self.origins: dict[Path, Path] = {}
        self.defaulted: set[Path] = set()

    def put(self, path: Path, value: object, origin: Path | None = None) -> None:
        """Write a field; `origin` is the path of the value behind it, if there is one.

        Missing parents are added; the next index appends.
        """
        holder: Any = self.value
        for end, (step, after) in enumerate(itertools.pairwise(path), 1):
            if isinstance(step, int):
                if step == len(holder):
                    holder.append([] if isinstance(after, int) else {})
                holder = holder[step]
            else:
                if path[:end] in self.origins and isinstance(holder.get(step), dict):
                    # The values stay as they are.
                    holder[step] = dict(holder[step])
                holder = holder.setdefault(step, [] if isinstance(after, int) else {})
        last = path[-1]
        if isinstance(last, int) and last == len(holder):
            holder.append(value)
        else:
            holder[last] = value
        if origin is not None:
            self.origins[path] = origin

    def copy(self, path: Path, origin: Path) -> bool:
        """Copy the value at a path of the values, unless it is empty, as Helm's `with` does.
        Returns whether anything was written."""
        value = at(self.values, origin)
        if is_empty(value):
            return False
        self.put(path, value, origin)
        return True

    def made(self, *, whole: bool, line: bool = False, is_told: bool = True) -> ChartObject:
        """Return the object, now that all is written."""
        return ChartObject(
            self.value, self.origins, whole, line, is_told, frozenset(self.defaulted)
        )


def is_empty(value: object) -> bool:
    """Return whether templates take a value for none."""
    return value is None or value is False or value in ("", 0) or value == {} or value == []
