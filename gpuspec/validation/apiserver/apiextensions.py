"""Definitions of custom kinds.

Source: k8s.io/apiextensions-apiserver 1.37, pkg/apis/apiextensions/validation/validation.go: only
that rules (CEL) compile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation


def definition(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the rules of a definition compile."""
    from gpuspec.validation.cel.definitions import of_definition

    for violation in of_definition(inner(value, "spec")):
        yield placed(("spec",), violation)


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "apiextensions.v1.CustomResourceDefinition": (definition,),
}
