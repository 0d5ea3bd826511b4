"""Quantisation methods, by which a server stores weights in fewer bits."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from gpuspec.models.precision import Precision, precisions
from gpuspec.models.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


class Method(msgspec.Struct, frozen=True):
    """A quantisation method, with its name in servers."""

    name: str
    precision: Precision
    online: bool
    """Whether the server quantises the weights while it loads them; otherwise the files are already
    quantised."""


@cache
def methods() -> Mapping[str, Method]:
    """Return all methods by name."""
    rows = table("precisions")["methods"]
    return MappingProxyType(
        {
            name: Method(name, precisions()[precision], online)
            for online, group in ((True, rows["online"]), (False, rows["files"]))
            for name, precision in group.items()
        }
    )
