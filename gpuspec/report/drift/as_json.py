"""What is said and is not so, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.escaping.formats import json_text

if TYPE_CHECKING:
    from gpuspec.drift import Drift


def drift_json(drift: Drift) -> str:
    """Return an object with the fields of `Drift`, all of them always there, in that order, and
    `drifts`."""
    from msgspec import to_builtins

    made: dict[str, Any] = to_builtins(drift)
    head = {"profile": made.pop("profile"), "live": made.pop("live"), "drifts": drift.drifts}
    return json_text({**head, **made})
