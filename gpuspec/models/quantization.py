"""How a server is told to hold weights in fewer bits than their files have, by the method's name."""

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
    """A method of quantisation, as servers call it."""

    name: str
    precision: Precision
    online: bool
    """The server makes it of wider files as it loads; else the files have it already."""


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
