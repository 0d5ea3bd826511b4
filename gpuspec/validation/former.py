"""The fields of custom kinds that earlier releases had: made by `schemas/make_former.py`.

A project changes an alpha version without another name, so an object with such a field may be right
for the release on a cluster.
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from functools import cache
from os.path import dirname

from gpuspec.manifests import Path
from gpuspec.validation.custom import CustomKind

_KEPT = timedelta(days=2 * 365)
"""How long before the bundled release clusters may still have an earlier one."""


def last_release(kind: CustomKind, path: Path) -> str | None:
    """Return the last release of a kind's project with a field; None if no release had it."""
    row = _row(kind, path)
    return None if row is None else row[0]


def may_be_installed(kind: CustomKind, path: Path) -> bool:
    """Return whether the last release with a field is one that clusters may still have."""
    row = _row(kind, path)
    if row is None:
        return False
    return date.fromisoformat(row[1]) >= date.fromisoformat(kind.date) - _KEPT


def _row(kind: CustomKind, path: Path) -> tuple[str, str] | None:
    for pattern, (release, day) in _fields().get(f"{kind.api_version} {kind.kind}", {}).items():
        steps = pattern.split(".")
        if len(steps) == len(path) and all(
            step in ("*", part) for step, part in zip(steps, path, strict=True)
        ):
            return release, day
    return None


@cache
def _fields() -> dict[str, dict[str, tuple[str, str]]]:
    """Return each kind's fields, with the last release that has the field and its date."""
    with open(f"{dirname(__file__)}/data/former.json", encoding="utf-8") as file:
        fields: dict[str, dict[str, tuple[str, str]]] = json.load(file)
    return fields
