"""Nodes, as kubelets write them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.validation.apiserver import addresses, resources
from gpuspec.validation.apiserver.reading import inner, is_new, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_FEATURE = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")
_LONGEST_FEATURE = 253


def node(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a node's resources are not negative, and that countable ones are whole."""
    for field in ("capacity", "allocatable"):
        for name, quantity in inner(value, "status", field).items():
            yield from resources.counted(name, quantity, ("status", field, name))


def declared(status: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the features that a node declares are in order."""
    features = status.get("declaredFeatures") or [] if is_new(version) else []
    for number, name in enumerate(features):
        path, before = ("declaredFeatures", number), features[number - 1] if number else ""
        if not name or not _FEATURE.fullmatch(name) or len(name) > _LONGEST_FEATURE:
            yield refused(path, 'expected a name such as "MyFeature" or "MyFeature/part"')
        if number and name == before:
            yield refused(path, f"`{name}` is in the list twice")
        elif (name or "") < (before or ""):
            yield refused(path, f"`{name}` must come before `{before}`")


def swap(status: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a swap capacity is above 0."""
    capacity = status.get("capacity")
    if capacity is not None and capacity <= 0:
        yield refused(("capacity",), f"expected a number above 0, not {capacity}")


def node_spec(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the pods' addresses are ranges, one of each family."""
    first, ranges = spec.get("podCIDR"), spec.get("podCIDRs") or []
    if first and ranges[:1] != [first]:
        # The older field counts where they differ.
        ranges = [first]
    wrong = [(number, addresses.cidr(text or "", version)) for number, text in enumerate(ranges)]
    for number, message in wrong:
        if message:
            yield refused(("podCIDR",) if first and number == 0 else ("podCIDRs", number), message)
    if (
        len(ranges) > 1
        and not any(problem for _, problem in wrong)
        and not addresses.is_pair(ranges)
    ):
        yield refused(("podCIDRs",), "expected one range of each family")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.Node": (node,),
    "core.v1.NodeSpec": (node_spec,),
    "core.v1.NodeStatus": (declared,),
    "core.v1.NodeSwapStatus": (swap,),
}
