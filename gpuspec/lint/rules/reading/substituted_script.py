"""A script whose own variables Flux fills in, with nothing, before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import dirname, normpath
from typing import Any

from gpuspec.lint.analysis.reading.kustomizations import above, kustomizations
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU769",
    "substituted-script",
    "warning",
    "Flux substitutes a script's own variables with empty text",
)
_FLUX = "kustomize.toolkit.fluxcd.io"
_OFF = "kustomize.toolkit.fluxcd.io/substitute"
_USE = re.compile(r"(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)")
_SET = r"(?:^|[\s;(])(?:export\s+|local\s+|for\s+|read\s+(?:-\w+\s+)*){name}(?:=|\s+in\s|\s*$)|(?:^|[\s;(]){name}="


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects of a folder of which Flux fills in the variables."""
    if (_FLUX, "Kustomization") not in context.collection.kinds or obj.group == _FLUX:
        return
    over = _applied_by(obj, context.collection)
    if over is None or "disabled" in (obj.annotations.get(_OFF), obj.labels.get(_OFF)):
        return
    post_build = mapping(over.spec.get("postBuild"))
    if not post_build.get("substitute") and not post_build.get("substituteFrom"):
        return
    substitute = mapping(post_build.get("substitute"))
    for path, text in _texts(obj.value):
        for name in dict.fromkeys(_USE.findall(text)):
            if name not in substitute and _sets(text, name):
                yield RawFinding(
                    obj.path(*path),
                    f"Flux substitutes `${{{name}}}` before the script sets `{name}`: the text "
                    "becomes empty, or the whole Kustomization fails",
                    note=f"write `$${{{name}}}`, which Flux turns into `${{{name}}}`, or `${name}`",
                    confidence="likely",
                    related=(
                        RelatedPlace(
                            over.number,
                            over.path("spec", "postBuild"),
                            "the script sets the variable here",
                        ),
                    ),
                )
                break


def _applied_by(obj: Object, collection: Collection) -> Object | None:
    """Return the Kustomization with the innermost folder that contains an object's file."""
    folder = f"/{normpath(dirname(obj.file) or '.')}/"
    best: tuple[int, Object] | None = None
    for kustomization in collection.of(_FLUX, "Kustomization"):
        written_path = kustomization.spec.get("path")
        path = (
            normpath(written_path).strip("/")
            if isinstance(written_path, str) and written_path
            else "."
        )
        steps = 0 if path == "." else path.count("/") + 1
        if steps and not (
            f"/{path}/" in folder
            and _builds(f"{folder.partition(f'/{path}/')[0]}/{path}", obj, collection)
        ):
            continue
        if best is None or steps > best[0]:
            best = steps, kustomization
    return None if best is None else best[1]


def _builds(folder: str, obj: Object, collection: Collection) -> bool:
    """Return whether Flux builds an object from a folder: without a kustomization.yaml there, from
    all files below."""
    folder = folder.strip("/")
    makers = [maker for maker in kustomizations(collection) if _folder(maker) == folder]
    return not makers or any(_folder(maker) == folder for maker in above(obj, collection))


def _folder(maker: Object) -> str:
    return normpath(dirname(maker.file) or ".").strip("/")


def _texts(value: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the texts in an object that use a variable, and their paths."""
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:
        path, inner = waiting.pop()
        if isinstance(inner, dict):
            waiting += [((*path, key), child) for key, child in reversed(inner.items())]
        elif isinstance(inner, list):
            waiting += [((*path, index), child) for index, child in enumerate(inner)][::-1]
        elif isinstance(inner, str) and "${" in inner:
            yield path, inner


def _sets(text: str, name: str) -> bool:
    """Return whether a script gives a variable a value."""
    return re.search(_SET.format(name=re.escape(name)), text, re.MULTILINE) is not None
