"""Patterns for paths: `charts/**`, `*.gen.yaml`, `k8s/*/job.yaml`."""

from __future__ import annotations

import re
from functools import cache

_PART = re.compile(r"\*\*/|\*\*|\*|\?")
_MEANS = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}


def matches(pattern: str, path: str) -> bool:
    """Return whether a path (relative, with `/`) matches a pattern, or is in a folder that matches.

    `*` and `?` match within a name, `**` crosses folders. A pattern without `/` is a name at any
    depth.
    """
    return _compiled(pattern).fullmatch(path) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    text = pattern.removeprefix("./").rstrip("/")
    if "/" not in text:
        text = f"**/{text}"
    out: list[str] = []
    end = 0
    for part in _PART.finditer(text):
        out += [re.escape(text[end : part.start()]), _MEANS[part[0]]]
        end = part.end()
    return re.compile("".join([*out, re.escape(text[end:])]) + "(?:/.*)?")
