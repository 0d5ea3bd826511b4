"""Versions that a configuration requires: `>=1.2,<2`."""

import re

_ONE = re.compile(r"\s*(>=|<=|==|!=|>|<)?\s*(\d+(?:\.\d+)*)\s*")


def allows(required: str, version: str) -> bool:
    """Whether a version is one of the required. Raises `ValueError` for what is no requirement."""
    return all(_allows(part, version) for part in required.split(","))


def _allows(part: str, version: str) -> bool:
    match = _ONE.fullmatch(part)
    if match is None:
        raise ValueError(f"{part.strip()!r} is no version")
    ours, theirs = _numbers(version), _numbers(match[2])
    length = max(len(ours), len(theirs))
    ours += (0,) * (length - len(ours))
    theirs += (0,) * (length - len(theirs))
    return {
        ">=": ours >= theirs,
        "<=": ours <= theirs,
        ">": ours > theirs,
        "<": ours < theirs,
        "!=": ours != theirs,
        "==": ours == theirs,
    }[match[1] or "=="]


def _numbers(version: str) -> tuple[int, ...]:
    release = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in release[0].split(".")) if release else (0,)
