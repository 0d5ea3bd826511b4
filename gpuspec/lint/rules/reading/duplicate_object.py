"""Two objects of one identity in one file."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Related, Rule
from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU016",
    "duplicate-object",
    "warning",
    "Two objects in one file have the same kind, namespace and name",
)


def check(collection: Collection, _: Context) -> Iterator[RawFinding]:
    """Yield objects that have the kind, namespace and name of one before them."""
    for (_file, named), (first, *others) in collection.met.items():
        for one in others:
            where = f"{one.namespace}/{named.name}" if one.namespace else named.name
            yield RawFinding(
                (*one.base, "metadata", "name"),
                f"`{named.kind}` `{where}` is in the file twice: `kubectl apply` keeps the "
                "later one, and Helm, Kustomize and `kubectl create` reject both",
                object=one.object,
                related=(
                    Related(first.object, (*first.base, "metadata", "name"), "the first one"),
                ),
            )
