"""Paths whose list items are identified by content instead of index."""

from __future__ import annotations

from functools import cache

import msgspec

from gpuspec.manifests import format_path


class Pick(msgspec.Struct, frozen=True):
    """An item of a list: `name=main`, an index, a flag."""

    text: str


Step = str | Pick
Steps = tuple[Step, ...]
Pattern = tuple[str, ...]
"""Steps to match with: `*` is any item, or any key."""


def written(steps: Steps) -> str:
    """Return `spec.template.spec.containers[name=main].image`."""
    parts = ""
    for step in steps:
        if isinstance(step, Pick):
            parts += f"[{step.text}]"
        else:
            path_text = format_path((step,))
            parts += path_text if not parts or path_text.startswith("[") else f".{path_text}"
    return parts


def begins(steps: Steps, pattern: Pattern) -> bool:
    """Return whether steps lead to the field of a pattern, or below it."""
    return len(steps) >= len(pattern) and all(
        want in ("*", have) for want, have in zip(pattern, steps, strict=False)
    )


def touches(steps: Steps, pattern: Pattern) -> bool:
    """Return whether steps lead to the field of a pattern, below it, or to one of its parents."""
    short = pattern[: len(steps)]
    return begins(steps, short)


@cache
def parsed(texts: tuple[str, ...]) -> tuple[Pattern, ...]:
    """Return patterns from their form in the table of kinds: `spec.*.replicas`."""
    return tuple(tuple(text.split(".")) for text in texts)
