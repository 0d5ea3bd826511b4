"""A server under a controller that waits for it to end."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.gangs.jobs import job_specs
from gpuspec.lint.subjects.serving.servers import server_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU723",
    "server-never-ends",
    "warning",
    "A Job runs a server, which never ends",
)
_KINDS = {("batch", "Job"), ("batch", "CronJob"), ("keda.sh", "ScaledJob")}


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Jobs without a deadline whose main containers hold a server that is known."""
    owner = pod.object
    if (owner.group, owner.kind) not in _KINDS:
        return
    if any(job.value.get("activeDeadlineSeconds") is not None for job in job_specs(owner)):
        return
    for container in pod.containers:
        server = server_of(container)
        if server is None or not container.devices:
            continue
        others = len(pod.containers) > 1
        rest = " when the other containers have ended" if others else ""
        yield Found(
            container.path("args" if "args" in container.value else "image"),
            f"{server.title} serves until it is stopped, so this {owner.kind} never completes{rest} "
            "and keeps its GPUs",
            note="a server is a Deployment's; one that helps a Job is an init container with "
            "`restartPolicy: Always`, which ends with it",
            confidence="likely",
        )
