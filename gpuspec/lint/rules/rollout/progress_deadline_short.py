"""A rollout that counts as failed while its pods are still starting within their budget."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.loading import loading, loading_by_name
from gpuspec.lint.analysis.serving.probes import times
from gpuspec.lint.analysis.serving.progress import Deadline, deadline_of
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Fix, RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU515",
    "progress-deadline-short",
    "warning",
    "A rollout is declared failed before its pods can become ready",
    fix="unsafe",
)
MARGIN = 300
"""Seconds on top in the fix, for a node, an image, a volume."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the deadline against the startup probes of the pods; Knative's against the weights
    too."""
    deadline = deadline_of(pod)
    if deadline is None:
        return
    probes = [gpu_worker.probe("startup") for gpu_worker in gpu_workers(pod)]
    budgets = [
        probe_times.budget
        for probe in probes
        if probe is not None and (probe_times := times(probe))
    ]
    budget = max(budgets, default=0)
    if deadline.knative and budget <= deadline.seconds:
        yield from _loads(pod, deadline, context)
    if budget > deadline.seconds:
        yield RawFinding(
            deadline.path,
            f"the startup probe allows {budget} s, but {_ends(deadline)}: pipelines that "
            "wait for the rollout give up while a pod still loads",
            severity="warning" if deadline.written else "info",
            fix=_fix(deadline, budget),
        )


def _loads(pod: Pod, deadline: Deadline, context: Context) -> Iterator[RawFinding]:
    """Yield a revision whose weights take longer than it is waited for."""
    for gpu_worker in gpu_workers(pod):
        server = server_of(gpu_worker)
        load = loading(pod, gpu_worker, server, context) or loading_by_name(
            pod, gpu_worker, context
        )
        if load is not None and load.read > deadline.seconds:
            yield RawFinding(
                deadline.path,
                f"reading the weights takes about {load.read} s, after the node's start and the "
                f"image pull, but {_ends(deadline)} while the weights still load",
                note=load.words,
                severity="warning",
                confidence="likely" if load.known else "possible",
                fix=_fix(deadline, load.seconds),
            )
            return


def _ends(deadline: Deadline) -> str:
    default = "" if deadline.written else " (the default)"
    after = f"after {deadline.seconds} s{default}"
    if deadline.knative:
        return f"{after} Knative gives up on the revision"
    return f"{after} without progress the rollout counts as failed"


def _fix(deadline: Deadline, seconds: int) -> Fix:
    path, value = deadline.extended(seconds + MARGIN)
    return set_field(path, value)
