"""How loud what is found is said."""

from typing import Literal

Severity = Literal["error", "warning", "info"]
"""`error`: will be refused, pend or die. `warning`: will hurt. `info`: good to know."""
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
