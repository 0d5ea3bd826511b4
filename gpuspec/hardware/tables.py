"""Reading the tables beside this file, each once and only when asked for."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from gpuspec.manifests.tables import table as read_table

DATA = os.path.join(os.path.dirname(__file__), "data")


@cache
def table(name: str) -> dict[str, Any]:
    """Return the parsed table `data/<name>.yaml`. Callers must not change it."""
    parsed = read_table(DATA, name)
    assert isinstance(parsed, dict)
    return parsed
