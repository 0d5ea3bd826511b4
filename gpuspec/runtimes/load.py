"""Load the table of model servers: one file for each runtime, read on first use.

A file in the folder is a runtime; there is no other list.
"""

import os
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from gpuspec.manifests.tables import table as read_table
from gpuspec.runtimes.model import CommonSettings, Runtime

_T = TypeVar("_T")

DATA = os.path.join(os.path.dirname(__file__), "data")

CUSTOM = "custom"
"""The runtime without known facts."""
_COMMON = "common"


@cache
def names() -> tuple[str, ...]:
    """Return the names of the runtimes that `runtime` of a spec accepts; the runtime without known
    facts is last."""
    files = (file.removesuffix(".yaml") for file in os.listdir(DATA) if file.endswith(".yaml"))
    return tuple(sorted({*files} - {_COMMON}, key=lambda name: (name == CUSTOM, name)))


@cache
def get(name: str) -> Runtime:
    """Return the runtime with this name.

    Raises:
        KeyError: no runtime has this name.
    """
    if name not in names():
        raise KeyError(name)
    return _read(name, Runtime)


@cache
def common() -> CommonSettings:
    """Return the facts that hold for every GPU pod, with a model server or not."""
    return _read(_COMMON, CommonSettings)


@cache
def table(name: str) -> Any:
    """Return the plain data of one file of the table; callers must not change it."""
    return read_table(DATA, name)


def _read(name: str, kind: type[_T]) -> _T:
    row = table(name)
    facts = {key: value for key, value in row.items() if key != "sources"}
    return msgspec.convert(named(facts, row["sources"]), kind)


def named(value: Any, sources: Mapping[str, str]) -> Any:
    """Return `value` with each fact's `source`, a key of the file's `sources`, replaced by the
    source itself.

    A file so names each page once.
    """
    if isinstance(value, list):
        return [named(item, sources) for item in value]
    if isinstance(value, dict):
        return {
            key: sources[item] if key == "source" else named(item, sources)
            for key, item in value.items()
        }
    return value
