"""Reading the tables beside this file, each once and only when asked for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from gpuspec.manifests import read

_DATA = Path(__file__).parent / "data"


@cache
def table(name: str) -> dict[str, Any]:
    """The parsed table `data/<name>.yaml`. Callers must not change it."""
    parsed = read((_DATA / f"{name}.yaml").read_bytes(), name)[0].value
    assert isinstance(parsed, dict)
    return parsed
