"""One file per object: names, and a check that no two objects are the same."""

from collections.abc import Iterable
from typing import Any, Literal

from gpuspec.manifests import Identity, InputError, Problem, identity, write


def check_identities(objects: Iterable[dict[str, Any]]) -> None:
    """Raise `InputError` for every object whose identity another one has too."""
    seen: set[Identity] = set()
    twice: list[Identity] = []
    for made in objects:
        who = identity(made)
        if who in seen and who not in twice:
            twice.append(who)
        seen.add(who)
    if twice:
        raise InputError(
            Problem(f"two objects are {who}", hint="give one of the workloads another name")
            for who in twice
        )


def object_files(
    objects: Iterable[dict[str, Any]], format: Literal["yaml", "json"] = "yaml"
) -> dict[str, str]:
    """File name to text, one file per object.

    Names are `namespace.kind.name.yaml`, with the API group where that is not enough. Raises
    `InputError` for two objects of one identity.
    """
    made = list(objects)
    check_identities(made)
    files: dict[str, str] = {}
    for item in made:
        who = identity(item)
        parts = [who.namespace, who.kind.lower(), who.name]
        name = ".".join(part for part in parts if part)
        if f"{name}.{format}" in files:
            parts.insert(2, who.group)
            name = ".".join(part for part in parts if part)
        files[f"{name}.{format}"] = write([item], format)
    return files
