"""Drift as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.escaping.formats import json_text

if TYPE_CHECKING:
    from gpuspec.drift import Drift


def drift_json(drift: Drift) -> str:
    """Return an object with every field of `Drift` in its order, and `drifts`."""
    from msgspec import to_builtins

    fields: dict[str, Any] = to_builtins(drift)
    head = {"profile": fields.pop("profile"), "live": fields.pop("live"), "drifts": drift.drifts}
    return json_text({**head, **fields})
