"""Paths: the steps from a document's root to a value, and their notation."""

import json
import re
from functools import lru_cache

from gpuspec.numbers import of_digits

Path = tuple[str | int, ...]
"""Steps from a document's root: a string is a mapping's key, an integer a sequence's index."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# People leave the quotes away where there is only a dash; it is read, and written with them.
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_INDEX = re.compile(r"\[(0|[1-9][0-9]{0,99})\]")
_QUOTED = re.compile(r'\[("(?:[^"\\]|\\.)*")\]')


@lru_cache(1024)
def format_path(path: Path) -> str:
    """Format a path: ``spec.containers[0].resources.limits["nvidia.com/gpu"]``.

    The root is the empty string. :func:`parse_path` is the inverse.
    """
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _WORD.fullmatch(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{json.dumps(step, ensure_ascii=False)}]")
    return "".join(parts)


def parse_path(text: str) -> Path:
    """Read a path written by :func:`format_path`.

    Raises:
        ValueError: the text is not a path; the message names the column where it stops being one.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        if match := _INDEX.match(text, at):
            steps.append(of_digits(match[1]))
        elif match := _QUOTED.match(text, at):
            try:
                steps.append(json.loads(match[1]))
            except ValueError:
                raise _not_a_path(text, at) from None
        elif match := _BARE.match(text, at + 1 if steps and text[at] == "." else at):
            if steps and text[at] != ".":
                raise _not_a_path(text, at)
            steps.append(match[0])
        else:
            raise _not_a_path(text, at)
        at = match.end()
    return tuple(steps)


def _not_a_path(text: str, at: int) -> ValueError:
    return ValueError(
        f"not a path at column {at + 1} of {text!r}: write steps like"
        ' spec.containers[0].resources.limits["nvidia.com/gpu"]'
    )
