"""A CronJob with GPUs that starts the next run before the last one has ended."""

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.schedules import least_gap
from gpuspec.manifests.values import at, text, whole
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU729",
    "runs-overlap",
    "warning",
    "A GPU CronJob may start a run while the last one still runs or waits",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield CronJobs that allow it, by default or in words."""
    policy = obj.spec.get("concurrencyPolicy", "Allow")
    gpus = sum(pod.gpus * (pod.role.count or 1) for pod in obj.pods)
    if policy != "Allow" or not gpus:
        return
    limit = whole(at(obj.value, ("spec", "jobTemplate", "spec", "activeDeadlineSeconds")))
    gap = least_gap(text(obj.spec.get("schedule")))
    if limit is not None and (gap is None or limit <= gap):
        return
    path = obj.path("spec", "concurrencyPolicy")
    predicate = "is `Allow`" if "concurrencyPolicy" in obj.spec else "defaults to `Allow`"
    yield RawFinding(
        path,
        f"`concurrencyPolicy` {predicate}: when a run is late or waits for a GPU, the next one "
        f"starts in parallel and requests {counted(gpus, 'more GPU')}",
        fix=set_field(path, "Forbid"),
        confidence="likely",
    )
