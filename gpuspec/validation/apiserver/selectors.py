"""Label selectors, as the API server matches them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.validation.apiserver.reading import inner, maps, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.violation import SchemaViolation

LABELS = ("template", "metadata", "labels")


def matches(selector: Map, labels: Mapping[str, Any]) -> bool:
    """Return whether a selector matches labels. An invalid operator matches all: it is another
    fault.
    """
    if any(labels.get(key) != value for key, value in inner(selector, "matchLabels").items()):
        return False
    return all(
        _meets(match_expression, labels)
        for _, match_expression in maps(selector, "matchExpressions")
    )


def of_template(spec: Map) -> SchemaViolation | None:
    """Return a violation if a spec does not select the pods of its template."""
    selector = spec.get("selector")
    if selector is None or matches(selector, inner(spec, *LABELS)):
        return None
    return refused(
        LABELS,
        "`spec.selector` does not match these labels",
        "give the template the labels of the selector",
    )


def empty(spec: Map) -> SchemaViolation | None:
    """Return a violation if a spec selects every pod."""
    selector = spec.get("selector")
    if selector is None or selector.get("matchLabels") or selector.get("matchExpressions"):
        return None
    return refused(("selector",), "it is empty and would select every pod")


def _meets(expression: Map, labels: Mapping[str, Any]) -> bool:
    value = labels.get(expression.get("key") or "")
    match expression.get("operator"):
        case "In":
            return value is not None and value in (expression.get("values") or ())
        case "NotIn":
            return value not in (expression.get("values") or ())
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    return True
