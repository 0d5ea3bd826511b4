"""Scripts of containers that never end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.serving.scripts import main_words
from gpuspec.lint.analysis.serving.shell_text import commands_in, unquoted

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer

LEAVES = re.compile(r"\b(?:break|exit|return|timeout|kill)\b|\bdone\s*&")
"""Commands that may end a loop, or a script inside a loop."""
_LOOP = re.compile(r"\bwhile\s+(?:true|:|\[\s*1\s*\])\s*;?\s*do\b")
_FOLLOWS = frozenset(("-f", "-F", "-fn0", "--follow"))


def script_of(container: PodContainer) -> tuple[str, Path] | None:
    """Return the script of a container's shell, and its path."""
    line = main_words(container)
    at = None if line is None else line.script_at
    if line is None or at is None or at >= len(line.words):
        return None
    return line.words[at], line.places[at]


def endless_part(script: str) -> str | None:
    """Return the part of a script that never ends."""
    plain = unquoted(script)
    if _LOOP.search(plain) is not None and LEAVES.search(plain) is None:
        return "while"
    commands = commands_in(plain)
    last = commands[-1] if commands else [""]
    if last[0] == "sleep" and not {"infinity", "inf"}.isdisjoint(last):
        return "sleep"
    return "tail" if last[0] == "tail" and not _FOLLOWS.isdisjoint(last) else None
