"""Training runtimes, and the TrainJobs that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object


def runtime_of(owner: Object, context: Context) -> Object | None:
    """The runtime of a TrainJob, where it is in the set."""
    reference = mapping(owner.spec.get("runtimeRef"))
    kind = text(reference.get("kind")) or "ClusterTrainingRuntime"
    space = "" if kind.startswith("Cluster") else owner.namespace
    return context.collection.named(owner.group, kind, text(reference.get("name")), space)
