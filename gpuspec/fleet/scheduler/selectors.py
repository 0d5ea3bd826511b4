"""Conditions on labels: of nodes, of pods and of namespaces.

Source: Kubernetes 1.37, apimachinery `labels.Requirement` and component-helpers `nodeaffinity`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.reading import pairs, rows, table, text, texts
from gpuspec.numbers import read_signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HOSTNAME = "kubernetes.io/hostname"
_SETS = ("In", "NotIn", "Exists", "DoesNotExist")


class LabelRequirement(msgspec.Struct, frozen=True):
    """One condition on one label."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()
    number: int | None = None
    """The number that `Gt` and `Lt` compare with; None for a value that is not a whole number,
    which no label meets."""

    def met(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet it."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        than, number = self.number, None if value is None else read_signed(value)
        if number is None or than is None:
            return False
        return number > than if self.operator == "Gt" else number < than


class Selector(msgspec.Struct, frozen=True):
    """Conditions that all must be met; without any, everything meets them."""

    conditions: tuple[LabelRequirement, ...] = ()
    nothing: bool = False
    """Selects nothing, like a missing selector."""

    def met(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet all of them."""
        if self.nothing:
            return False
        return all(requirement.met(labels) for requirement in self.conditions)

    @property
    def everything(self) -> bool:
        """Whether it has no conditions and selects all."""
        return not (self.conditions or self.nothing)


NOTHING = Selector(nothing=True)


def equal(labels: Mapping[str, str]) -> tuple[LabelRequirement, ...]:
    """Return one condition for each label of a map."""
    return tuple(LabelRequirement(key, "In", frozenset((value,))) for key, value in labels.items())


def label_selector(value: object, *more: LabelRequirement) -> Selector:
    """Return a `labelSelector` with further conditions; a missing one selects nothing."""
    if value is None:
        return NOTHING
    selector = table(value)
    requirements = [*equal(pairs(selector.get("matchLabels")))]
    for row in rows(selector.get("matchExpressions")):
        label_requirement = condition(row, _SETS)
        if label_requirement is not None:
            requirements.append(label_requirement)
    return Selector((*requirements, *more))


def merged(keys: object, labels: Mapping[str, str], operator: str) -> tuple[LabelRequirement, ...]:
    """Return the conditions that `matchLabelKeys` (`In`) or `mismatchLabelKeys` (`NotIn`) make."""
    return tuple(
        LabelRequirement(key, operator, frozenset((labels[key],)))
        for key in texts(keys)
        if key in labels
    )


def condition(row: Mapping[str, Any], operators: Iterable[str]) -> LabelRequirement | None:
    """Return a row of `matchExpressions`; None for one that the API server would refuse."""
    key, operator, values = (
        text(row.get("key")),
        text(row.get("operator")),
        texts(row.get("values")),
    )
    if not key or operator not in operators:
        return None
    if operator in ("Exists", "DoesNotExist"):
        return None if values else LabelRequirement(key, operator)
    if not values:
        return None
    if operator in ("Gt", "Lt"):
        return (
            LabelRequirement(key, operator, number=read_signed(values[0]))
            if len(values) == 1
            else None
        )
    return LabelRequirement(key, operator, frozenset(values))
