"""Two objects of one identity in one file."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU016",
    "duplicate-object",
    "warning",
    "Two objects in one file have the same kind, namespace and name",
)


def check(collection: Collection, _: Context) -> Iterator[RawFinding]:
    """Yield objects that have the kind, namespace and name of one before them."""
    for (_file, identity), (first, *others) in collection.met.items():
        for object_position in others:
            where = (
                f"{object_position.namespace}/{identity.name}"
                if object_position.namespace
                else identity.name
            )
            yield RawFinding(
                (*object_position.base, "metadata", "name"),
                f"`{identity.kind}` `{where}` is in the file twice: `kubectl apply` keeps the "
                "later one, and Helm, Kustomize and `kubectl create` reject both",
                note="remove one of the two, or give it another name",
                object=object_position.object,
                related=(
                    RelatedPlace(
                        first.object, (*first.base, "metadata", "name"), "the first of the two"
                    ),
                ),
            )
