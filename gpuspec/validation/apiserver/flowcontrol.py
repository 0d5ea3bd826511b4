"""Flow schemas and priority levels.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/flowcontrol/validation/validation.go.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import alone, inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_ZERO = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_QUEUES, _HAND = 64, 8
_BITS = 60
"""Bits of a hash, which must be enough to choose a hand of queues."""


def schema(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that only the server's own schema is the first of all."""
    precedence = inner(value, "spec").get("matchingPrecedence")
    if precedence == 1 and inner(value, "metadata").get("name") != "exempt":
        message = "1 is reserved for the schema `exempt`"
        yield refused(("spec", "matchingPrecedence"), message)


def resource_rule(rule: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a rule is about namespaces or about the whole cluster."""
    for field in ("verbs", "apiGroups", "resources", "namespaces"):
        yield from alone(rule, field)
    if not rule.get("namespaces") and not rule.get("clusterScope"):
        yield refused(
            ("namespaces",),
            "it is missing, and `clusterScope` is not true: a rule needs one of them",
        )


def url_rule(rule: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that `*` is the only entry of a list."""
    for field in ("verbs", "nonResourceURLs"):
        yield from alone(rule, field)


def level(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that only the server's own level is exempt."""
    kind, name = inner(value, "spec").get("type"), inner(value, "metadata").get("name")
    if kind == "Exempt" and name != "exempt":
        yield refused(("spec", "type"), "`Exempt` is reserved for the level `exempt`")
    elif kind and kind != "Exempt" and name == "exempt":
        message = "expected `Exempt`: the level `exempt` has no other type"
        yield refused(("spec", "type"), message, expected="Exempt")


def annotated(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an object lacks the annotation with which servers of different versions
    communicate.
    """
    if _ZERO in inner(value, "metadata", "annotations"):
        yield refused(("metadata", "annotations", _ZERO), "it is reserved for servers")


def queuing(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a hand is at most all queues, and few enough for a hash to choose them."""
    # YAML's 8.0 is 8 to a server.
    queues, hand = (
        math.trunc(value.get(field) or default)
        for field, default in (("queues", _QUEUES), ("handSize", _HAND))
    )
    if hand > queues:
        yield refused(("handSize",), f"expected at most `queues`, which is {queues}")
    elif queues > 0 < hand and _entropy(queues, hand) > _BITS:
        yield refused(("handSize",), f"it is too large for {queues} queues")


def _entropy(queues: int, hand: int) -> int:
    choices = math.prod(range(queues - hand + 1, queues + 1)) if hand < _BITS else 1 << 2 * _BITS
    return (choices - 1).bit_length()


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "flowcontrol.v1.FlowSchema": (schema,),
    "flowcontrol.v1.NonResourcePolicyRule": (url_rule,),
    "flowcontrol.v1.PriorityLevelConfiguration": (level, annotated),
    "flowcontrol.v1.QueuingConfiguration": (queuing,),
    "flowcontrol.v1.ResourcePolicyRule": (resource_rule,),
}
