"""A rollout that counts as failed while its pods are still allowed to start."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Rule
from gpuspec.lint.subjects.serving.probes import times
from gpuspec.lint.subjects.serving.servers import gpu_workers
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU515",
    "progress-deadline-short",
    "warning",
    "A rollout counts as failed before its pods have to be ready",
    fix="unsafe",
)
DEFAULT = 600
"""Seconds: `progressDeadlineSeconds` when unset."""
MARGIN = 300
"""Seconds on top in the fix, for a node, an image, a volume."""


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """The deadline of a Deployment against the startup probes of its pods."""
    owner = pod.object
    if not owner.is_a("apps", "Deployment"):
        return
    written = owner.spec.get("progressDeadlineSeconds")
    deadline = DEFAULT if written is None else written
    if not isinstance(deadline, int) or isinstance(deadline, bool):
        return
    probes = [one.probe("startup") for one in gpu_workers(pod)]
    said = [found.budget for one in probes if one is not None and (found := times(one))]
    budget = max(said, default=0)
    if budget <= deadline:
        return
    path = owner.path("spec", "progressDeadlineSeconds")
    yield Found(
        path,
        f"the startup probe allows {budget} s, and after {deadline} s"
        f"{' (the default)' if written is None else ''} without progress the rollout counts as "
        "failed: pipelines that wait for it give up on a pod that still loads",
        severity="info" if written is None else "warning",
        fix=Fix(f"allow {budget + MARGIN} s", (Put(path, budget + MARGIN),)),
    )
