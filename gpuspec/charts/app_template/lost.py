"""A reference in the values to a name that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.manifests import Path


class Dangling(msgspec.Struct, frozen=True):
    """A name that does not exist."""

    path: Path
    message: str
    known: tuple[str, ...]
    """The valid names."""
    key: bool = False
    """Whether the name is a key."""


def lacking(path: Path, name: str, noun: str, existing: Iterable[str]) -> Dangling:
    """Return a part that a template requires, so that Helm fails without it."""
    message = f"the values have no {noun} `{name}`: Helm refuses the release"
    return Dangling(path, message, tuple(existing))
