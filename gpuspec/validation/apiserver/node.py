"""Runtime classes.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/node/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver import resources
from gpuspec.validation.apiserver.reading import inner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation


def overhead(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a pod's overhead is of resources that containers have."""
    for name, quantity in inner(value, "podFixed").items():
        yield from resources.counted(name, quantity, ("podFixed", name))


RELATIONS: dict[str, tuple[Relation, ...]] = {"node.v1.Overhead": (overhead,)}
