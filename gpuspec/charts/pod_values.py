"""What values say of one pod, by the places that a table names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.chart_object import is_empty
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.charts.model import Paths
    from gpuspec.manifests import Path


class PodValues:
    """What a chart's values say of one pod."""

    def __init__(self, values: dict[str, Any], base: Path) -> None:
        self._values = values
        self.base = base

    def place(self, paths: Paths) -> Path | None:
        """Return where something is said: the first of some places that says it."""
        for path in (paths,) if isinstance(paths, str) else paths:
            steps = tuple(path.strip("/").split("."))
            there = steps if path.startswith("/") else (*self.base, *steps)
            if not is_empty(at(self._values, there)):
                return there
        return None

    def of(self, paths: Paths) -> Any:
        """Return what is said; None for nothing."""
        place = self.place(paths)
        return None if place is None else at(self._values, place)

    def inner(self, *steps: str | int) -> PodValues:
        """Return what the values say below the place that holds the pod."""
        return PodValues(self._values, (*self.base, *steps))
