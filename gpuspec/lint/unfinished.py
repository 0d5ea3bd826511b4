"""Placeholders that the author has still to fill in, as in exercises and examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.loading.placeholders import is_for_users
from gpuspec.manifests.values import at, is_written

if TYPE_CHECKING:
    from gpuspec.manifests import Document, Path

_SIGNS = re.compile(r"TODO|FIXME|TBD|YOUR|your[-_]|[-_]here\b|my-image")
_WORDS = re.compile(r"#?\s*(?:TODO|FIXME|TBD)\b.*|(?:your|YOUR)[-_][\w-]+|[\w-]+[-_]here|my-image")
"""Placeholder texts. A placeholder for a registry does not count, because findings are about the
rest of the image."""
_EMPTY = re.compile(r"""(?:[:-]|^)[ \t]*(?:""|''|~|null)?[ \t]+#.*\b(?:TODO|FIXME|TBD|YOUR)\b""")
_MARKED = re.compile(r"[ \t]#.*\bYOUR\b[A-Z ]+\bHERE\b")
_EXPLAINED = re.compile(
    r"[:-][ \t]+#[ \t]*(?:change|enter|fill|insert|provide|put|replace|set|use|write)\b",
    re.IGNORECASE,
)
_LINES = 8
"""In a longer value, empty fields are not the cause of a finding."""
_OF_BLANKS = {"GPU015", "GPU104", "GPU611"}
"""Rules whose subject is `<name>` and `__NAME__`."""


def is_unfinished(rule: str, document: Document, path: Path) -> bool:
    """Return whether a value is a placeholder, or empty beside a comment that asks for it."""
    value = at(document.value, path)
    if is_for_users(value):
        return rule not in _OF_BLANKS
    if value is None and is_written(document.value, path):
        line = document.source.text.splitlines()[document.span(path)[0].line - 1 :][:1]
        if any(map(_EXPLAINED.search, line)):
            return True
    if _SIGNS.search(document.text) is None:
        return False
    if isinstance(value, str) and _WORDS.fullmatch(value.strip()):
        return True
    start, end = document.span(path)
    lines = document.source.text.splitlines()[start.line - 1 : end.line]
    if not lines or len(lines) > _LINES:
        return False
    return _MARKED.search(lines[0]) is not None or any(map(_EMPTY.search, lines))
