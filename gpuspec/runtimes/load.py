"""From the YAML table to its typed form: one file per runtime, read when it is first asked for.

A runtime is a file of the folder; nothing else lists them.
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
"""The runtime of which nothing is known."""
_COMMON = "common"


@cache
def names() -> tuple[str, ...]:
    """Return the names of the runtimes, as a spec's `runtime` takes them; the nameless one is
    last."""
    files = (file.removesuffix(".yaml") for file in os.listdir(DATA) if file.endswith(".yaml"))
    return tuple(sorted({*files} - {_COMMON}, key=lambda name: (name == CUSTOM, name)))


@cache
def get(name: str) -> Runtime:
    """Return the runtime of that name.

    Raises:
        KeyError: there is none.
    """
    if name not in names():
        raise KeyError(name)
    return _read(name, Runtime)


@cache
def common() -> CommonSettings:
    """Return what holds for every GPU pod, model server or not."""
    return _read(_COMMON, CommonSettings)


@cache
def table(name: str) -> Any:
    """Return the plain data of one file of the table; not to be changed."""
    return read_table(DATA, name)


def _read(name: str, kind: type[_T]) -> _T:
    row = table(name)
    facts = {key: value for key, value in row.items() if key != "sources"}
    return msgspec.convert(named(facts, row["sources"]), kind)


def named(value: Any, sources: Mapping[str, str]) -> Any:
    """Return `value` with each fact's `source`, a key of the file's `sources`, replaced by what it
    says.

    A page is so named once per file.
    """
    if isinstance(value, list):
        return [named(item, sources) for item in value]
    if isinstance(value, dict):
        return {
            key: sources[item] if key == "source" else named(item, sources)
            for key, item in value.items()
        }
    return value
