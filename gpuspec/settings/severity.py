"""The severities of findings."""

from typing import Literal

Severity = Literal["error", "warning", "info"]
"""`error`: is refused, stays Pending or dies. `warning`: does harm. `info`: good to know."""
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
