"""Classes of storage, and drivers.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/storage/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests import label_key
from gpuspec.validation.apiserver.reading import inner, maps, refused, size, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_LARGEST = 256 * 1024


def parameters(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that parameters are not too large."""
    class_parameters = inner(value, "parameters")
    yield from too_large(
        ("parameters",), size([*class_parameters, *class_parameters.values()]), _LARGEST
    )


def topologies(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that no term repeats another."""
    before: list[dict[Any, frozenset[Any]]] = []
    for number, term in maps(value, "allowedTopologies"):
        values_by_key = {
            expression.get("key"): frozenset(expression.get("values") or ())
            for _, expression in maps(term, "matchLabelExpressions")
        }
        if values_by_key in before:
            yield refused(
                ("allowedTopologies", number, "matchLabelExpressions"),
                f"term {before.index(values_by_key)} is the same",
            )
        before.append(values_by_key)


def driver(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that `serviceAccountTokenInSecrets` comes with `tokenRequests`."""
    if spec.get("serviceAccountTokenInSecrets") is not None and not spec.get("tokenRequests"):
        yield refused(("serviceAccountTokenInSecrets",), "it needs `tokenRequests`")


def node_driver(driver: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the keys of a topology are unique label keys."""
    keys = driver.get("topologyKeys") or []
    for number, key in enumerate(keys):
        problem = label_key(key or "")
        if problem or key in keys[:number]:
            message = f"`{key}` {problem}" if problem else f"`{key}` is in the list twice"
            yield refused(("topologyKeys",), message)


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "storage.v1.CSIDriverSpec": (driver,),
    "storage.v1.CSINodeDriver": (node_driver,),
    "storage.v1.StorageClass": (parameters, topologies),
    "storage.v1.VolumeAttributesClass": (parameters,),
}
