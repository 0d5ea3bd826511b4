"""Versions that a configuration requires: `>=1.2,<2`."""

import re

from gpuspec.numbers import read_version

_ONE = re.compile(r"\s*(>=|<=|==|!=|>|<)?\s*([0-9]{1,9}(?:\.[0-9]{1,9})*)\s*")


def allows(required: str, version: str) -> bool:
    """Return whether a version is one of the required. Raises `ValueError` for an invalid
    requirement.
    """
    return all(_allows(part, version) for part in required.split(","))


def _allows(part: str, version: str) -> bool:
    match = _ONE.fullmatch(part)
    if match is None:
        raise ValueError(f"{part.strip()!r} is not a version")
    ours, theirs = read_version(version), read_version(match[2])
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
