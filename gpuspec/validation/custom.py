"""The bundled schemas of custom kinds: one file for each project, made by `schemas/make_crds.py`.

None is read before a kind appears that is not Kubernetes' own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.locate import shipped
from gpuspec.manifests import Path
from gpuspec.validation.bundle import Bundle, Kind, load
from gpuspec.validation.violation import SchemaViolation
from gpuspec.validation.walk import SchemaFault

_BESIDE = frozenset(
    {"pattern", "minimum", "maximum", "minLength", "minItems", "minProperties", "unique"}
)
"""The faults despite which a server evaluates the rules too."""

if TYPE_CHECKING:
    from gpuspec.validation.apiserver.reading import Relation


class CustomKind(msgspec.Struct, frozen=True):
    """A kind that a project adds to a cluster, in the release that its schema is from."""

    api_version: str
    kind: str
    project: str
    """The project's short name: ``kueue``."""
    repository: str
    """The project's repository on GitHub: ``kubernetes-sigs/kueue``."""
    release: str
    """The release by the project's name: ``v0.19.2``; ``HEAD`` if there is none."""
    date: str
    """The day of the release: ``2026-06-17``."""
    namespaced: bool
    deprecated: bool
    """Whether the project has deprecated this version."""
    rules: int
    """How many rules in CEL the definition has for a new object."""
    unchecked: int
    """How many of its rules are not checked: those about changes (CEL), and alternatives."""
    objects: tuple[str, ...]
    """The places of whole objects inside it: ``spec.components.*.template``."""


class CustomBundle(Bundle):
    """The schemas of one project.

    A server drops an explicit null from a custom resource before it validates, unless the field may
    be null. So a null counts as an absent field.
    """

    __slots__ = ()

    drops_nulls = True

    def relations_of(self, name: str) -> tuple[Relation, ...]:
        """Return the functions with which the project's operator checks a kind."""
        from gpuspec.validation.operators import relations_of

        return relations_of(self.name, name)


def custom_kinds() -> tuple[CustomKind, ...]:
    """Return every custom kind that has a schema, sorted by apiVersion."""
    return tuple(_kinds().values())


def is_known(api_version: str, kind: str, kubernetes: str) -> bool:
    """Return whether this kind has a schema, in this Kubernetes version or as a custom kind.

    Raises: UnsupportedVersionError: there are no schemas for the version at all.
    """
    return (api_version, kind) in load(kubernetes) or find((api_version, kind)) is not None


def find(kind: Kind) -> CustomKind | None:
    """Return a custom kind's record, or None; quick for names that cannot be one."""
    # The group of a custom resource has a dot in its name.
    return _kinds().get(kind) if "." in kind[0].partition("/")[0] else None


def is_judged_with_rules(schema_fault: SchemaFault | SchemaViolation) -> bool:
    """Return whether the server evaluates the rules (CEL) of an object despite this fault."""
    if schema_fault.reason == "refused":
        return True  # by an operator, which is asked later
    return (
        isinstance(schema_fault, SchemaFault)
        and schema_fault.reason == "wrong-value"
        and schema_fault.keyword in _BESIDE
    )


def objects(kind: CustomKind, value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the whole objects inside a custom one, with their paths."""
    for pattern in kind.objects:
        found_objects: list[tuple[Path, Any]] = [((), value)]
        for step in pattern.split("."):
            found_objects = [
                ((*path, name), item)
                for path, outer in found_objects
                for name, item in _items(outer)
                if step in ("*", name)
            ]
        yield from ((path, item) for path, item in found_objects if isinstance(item, dict))


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


@cache
def bundle_of(project: str) -> CustomBundle:
    """Return the schemas of a project's kinds, with its operator's checks."""
    from gpuspec.validation.operators import OPERATORS

    folder, name = shipped("schemas"), f"{project}.json"
    custom_bundle = CustomBundle(project, (folder / "crds" / name).read_text(encoding="utf-8"))
    if project in OPERATORS:
        custom_bundle.beyond = Bundle(
            project, (folder / "operators" / name).read_text(encoding="utf-8")
        )
    return custom_bundle


@cache
def _kinds() -> dict[Kind, CustomKind]:
    file = shipped("schemas") / "crds" / "index.json"
    index: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    kinds = {}
    for name, entry in index["kinds"].items():
        api_version, _, kind = name.partition(" ")
        source = index["projects"][entry["project"]]
        kinds[api_version, kind] = CustomKind(
            api_version,
            kind,
            project=entry["project"],
            repository=source["repository"],
            release=source["release"],
            date=source["date"],
            namespaced=entry["namespaced"],
            deprecated=entry.get("deprecated", False),
            rules=entry.get("rules", 0),
            unchecked=sum(entry.get("unchecked", {}).values()),
            objects=tuple(entry.get("objects", ())),
        )
    return kinds
