"""Values of one pod, by the places of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.chart_object import is_empty
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.charts.model import Paths
    from gpuspec.manifests import Path


class PodValues:
    """A chart's values for one pod."""

    def __init__(self, values: dict[str, Any], base: Path) -> None:
        self._values = values
        self.base = base

    def place(self, paths: Paths) -> Path | None:
        """Return the place of a value: the first of some places that is set."""
        for path in (paths,) if isinstance(paths, str) else paths:
            steps = tuple(path.strip("/").split("."))
            value_path = steps if path.startswith("/") else (*self.base, *steps)
            if not is_empty(at(self._values, value_path)):
                return value_path
        return None

    def of(self, paths: Paths) -> Any:
        """Return the value; None if it is not set."""
        place = self.place(paths)
        return None if place is None else at(self._values, place)

    def inner(self, *steps: str | int) -> PodValues:
        """Return the values below the place of the pod."""
        return PodValues(self._values, (*self.base, *steps))
