"""Flux's values of `${NAME}`: the `postBuild` of the Kustomizations that apply a file.

Sources: fluxcd/kustomize-controller, docs/spec/v1/kustomizations.md (post build variable
substitution); fluxcd/pkg, envsubst/README.md (functions such as `${NAME/./-}`).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.loading.reach import Reach, objects_of
from gpuspec.loading.tree import FileTree
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.manifests import Document, Path, SourceFile

GROUP = "kustomize.toolkit.fluxcd.io"
_MARK = "postBuild"
_OFF = f"{GROUP}/substitute"
_CHANGED = re.compile(r"(?<!\$)\$\{#?([A-Za-z_]\w*)[/#%^,:][^{}]*\}")
_USE = re.compile(r"(?<!\$)\$\{([A-Za-z_]\w*)(?::?[-=]([^{}]*))?\}")


class Filling(msgspec.Struct, frozen=True):
    """The values of variables in a file."""

    values: dict[str, str] = {}
    """The values that are the same wherever the file is applied."""
    names: frozenset[str] = frozenset()
    """All variables that some Kustomization fills in."""
    more: bool = False
    """Whether there may be others, from objects outside the tree."""

    def fills(self, sign: str) -> bool:
        """Return whether a variable is filled in, with any value."""
        if (match := _USE.search(sign)) is not None:
            return self.more or match[1] in self.names or match[2] is not None
        changed = _CHANGED.search(sign)
        return changed is not None and (self.more or changed[1] in self.names)

    def filled(self, document: Document) -> dict[str, Any] | None:
        """Return a document's value with the known variables filled in; None if nothing changes."""
        value: Any = document.value
        notes = [at(value, ("metadata", field, _OFF)) for field in ("annotations", "labels")]
        if "disabled" in notes:
            return None
        changed = {path: self._word(word) for path, word in _texts(value) if "${" in word}
        changed = {path: word for path, word in changed.items() if word != at(value, path)}
        if not changed:
            return None
        copy = msgspec.json.decode(msgspec.json.encode(value))
        for path, word in changed.items():
            at(copy, path[:-1])[path[-1]] = word if _is_quoted(document, path) else _read(word)
        return copy if isinstance(copy, dict) else None

    def _word(self, word: str) -> str:
        def value(match: re.Match[str]) -> str:
            name, default = match[1], match[2]
            if name in self.values:
                return self.values[name]
            is_filled = self.more or name in self.names or default is None
            return match[0] if is_filled else default

        return _USE.sub(value, word)


def fillings(names: Iterable[str], sources: Iterable[SourceFile]) -> dict[str, Filling]:
    """Return the variables that are filled in, by file; none for files that no Kustomization with a
    `postBuild` applies.
    """
    source_list = list(sources)
    marked = [source for source in source_list if GROUP in source.text]
    if not any(_MARK in source.text for source in marked):
        return {}
    tree = FileTree(names, source_list)
    reach = Reach(tree)
    by_label: dict[str, Filling] = {}
    specs = [
        (source.name, mapping(value.get("spec")))
        for source in marked
        for value in objects_of(source, (GROUP,))
        if value.get("kind") == "Kustomization"
    ]
    patched = [_of(built, source_list) for _, spec in specs for built in _patched(spec)]
    for name, spec in specs:
        label = f"{name} {len(by_label)}"
        by_label[label] = _over([*patched, _of(mapping(spec.get(_MARK)), source_list)])
        path = text(spec.get("path"))
        components = [os.path.join(path, text(part)) for part in items(spec.get("components"))]
        for folder in (path, *components):
            for place, _ in tree.places(folder, name):
                reach.add(place, {label})
    by_file = {
        name: _together([by_label[label] for label in sorted(reach.of(place))])
        for place, name in tree.files.items()
    }
    return {name: filling for name, filling in by_file.items() if filling != Filling()}


def _of(built: dict[str, Any], sources: list[SourceFile]) -> Filling:
    """Return the variables of one Kustomization: its own values take precedence."""
    values: dict[str, str] = {}
    more = False
    for entry in map(mapping, items(built.get("substituteFrom"))):
        data = _data(text(entry.get("kind")), text(entry.get("name")), sources)
        more = more or data is None
        values |= data or {}
    substitute = mapping(built.get("substitute"))
    values |= {str(name): str(value) for name, value in substitute.items() if value is not None}
    return Filling(values, frozenset(values), more)


def _patched(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the `postBuild` that a Kustomization's patches give to the Kustomizations it applies."""
    for patch in map(mapping, items(spec.get("patches"))):
        patch_text = text(patch.get("patch"))
        try:
            documents = read(patch_text, "patch") if _MARK in patch_text else ()
        except (InputError, ValueError):
            continue
        for document in documents:
            yield mapping(at(document.value, ("spec", _MARK)))
            for step in map(mapping, items(document.value)):
                if step.get("path") == f"/spec/{_MARK}":
                    yield mapping(step.get("value"))


def _over(some: list[Filling]) -> Filling:
    """Return the variables of a Kustomization: a later one's values take precedence."""
    return Filling(
        {name: value for filling in some for name, value in filling.values.items()},
        frozenset(name for filling in some for name in filling.names),
        any(filling.more for filling in some),
    )


def _data(kind: str, name: str, sources: list[SourceFile]) -> dict[str, str] | None:
    """Return the data of a ConfigMap of the tree; None for a Secret, and for one outside the tree."""
    for source in sources if kind == "ConfigMap" else ():
        if name in source.text and "ConfigMap" in source.text:
            for value in objects_of(source, (name,)):
                if (value.get("kind"), at(value, ("metadata", "name"))) == (kind, name):
                    data = mapping(value.get("data"))
                    return {str(key): str(word) for key, word in data.items()}
    return None


def _together(some: list[Filling]) -> Filling:
    """Return the variables of several Kustomizations that apply one file."""
    names = frozenset(name for filling in some for name in filling.names)
    values = {
        name: some[0].values[name]
        for name in names
        if len({filling.values.get(name) for filling in some}) == 1 and name in some[0].values
    }
    return Filling(values, names, any(filling.more for filling in some))


def _texts(value: object) -> Iterator[tuple[Path, str]]:
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:
        path, inner = waiting.pop()
        if isinstance(inner, dict):
            waiting += [((*path, key), child) for key, child in inner.items()]
        elif isinstance(inner, list):
            waiting += [((*path, index), child) for index, child in enumerate(inner)]
        elif isinstance(inner, str):
            yield path, inner


def _is_quoted(document: Document, path: Path) -> bool:
    """Return whether a scalar stays a string whatever replaces its variables: it is quoted, or a
    block of lines.
    """
    begin, _ = document.span(path)
    lines = document.source.text.splitlines()
    return lines[begin.line - 1][begin.column - 1 : begin.column] in ('"', "'", "|", ">")


def _read(word: str) -> Any:
    """Return the value of a word without quotes."""
    try:
        documents = read(f"- {word}\n", "value")
    except (InputError, ValueError):
        return word
    values = items(documents[0].value) if documents else []
    return (
        values[0] if len(values) == 1 and isinstance(values[0], str | int | float | bool) else word
    )
