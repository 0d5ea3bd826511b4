"""The kinds of CustomResourceDefinitions, with their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.manifests import InputError, Problem
from gpuspec.validation.bundle import newest
from gpuspec.validation.check import validate
from gpuspec.validation.located.bundle import LocatedBundle
from gpuspec.validation.located.closing import closed_kind
from gpuspec.validation.located.places import is_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.manifests import Document, Path, Place
    from gpuspec.validation.bundle import Kind, Schema

KIND = "CustomResourceDefinition"
_SERVED = "apiextensions.k8s.io/v1"


class DefinedKind(NamedTuple):
    """A kind, and the schema of its objects."""

    kind: Kind
    schema: Schema


def defined(documents: Iterable[Document]) -> list[DefinedKind]:
    """Return the kinds that definitions among some documents define, in each served version.

    Raises `InputError` with all faults of the definitions.
    """
    definitions: dict[str, DefinedKind] = {}
    problems: list[Problem] = []
    for document in documents:
        for path, crd in _definitions(document.value):
            if wrong := list(_wrong(document, path, crd)):
                problems += wrong
                continue
            for index, version in enumerate(crd["spec"]["versions"]):
                if not version["served"]:
                    continue
                place = document.place((*path, "spec", "versions", index))
                kind = f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]
                # Files are named in small letters.
                name = " ".join(kind).lower()
                if doubt := _doubt(kind, version, twice=name in definitions):
                    problems.append(Problem(doubt[0], place, doubt[1]))
                    continue
                schema = closed_kind(version["schema"]["openAPIV3Schema"])
                definitions[name] = DefinedKind(kind, schema)
                problems += _unusable(document, place, definitions[name])
    if problems:
        raise InputError(problems)
    return list(definitions.values())


def _definitions(value: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the definitions in a document: the document itself, or the items of a list."""
    if not isinstance(value, dict):
        return
    if value.get("kind") == KIND:
        yield (), value
    items = value.get("items")
    if str(value.get("kind")).endswith("List") and isinstance(items, list):
        for index, item in enumerate(items):
            # What stands in a list of definitions need not say that it is one.
            if isinstance(item, dict) and value.get("kind") == f"{KIND}List":
                item = {"apiVersion": value.get("apiVersion"), "kind": KIND, **item}
            yield from ((("items", index, *path), crd) for path, crd in _definitions(item))


def _wrong(document: Document, path: Path, crd: dict[str, Any]) -> Iterator[Problem]:
    version = crd.get("apiVersion")
    if version != _SERVED:
        place = document.place((*path, "apiVersion") if "apiVersion" in crd else path)
        message = f"no server since Kubernetes 1.22 accepts a {KIND} of `{version}`"
        hint = f"read it from a cluster, which has it as `{_SERVED}`: kubectl get crd NAME -o yaml"
        yield Problem(message, place, hint)
        return
    for violation in validate(crd, newest()):
        if violation.reason != "refused" and not violation.taken:
            yield Problem(
                violation.message, document.place(_there(crd, path, violation.path)), violation.hint
            )


def _unusable(document: Document, place: Place, definition: DefinedKind) -> tuple[Problem, ...]:
    """Return why a schema cannot be used: some have the form of a schema but are invalid."""
    try:
        located_bundle = LocatedBundle(
            document.source.name, definition.kind, definition.schema, None
        )
        located_bundle.check()
    except InputError as error:
        return tuple(Problem(problem.message, place, problem.hint) for problem in error.problems)
    return ()


def _there(crd: dict[str, Any], path: Path, at: Path) -> Path:
    """Return the part of a path that exists: a missing field has no place."""
    part: Any = crd
    for count, step in enumerate(at):
        try:
            part = part[step]
        except (KeyError, IndexError, TypeError):
            return (*path, *at[:count])
    return (*path, *at)


def _doubt(kind: Kind, version: dict[str, Any], *, twice: bool) -> tuple[str, str] | None:
    """Return why a version of a kind cannot be written, and what to do."""
    title = f"`{kind[0]}` {kind[1]}"
    if not is_plain(kind):
        return f"{title} is not a valid name of a custom kind", "fix the definition"
    if twice:
        return f"{title} is defined twice", "name one of the definitions"
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if not isinstance(schema, dict):
        hint = "a server of v1 needs `schema.openAPIV3Schema` in each version"
        return f"{title} has no schema in its definition", hint
    return None
