"""A fix that writes one field, titled as a user would write it: "set `completionMode: Indexed`"."""

from __future__ import annotations

from typing import Any

from gpuspec.lint.model import Fix, Put
from gpuspec.manifests import Path


def set_field(path: Path, value: Any, *, safe: bool = False) -> Fix:
    """Return the fix that sets the field at `path`, which ends in the field's name."""
    from gpuspec.lint.fixing.layout import flow

    where = f" in `{path[-2]}`" if path[-2:-1] in (("requests",), ("limits",)) else ""
    return Fix(f"set `{path[-1]}: {flow(value)}`{where}", (Put(path, value),), safe)
