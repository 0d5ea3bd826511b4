"""Priority classes.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/scheduling/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_HIGHEST = 1_000_000_000
_SYSTEM = {"system-cluster-critical": 2 * _HIGHEST, "system-node-critical": 2 * _HIGHEST + 1000}


def priority_class(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that only the system's own classes are above the highest user priority."""
    name, number = inner(value, "metadata").get("name") or "", value.get("value") or 0
    if name.startswith("system-"):
        if _SYSTEM.get(name) != number or value.get("globalDefault"):
            message = "names that begin with `system-` are reserved for the system"
            yield refused(("metadata", "name"), message)
    elif number > _HIGHEST:
        yield refused(("value",), f"expected at most {_HIGHEST}, not {number}")


RELATIONS: dict[str, tuple[Relation, ...]] = {"scheduling.v1.PriorityClass": (priority_class,)}
