"""Two objects of one identity in one file."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Related, Rule
from gpuspec.lint.objects import Object

RULE = Rule(
    "GPU016",
    "duplicate-object",
    "warning",
    "Two objects of one file are the same one to a cluster",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """Objects that have the kind, namespace and name of one before them."""
    first = context.collection.twin(one)
    if first is None:
        return
    number, base = first
    where = f"{one.namespace}/{one.name}" if one.namespace else one.name
    yield Found(
        one.path("metadata", "name"),
        f"`{one.kind}` `{where}` is in the file twice: `kubectl apply` keeps the later one, and "
        "Helm, Kustomize and `kubectl create` refuse both",
        related=(Related(number, (*base, "metadata", "name"), "the first one"),),
    )
