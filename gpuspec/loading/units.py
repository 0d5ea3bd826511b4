"""The linter's units: one object each, and the places of its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gpuspec.manifests import Document, Path, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.loading.alternatives import Name
    from gpuspec.loading.origins import ChartOrigin
    from gpuspec.objects.objects import Object
    from gpuspec.spec.text import SpecText


class Where(Protocol):
    """The places of the fields of one document."""

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the first position and the one after the last; of the nearest parent that exists."""


class Spec:
    """The places of the fields of a spec."""

    def __init__(self, text: SpecText) -> None:
        self._text = text

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the span of a path."""
        return span_in(self._text, path, key=key)


def span_in(text: SpecText, path: Path, *, key: bool = False) -> tuple[Place, Place]:
    """Return the place of a path. For the value of an option only the beginning is known."""
    if isinstance(text, Document):
        return text.span(path, key=key)
    place = text.place(path, key=key)
    return place, place


class Unit(msgspec.Struct, eq=False):
    """One object of a run."""

    object: Object
    where: Where
    document: Document | None = None
    """The text for fixes; None for a rendered object."""
    template: str | None = None
    """The chart's template that it came from, by Helm's output."""
    file: str = ""
    """The file that it is written in, or the spec that it was rendered from."""
    charted: ChartOrigin | None = None
    """Its origin, if a chart makes it."""


class UnreadPart(msgspec.Struct, frozen=True):
    """A place that could not be read, with the reason; a finding of GPU0xx."""

    place: Place
    message: str
    hint: str | None = None


class Feed(Protocol):
    """The objects of a run."""

    def plain(self) -> Iterable[Unit]:
        """Return the objects without pods."""

    def podded(self) -> Iterator[Unit]:
        """Yield the objects with pods, one after the other; each is freed before the next."""

    def files(self) -> set[str]:
        """Return the files that hold objects."""

    def names(self) -> Iterator[tuple[str, Name]]:
        """Yield the file and name of each object."""

    def clusters(self) -> Mapping[str, str]:
        """Return the cluster of each file whose cluster is known."""


def released(units: Iterable[Unit]) -> Iterator[Unit]:
    """Yield units, and free each document after its last object: a `List` has many."""
    document: Document | None = None
    for unit in units:
        if document is not None and document is not unit.document:
            document.release()
        document = unit.document
        yield unit
    if document is not None:
        document.release()
