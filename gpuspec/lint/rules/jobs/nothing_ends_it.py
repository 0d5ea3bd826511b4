"""A Job of several GPUs that nothing bounds: neither time nor attempts."""

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.lint.analysis.gangs.jobs import job_specs
from gpuspec.lint.analysis.serving.agents import sleeps_a_while
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.gangs import gang_of
from gpuspec.objects.objects import Object
from gpuspec.objects.references import labels_at

RULE = Rule(
    "GPU727",
    "nothing-ends-it",
    "info",
    "A multi-GPU Job limits neither its duration nor its retries",
)
_BOUND = "kueue.x-k8s.io/max-exec-time-seconds"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield Jobs and CronJobs whose pods hold more than one accelerator together."""
    # What is on one GPU alone fails, and does not wait for others.
    if gang_of(obj) is None and not any(pod.gpus > 1 for pod in obj.pods):
        return
    if all(sleeps_a_while(container) for pod in obj.pods for container in pod.containers):
        return
    gpus = sum(pod.gpus * (pod.role.count or 1) for pod in obj.pods)
    if _BOUND in mapping(at(obj.value, labels_at(obj))):
        return
    for job in job_specs(obj):
        value = job.value
        bounds = (
            "activeDeadlineSeconds",
            "backoffLimit",
            "backoffLimitPerIndex",
            "podFailurePolicy",
        )
        if any(value.get(field) is not None for field in bounds):
            continue
        if job.pod.get("activeDeadlineSeconds") is not None:
            continue
        yield RawFinding(
            (*job.path, "activeDeadlineSeconds"),
            "the run limits neither its duration nor its retries: a rank that hangs keeps "
            f"{counted(gpus, 'GPU')}, and a permanent error is tried seven times (`backoffLimit` "
            "defaults to 6)",
            note="set `activeDeadlineSeconds` and `backoffLimit`",
            confidence="likely",
        )
