"""Positions in embedded YAML, such as a file in a ConfigMap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.problems import InputError, Place
from gpuspec.manifests.reader import read
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.manifests.documents import Document
    from gpuspec.manifests.paths import Path


def span_inside(
    document: Document, path: Path, inside: Path, span: tuple[Place, Place], *, key: bool = False
) -> tuple[Place, Place]:
    """Return the span of a part of a literal block (`|`), whose lines are lines of the file.

    `path` is the path of the block, and `span` its span, which is returned if the text is quoted or
    folded.
    """
    start, _ = span
    text = at(document.value, path)
    lines = document.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    line = start.line - document.place_at(0).line
    head = lines[line][start.column - 1 :]
    if not isinstance(text, str) or not head.startswith("|") or line + 1 >= len(lines):
        return span
    first, line_written = text.split("\n", 1)[0], lines[line + 1]
    if not first.strip() or line_written.strip() != first.strip():
        return span
    try:
        (inner, *_) = read(text, start.file)
    except (InputError, ValueError):
        return span
    indent = len(line_written) - len(first)
    begin, stop = inner.span(inside, key=key)
    return (
        Place(start.file, start.line + begin.line, begin.column + indent),
        Place(start.file, start.line + stop.line, stop.column + indent),
    )
