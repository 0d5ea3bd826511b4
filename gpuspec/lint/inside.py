"""Where a part of a text stands that is YAML itself, such as a file in a ConfigMap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import InputError, Place, read
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.lint.model import Found
    from gpuspec.manifests import Document


def span_inside(document: Document, found: Found, start: Place, end: Place) -> tuple[Place, Place]:
    """Work out the lines of a part of a literal block (`|`), each of which is a line of the file.

    `start` and `end` are the block's. They stand for the part where it is written otherwise: in
    quotes, or folded.
    """
    text = at(document.value, found.path)
    lines = document.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    line = start.line - document.place_at(0).line
    head = lines[line][start.column - 1 :]
    if not isinstance(text, str) or not head.startswith("|") or line + 1 >= len(lines):
        return start, end
    first, written = text.split("\n", 1)[0], lines[line + 1]
    if not first.strip() or written.strip() != first.strip():
        return start, end
    try:
        (inner, *_) = read(text, start.file)
    except (InputError, ValueError):
        return start, end
    indent = len(written) - len(first)
    begin, stop = inner.span(found.inside or (), key=found.key)
    return (
        Place(start.file, start.line + begin.line, begin.column + indent),
        Place(start.file, start.line + stop.line, stop.column + indent),
    )
