"""The Applications that an ApplicationSet of Argo CD makes, as far as the files of the tree tell.

Lists and Git's directories and files are known. The clusters that Argo CD knows are not, and so
stay placeholders, which a path may fill in. Sources: argoproj/argo-cd,
docs/operator-manual/applicationset.
"""

from __future__ import annotations

import os
from itertools import product
from typing import TYPE_CHECKING, Any

from gpuspec.loading.tree import filled
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.loading.tree import FileTree

Values = dict[str, str]
_MOST = 1000
"""How many Applications of one set are read."""


def applications(value: dict[str, Any], file: str, tree: FileTree) -> Iterator[dict[str, Any]]:
    """Yield the spec of an Application, or those of the Applications that a set makes."""
    spec = mapping(value.get("spec"))
    if value.get("kind") == "Application":
        yield spec
    if value.get("kind") != "ApplicationSet":
        return
    template = mapping(at(spec, ("template", "spec")))
    values_list = (
        placeholders
        for generator in items(spec.get("generators"))
        for placeholders in _values(generator, file, tree)
    )
    for _, values in zip(range(_MOST), values_list, strict=False):
        yield _filled(template, values)


def _values(generator: object, file: str, tree: FileTree) -> Iterator[Values]:
    """Yield the values of a template's placeholders, once for each Application."""
    mapped = mapping(generator)
    for element in items(mapping(mapped.get("list")).get("elements")):
        yield _flat(element)
    if "clusters" in mapped:
        # Which there are only Argo CD knows: where one is meant, any of its names will do.
        yield {"server": "{{name}}", "nameNormalized": "{{name}}"}
    git = mapping(mapped.get("git"))
    left_out = {
        folder
        for entry in map(mapping, items(git.get("directories")))
        if entry.get("exclude")
        for folder in tree.matching(text(entry.get("path")), file)
    }
    for entry in map(mapping, items(git.get("directories"))):
        if not entry.get("exclude"):
            for folder in tree.matching(text(entry.get("path")), file):
                if folder not in left_out:
                    yield _of_path(folder)
    for entry in map(mapping, items(git.get("files"))):
        for place in tree.matching(text(entry.get("path")), file, files=True):
            yield from _of_file(place, tree)
    of_each = [
        [*_values(inner, file, tree)]
        for inner in items(mapping(mapped.get("matrix")).get("generators"))
    ]
    if of_each:
        for some in product(*of_each):
            yield {key: value for values in some for key, value in values.items()}


def _of_path(folder: str) -> Values:
    """Return the path parameters of a template, in Go's syntax and in the older one."""
    segments = {f"path[{index}]": part for index, part in enumerate(folder.split("/"))}
    name = os.path.basename(folder)
    return {"path": folder, "path.path": folder, "path.basename": name, **segments}


def _of_file(place: str, tree: FileTree) -> Iterator[Values]:
    for document in tree.read(place):
        for value in items(document) or [document]:
            yield _flat(value)


def _flat(value: object, before: str = "") -> Values:
    """Return the strings and numbers in a value, by their paths with dots."""
    if isinstance(value, dict):
        return {
            key: word
            for name, inner in value.items()
            for key, word in _flat(inner, f"{before}.{name}" if before else str(name)).items()
        }
    return {before: str(value)} if isinstance(value, str | int) else {}


def _filled(value: Any, values: Values) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner, values) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, values) for inner in value]
    return filled(value, values) if isinstance(value, str) else value
