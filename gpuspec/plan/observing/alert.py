"""One alert, and how a PrometheusRule has it."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from gpuspec.plan.observing.promql import lasting

Severity = Literal["critical", "warning", "info"]
"""As most routes of Alertmanager tell them apart."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong where an expression answers for so long."""

    name: str
    expr: str
    seconds: int
    """How long it has to hold."""
    severity: Severity
    summary: str
    """One line; `{{ $labels.… }}` and `{{ $value }}` are Prometheus's own."""
    description: str
    """What it means, and what to look at."""

    def rule(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """Return the rule, with labels by which its receivers are found."""
        held = {"for": lasting(self.seconds)} if self.seconds else {}
        return {
            "alert": self.name,
            "expr": self.expr,
            **held,
            "labels": {"severity": self.severity, **labels},
            "annotations": {"summary": self.summary, "description": self.description},
        }
