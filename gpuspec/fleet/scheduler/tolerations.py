"""Tolerations of a pod, and the taints that they match.

Source: Kubernetes 1.37, `ToleratesTaint` of the API's core/v1, and the admission plugin
DefaultTolerationSeconds, which every API server runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.reading import rows, text
from gpuspec.numbers import read_signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.spec import Taint

NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
_OPERATORS = ("Equal", "Exists", "Gt", "Lt")


class Toleration(msgspec.Struct, frozen=True):
    """One toleration; an empty key is any, an empty effect too."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def answers(self, key: str, value: str, effect: str) -> bool:
        """Return whether it matches a taint.

        `Gt` and `Lt` are compared: the API server accepts them only with a feature gate, which no
        release enables by default.
        """
        if (self.effect and self.effect != effect) or (self.key and self.key != key):
            return False
        if self.operator == "Exists":
            return True
        if self.operator == "Equal":
            return self.value == value
        bound, number = read_signed(self.value), read_signed(value)
        if bound is None or number is None:
            return False
        return number > bound if self.operator == "Gt" else number < bound


def tolerations_of(spec: Mapping[str, Any]) -> tuple[Toleration, ...]:
    """Return the tolerations of a pod's spec, and those that the API server adds."""
    tolerations = [parsed for row in rows(spec.get("tolerations")) if (parsed := toleration(row))]
    for key in (NOT_READY, UNREACHABLE):
        if not any(
            parsed_toleration.key in ("", key) and parsed_toleration.effect in ("", "NoExecute")
            for parsed_toleration in tolerations
        ):
            tolerations.append(Toleration(key, "Exists", effect="NoExecute"))
    return tuple(tolerations)


def toleration(row: Mapping[str, Any]) -> Toleration | None:
    """Return a toleration as written; None for one that the API server would reject."""
    key, operator = text(row.get("key")), text(row.get("operator")) or "Equal"
    if operator not in _OPERATORS or (not key and operator != "Exists"):
        return None
    return Toleration(key, operator, text(row.get("value")), text(row.get("effect")))


def untolerated(
    tolerations: Iterable[Toleration], taints: Iterable[Taint], effects: tuple[str, ...]
) -> Taint | None:
    """Return the first taint with one of these effects that no toleration matches."""
    for taint in taints:
        if taint.effect in effects:
            key, value, effect = taint.key, taint.value, taint.effect
            if not any(toleration.answers(key, value, effect) for toleration in tolerations):
                return taint
    return None
