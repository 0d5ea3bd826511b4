"""The origin of a chart's object: its release, and the values behind its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.blocks import span_inside
from gpuspec.manifests.values import is_written

if TYPE_CHECKING:
    from gpuspec.charts.chart_object import ChartObject
    from gpuspec.charts.release import Release
    from gpuspec.manifests import Document, Path, Place
    from gpuspec.objects.objects import Object


class ChartOrigin(msgspec.Struct, frozen=True, eq=False):
    """The origin of a chart's object, and the places where its fields are written."""

    owner: Object
    """The object that asks for the release."""
    document: Document
    release: Release
    made: ChartObject

    def place(self, path: Path) -> tuple[Path, Path | None]:
        """Return the path, in the owner's document, of the value behind a field; if the value is in
        a text, the path in that text.
        """
        return self.release.place(*self.made.origin(path))

    def writes(self, path: Path) -> bool:
        """Return whether a field is written in the values."""
        origin = self.made.known_origin(path)
        return origin is not None and is_written(self.release.values, origin)

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the span of the value behind a field."""
        value_path, inside = self.place(path)
        value_span = self.document.span(value_path, key=key and inside is None)
        return (
            value_span
            if inside is None
            else span_inside(self.document, value_path, inside, value_span, key=key)
        )
