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
_CORE: tuple[str, ...] = (
    "core",
    "core_claims",
    "core_annotations",
    "core_containers",
    "core_objects",
    "core_resources",
)
_CORE += ("core_security", "core_services", "core_volumes")
_NAMES: tuple[str, ...] = (
    "admissionregistration",
    "apiextensions",
    "apps",
    "autoscaling",
    "batch",
    "discovery",
)
_NAMES += ("flowcontrol", "metadata", "networking", "node", "rbac", "scheduling", "storage")
_HOMES = {"core": _CORE, "resource": ("resource", "resource_slices")}
_HOMES |= {name: (name,) for name in _NAMES}
"""The files of each group that has any."""


@cache
def relations_of(name: str) -> tuple[Relation, ...]:
    """The functions that judge maps of a definition."""
    bare = name.removeprefix(_API)
    modules = (
        import_module(f"gpuspec.validation.apiserver.{home}")
        for home in _HOMES.get(bare.partition(".")[0], ())
    )
    return tuple(one for module in modules for one in module.RELATIONS.get(bare, ()))
