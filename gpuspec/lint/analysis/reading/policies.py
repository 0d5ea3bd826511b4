"""The ValidatingAdmissionPolicies of a set, evaluated for the set's objects.

Source: k8s.io/apiserver 1.37, pkg/admission/plugin/policy/validating and policy/matching. A result
is known only if the expression reads only the object and the Namespace.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gpuspec.cel.nodes import CelError
from gpuspec.cel.running import made
from gpuspec.cel.syntax import parse
from gpuspec.cel.values import MISSING, CelObject, Failure, UnknownResult
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gpuspec.cel.loops import Run
    from gpuspec.objects.objects import Object

_FOREIGN = re.compile(r"\b(authorizer|request|params|oldObject)\b")
"""What only the request at the API server has."""
_NAME = "kubernetes.io/metadata.name"


class PolicyQuestion:
    """A policy's expressions about one object."""

    def __init__(self, policy: Object, obj: Object, namespace: Object | None) -> None:
        expressions = {
            text(mapping(row).get("name")): text(mapping(row).get("expression"))
            for row in items(policy.spec.get("variables"))
        }
        self._variables = {
            "object": obj.value,
            "namespaceObject": None if namespace is None else namespace.value,
            "variables": _Variables(expressions, self.answer),
        }

    def answer(self, expression: str) -> Any:
        """Return an expression's value; `MISSING` if it is unknown."""
        run = None if _FOREIGN.search(expression) else _run(expression)
        if run is None:
            return MISSING
        try:
            return run(self._variables)
        except (Failure, UnknownResult, RecursionError):
            return MISSING


class _Variables(CelObject):
    """The variables of a policy, each computed when it is read."""

    __slots__ = ("_answer", "_expressions")

    def __init__(self, expressions: Mapping[str, str], answer: Callable[[str], Any]) -> None:
        self._expressions = expressions
        self._answer = answer

    def get(self, name: str) -> Any:
        """See `CelObject`; an unknown variable makes the whole expression unknown."""
        value = self._answer(self._expressions.get(name, ""))
        if value is MISSING:
            raise UnknownResult
        return value

    def plain(self) -> dict[str, Any]:
        """See `CelObject`."""
        return {name: self.get(name) for name in self._expressions}


@lru_cache(1024)
def _run(expression: str) -> Run | None:
    try:
        return made(parse(expression))
    except (CelError, UnknownResult, RecursionError):
        return None


def is_asked(constraints: dict[str, Any], obj: Object, namespace: Object | None) -> bool:
    """Return whether constraints certainly match the creation of an object; absent ones match."""
    rules = constraints.get("resourceRules")
    return (
        (rules is None or any(_holds(mapping(rule), obj) for rule in items(rules)))
        and not any(
            _holds(mapping(rule), obj) for rule in items(constraints.get("excludeResourceRules"))
        )
        and _selects(constraints.get("objectSelector"), obj.labels)
        and _selects(constraints.get("namespaceSelector"), _namespace_labels(obj, namespace))
    )


def _holds(rule: dict[str, Any], obj: Object) -> bool:
    resources = [text(resource).lower() for resource in items(rule.get("resources"))]
    names = items(rule.get("resourceNames"))
    return (
        _has(rule, "apiGroups", obj.group)
        and _has(rule, "apiVersions", obj.api_version.rpartition("/")[2])
        and _has(rule, "operations", "CREATE")
        and not {"*", "*/*", _plural(obj.kind)}.isdisjoint(resources)
        and (not names or obj.name in names)
    )


def _has(rule: dict[str, Any], field: str, word: str) -> bool:
    return not {"*", word}.isdisjoint(map(text, items(rule.get(field))))


def _plural(kind: str) -> str:
    name = kind.lower()
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"


def _namespace_labels(obj: Object, namespace: Object | None) -> dict[str, str] | None:
    """Return the labels of an object's Namespace; None if they are unknown."""
    if namespace is not None:
        return {**namespace.labels, _NAME: namespace.name}
    return None


def _selects(selector: object, labels: Mapping[str, str] | None) -> bool:
    """Return whether a selector certainly selects labels."""
    required = mapping(mapping(selector).get("matchLabels"))
    rows = [mapping(row) for row in items(mapping(selector).get("matchExpressions"))]
    if not required and not rows:
        return True
    return (
        labels is not None
        and all(labels.get(key) == value for key, value in required.items())
        and all(_meets(row, labels) for row in rows)
    )


def _meets(row: dict[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(text(row.get("key"))), items(row.get("values"))
    match row.get("operator"):
        case "In":
            return value is not None and value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    return False
