"""The search for the schema of a custom kind in the named places."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.files import content
from gpuspec.manifests.limits import MAX_BYTES
from gpuspec.manifests.sources import too_large
from gpuspec.validation import custom
from gpuspec.validation.located.places import DEFAULT, is_plain, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.validation.bundle import Kind
    from gpuspec.validation.located.bundle import LocatedBundle


class LocatedKind(NamedTuple):
    """A kind whose schema was found."""

    known: custom.CustomKind
    bundle: LocatedBundle


class Locations:
    """Templates of paths; the first one with a kind's schema counts."""

    def __init__(self, templates: Sequence[str] = ()) -> None:
        self._templates = templates
        self._found: dict[tuple[Kind, str], LocatedKind | None] = {}

    def find(self, kind: Kind, kubernetes: str) -> LocatedKind | None:
        """Return the schema of a custom kind; None if no place has one.

        Raises `InputError` for a file that is not a schema.
        """
        if not self._templates or not is_plain(kind):
            return None
        key = kind, kubernetes
        if key not in self._found:
            self._found[key] = self._find(kind, kubernetes)
        return self._found[key]

    def _find(self, kind: Kind, kubernetes: str) -> LocatedKind | None:
        for template in self._templates:
            if template == DEFAULT:
                if custom.find(kind) is not None:
                    return None
                continue
            file = place(template, kind, kubernetes)
            if os.path.isfile(file):
                return _read(os.path.relpath(file), kind)
        return None


def _read(file: str, kind: Kind) -> LocatedKind:
    from gpuspec.validation.located.bundle import LocatedBundle

    text = content(file)
    if len(text) > MAX_BYTES:
        raise InputError([too_large(file)])
    try:
        source: Any = json.loads(text)
    except (ValueError, RecursionError):
        source = None
    if not isinstance(source, dict):
        hint = "delete the file, or write it again with `gpuspec schema add`"
        raise InputError([Problem(f"{file}: not a JSON Schema", hint=hint)])
    bundled = custom.find(kind)
    operator = None if bundled is None else custom.bundle_of(bundled.project)
    try:
        bundle = LocatedBundle(file, kind, source, operator)
    except RecursionError:
        raise InputError([Problem(f"{file}: nested too deep")]) from None
    custom_kind = custom.CustomKind(
        *kind,
        project=bundle.name,
        repository="",
        release="",
        date="",
        namespaced=True,
        deprecated=False,
        rules=1 if bundle.has_rules else 0,
        unchecked=0,
        objects=tuple(bundle.objects),
    )
    return LocatedKind(custom_kind, bundle)
