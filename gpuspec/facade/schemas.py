"""Users' schemas of custom kinds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpuspec.manifests import Document
    from gpuspec.validation.bundle import Kind


class SchemaAddition(NamedTuple):
    """The changes to a folder of schemas."""

    folder: str
    written: list[Kind]
    unchanged: list[Kind]
    shadowed: list[str]
    """The bundled schemas that the new ones replace, as projects with their releases."""


def add_schemas(
    *paths: str, folder: str | None = None, tell: Callable[[int, int], None] | None = None
) -> SchemaAddition:
    """Convert the CustomResourceDefinitions in files, folders and `-` to schemas, and write these.

    They are written to `folder`, by default the first one in the configuration of the working
    directory, or else `.gpuspec/schemas` at the root of the repository, where the linter finds
    them. If a definition is invalid, none is written. `tell` is called with the progress. Raises
    `InputError`.
    """
    from gpuspec.manifests import InputError, Problem
    from gpuspec.validation import newest
    from gpuspec.validation.custom import find
    from gpuspec.validation.located.definitions import defined
    from gpuspec.validation.located.places import is_plain_folder, place, template_of

    definitions = defined(_documents(paths))
    if not definitions:
        hint = (
            "write them out first: helm template CHART --include-crds, or kubectl get crd -o yaml"
        )
        message = f"no CustomResourceDefinition in {', '.join(paths)}"
        raise InputError([Problem(message, hint=hint)])
    root = folder or _folder()
    if not is_plain_folder(root):
        hint = "name a folder: each schema gets a file in it"
        raise InputError(
            [Problem(f"-o {root}: a template of paths or an address, not a folder", hint=hint)]
        )
    _make(root)
    template = template_of(root)
    files = {
        definition.kind: place(template, definition.kind, newest()) for definition in definitions
    }
    done = SchemaAddition(root, [], [], [])
    for number, (kind, schema) in enumerate(definitions, 1):
        is_new = _write(files[kind], _text(schema), root)
        (done.written if is_new else done.unchanged).append(kind)
        if tell is not None:
            tell(number, len(definitions))
    custom_kinds = (find(definition.kind) for definition in definitions)
    projects = {
        f"{custom_kind.project} {custom_kind.release}": None
        for custom_kind in custom_kinds
        if custom_kind is not None
    }
    return done._replace(shadowed=list(projects))


def _documents(paths: Sequence[str]) -> list[Document]:
    """Return the documents of every text that may contain a definition; folders contain many other
    files."""
    from gpuspec.manifests import read
    from gpuspec.manifests.files import content, files, is_folder
    from gpuspec.validation.located.definitions import KIND

    documents = []
    for path in paths:
        for file in files(path) if is_folder(path) else (path,):
            text = content(file)
            if file == path or KIND.encode() in text:
                documents += read(text, file)
    return documents


def _folder() -> str:
    """Return the default folder for schemas."""
    from gpuspec.facade.configuration import configuration_of
    from gpuspec.loading.folders import above
    from gpuspec.settings.find import SCHEMAS
    from gpuspec.validation.located.places import DEFAULT, is_plain_folder

    configuration = configuration_of(())
    for schema in configuration.schemas:
        if schema != DEFAULT and is_plain_folder(schema):
            return schema
    *_, last = above(os.getcwd())
    root = last if os.path.exists(f"{last}/.git") else configuration.folder
    return os.path.relpath(f"{root or os.getcwd()}/{SCHEMAS}")


def _text(schema: dict[str, object]) -> bytes:
    import json

    return (json.dumps(schema, indent=1, sort_keys=True) + "\n").encode()


def _make(folder: str) -> None:
    """Make a folder, unless it exists. Raises `InputError`."""
    from gpuspec.manifests import InputError, Problem

    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError([Problem(f"{folder}: {error.strerror}")]) from None
    except ValueError as error:  # a name that no folder can have
        raise InputError([Problem(f"{folder!r}: {error}")]) from None


def _write(file: str, text: bytes, root: str) -> bool:
    """Write a file below a folder, and return whether it is new. Raises `InputError`."""
    from gpuspec.manifests import InputError, Problem
    from gpuspec.manifests.writing import replace

    _make(os.path.dirname(file))
    try:
        real = os.path.realpath(root)
        if os.path.commonpath([os.path.realpath(file), real]) != real:
            raise InputError([Problem(f"{file}: leads out of {root}", hint="remove the link")])
        if os.path.isfile(file):
            with open(file, "rb") as existing:
                if existing.read(len(text) + 1) == text:
                    return False
        replace(file, text)
    except OSError as error:
        raise InputError([Problem(f"{file}: {error.strerror}")]) from None
    return True
