"""A name among the values that nothing has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.manifests import Path


class Dangling(msgspec.Struct, frozen=True):
    """A name that nothing has."""

    path: Path
    message: str
    known: tuple[str, ...]
    """What would be right there."""
    key: bool = False
    """The name is a key."""


def lacking(path: Path, name: str, what: str, known: Iterable[str]) -> Dangling:
    """Return a part that a template asks for, and fails without."""
    message = f"the values have no {what} `{name}`: Helm refuses the release"
    return Dangling(path, message, tuple(known))
