"""An alert, and its form in a PrometheusRule."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from gpuspec.plan.observing.promql import lasting

Severity = Literal["critical", "warning", "info"]
"""The severities that most routes of Alertmanager distinguish."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that must hold for some time."""

    name: str
    expr: str
    seconds: int
    """How long the condition must hold."""
    severity: Severity
    summary: str
    """One line; `{{ $labels.… }}` and `{{ $value }}` are Prometheus's own."""
    description: str
    """The meaning of the alert, and what to check."""

    def rule(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """Return the rule, with the labels that route it to its receivers."""
        pending_time = {"for": lasting(self.seconds)} if self.seconds else {}
        return {
            "alert": self.name,
            "expr": self.expr,
            **pending_time,
            "labels": {"severity": self.severity, **labels},
            "annotations": {"summary": self.summary, "description": self.description},
        }
