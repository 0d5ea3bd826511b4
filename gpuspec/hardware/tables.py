"""Reading the tables beside this file, each once and only when asked for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).parent / "data"


@cache
def table(name: str) -> dict[str, Any]:
    """The parsed table `data/<name>.yaml`. Callers must not change it."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    parsed = yaml.load((_DATA / f"{name}.yaml").read_bytes(), Loader=loader)
    assert isinstance(parsed, dict)
    return parsed
