"""What is looked into: one object each, and where its fields are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gpuspec.manifests import Document, Path, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.loading.alternatives import Name
    from gpuspec.loading.origins import Charted
    from gpuspec.objects.objects import Object
    from gpuspec.spec.text import SpecText


class Where(Protocol):
    """Knows where the fields of one document are written."""

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return first place and the place behind the last character; of the nearest parent there
        is."""


class Spec:
    """Where the fields of a spec are written."""

    def __init__(self, text: SpecText) -> None:
        self._text = text

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the span of a path."""
        return span_in(self._text, path, key=key)


def span_in(text: SpecText, path: Path, *, key: bool = False) -> tuple[Place, Place]:
    """Return where a path is written. Of what an option sets only the beginning is known."""
    if isinstance(text, Document):
        return text.span(path, key=key)
    place = text.place(path, key=key)
    return place, place


class Unit(msgspec.Struct, eq=False):
    """One object of a run."""

    object: Object
    where: Where
    document: Document | None = None
    """The text that fixes can be spliced into; None for what was rendered."""
    template: str | None = None
    """The chart's template that it came from, as Helm's output says."""
    file: str = ""
    """The file that it is written in, or the spec that it was rendered from."""
    charted: Charted | None = None
    """Where it comes from, if a chart makes it."""


class UnreadPart(msgspec.Struct, frozen=True):
    """A place that could not be read, and why; a finding of GPU0xx."""

    place: Place
    message: str
    hint: str | None = None


class Feed(Protocol):
    """What a run looks into."""

    def plain(self) -> Iterable[Unit]:
        """Return the objects without pods."""

    def podded(self) -> Iterator[Unit]:
        """Return the objects with pods, one after the other; each is let go of before the next."""

    def files(self) -> set[str]:
        """Return the files that hold objects."""

    def names(self) -> Iterator[tuple[str, Name]]:
        """Return file and name of each object."""

    def clusters(self) -> Mapping[str, str]:
        """Return the cluster of each file of which it is known."""


def released(units: Iterable[Unit]) -> Iterator[Unit]:
    """Yield units, each document let go of when all its objects were seen: a `List` is one of
    many."""
    document: Document | None = None
    for unit in units:
        if document is not None and document is not unit.document:
            document.release()
        document = unit.document
        yield unit
    if document is not None:
        document.release()
