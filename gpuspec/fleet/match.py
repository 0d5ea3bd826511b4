"""Decide whether a node, or any node of a pool, accepts a pod, by the pod's selectors and the
node's taints.

As in kube-scheduler (Kubernetes, component-helpers scheduling/corev1). Pods are plain data and may
be invalid: a field that the API server would reject has no effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.tolerations import toleration as read_toleration
from gpuspec.numbers import read_signed

if TYPE_CHECKING:
    from gpuspec.fleet.labels import PossibleLabels
    from gpuspec.spec import Taint

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Requirement(msgspec.Struct, frozen=True):
    """One condition on a node's label, with its path in the pod's spec."""

    key: str
    operator: str
    values: tuple[str, ...]
    path: tuple[str | int, ...]

    def allows(self, labels: PossibleLabels) -> bool:
        """Return whether a node can have a label that meets it."""
        can = labels.of(self.key)
        match self.operator:
            case "In":
                values = set(self.values)
                return bool(values) if can is None else any(value in values for value in can)
            case "NotIn":
                return can is None or any(value not in self.values for value in can)
            case "Exists":
                return can is None or any(value is not None for value in can)
            case "DoesNotExist":
                return can is None or None in can
            case "Gt" | "Lt":
                return can is None or any(self._compares(value) for value in can)
            case _:
                return True

    def _compares(self, value: str | None) -> bool:
        than = read_signed(self.values[0]) if self.values else None
        number = None if value is None else read_signed(value)
        if number is None or than is None:
            return False
        return number > than if self.operator == "Gt" else number < than


def alternatives(spec: Mapping[str, Any]) -> list[tuple[Requirement, ...]]:
    """Return what a pod's spec requires of a node's labels, as an OR of ANDs.

    `nodeSelector` stands in each. A pod without requirements has one empty alternative; a pod that
    fits no node has no alternative (`nodeSelectorTerms` that are all empty).
    """
    always = _selector(spec.get("nodeSelector"))
    path: tuple[str | int, ...] = ("affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    terms: Any = spec
    for step in path:
        terms = terms.get(step) if isinstance(terms, Mapping) else None
    if not isinstance(terms, list):
        return [always]
    requirementses: list[tuple[Requirement, ...]] = []
    for index, term in enumerate(terms):
        if not isinstance(term, Mapping):
            return [always]
        rows = term.get("matchExpressions")
        if not rows and not term.get("matchFields"):
            continue  # an empty term matches no node
        requirements = _expressions(rows, (*path, index, "matchExpressions"))
        requirementses.append((*always, *requirements))
    return requirementses


def selects(spec: Mapping[str, Any], labels: PossibleLabels) -> bool:
    """Return whether a pod's selector and required node affinity can be met by these labels."""
    return any(
        all(requirement.allows(labels) for requirement in alternative)
        for alternative in alternatives(spec)
    )


def untolerated(tolerations: Iterable[Mapping[str, Any]], taints: Iterable[Taint]) -> list[Taint]:
    """Return the taints of a node that no toleration of the pod matches."""
    mappings = [toleration for toleration in tolerations if isinstance(toleration, Mapping)]
    return [
        taint
        for taint in taints
        if taint.effect != "PreferNoSchedule"
        and not any(tolerates(toleration, taint) for toleration in mappings)
    ]


def tolerates(toleration: Mapping[str, Any], taint: Taint) -> bool:
    """Return whether one toleration matches a taint."""
    parsed = read_toleration(toleration)
    return parsed is not None and parsed.answers(taint.key, taint.value, taint.effect)


def _selector(value: object) -> tuple[Requirement, ...]:
    if not isinstance(value, Mapping):
        return ()
    return tuple(
        Requirement(key, "In", (text,), ("nodeSelector", key))
        for key, text in value.items()
        if isinstance(key, str) and isinstance(text, str)
    )


def _expressions(value: object, path: tuple[str | int, ...]) -> tuple[Requirement, ...]:
    requirements: list[Requirement] = []
    for index, row in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(row, Mapping):
            continue
        key, operator, values = row.get("key"), row.get("operator"), row.get("values")
        if not isinstance(key, str) or not isinstance(operator, str):
            continue
        words = values if isinstance(values, list) else []
        if all(isinstance(word, str) for word in words):
            requirements.append(Requirement(key, operator, tuple(words), (*path, index)))
    return tuple(requirements)
