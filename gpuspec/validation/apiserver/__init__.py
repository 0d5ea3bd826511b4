"""Relations between fields that the API server judges, in functions: one file for each API group.

What can be said of one field, or of which fields a map has, stands in `schemas/apiserver/`. The files
are laid out as Kubernetes' own `pkg/apis/<group>/validation`, to be read beside it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.validation.apiserver.reading import Relation

_API = "io.k8s.api."
_HOMES = frozenset({"core"})
"""The groups that have a file."""


@cache
def relations_of(name: str) -> tuple[Relation, ...]:
    """The functions that judge maps of a definition."""
    group = name.removeprefix(_API).partition(".")[0]
    if group not in _HOMES:
        return ()
    module = import_module(f"gpuspec.validation.apiserver.{group}")
    found: tuple[Relation, ...] = module.RELATIONS.get(name.removeprefix(_API), ())
    return found
