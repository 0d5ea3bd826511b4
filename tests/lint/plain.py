"""Objects as they are written, for tests that need no base."""

from typing import Any

import yaml


def text(value: dict[str, Any], *more: dict[str, Any]) -> str:
    """Objects as YAML."""
    return yaml.safe_dump_all([value, *more], sort_keys=False)


def an(api_version: str, kind: str, name: str = "x", **fields: Any) -> dict[str, Any]:
    """An object of a kind."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}
