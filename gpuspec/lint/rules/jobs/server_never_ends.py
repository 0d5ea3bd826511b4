"""A server under a controller that waits for it to end."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import job_specs
from gpuspec.lint.analysis.serving.agents import never_ends, only_waits, sleeps_a_while
from gpuspec.lint.analysis.serving.endless import endless_part, script_of
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU723",
    "server-never-ends",
    "warning",
    "A Job runs a server that never finishes",
    fix="unsafe",
)
_KINDS = {("batch", "Job"), ("batch", "CronJob"), ("keda.sh", "ScaledJob")}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield Jobs without a deadline whose main containers hold a server that is known."""
    owner = pod.object
    limited = (*(job.value for job in job_specs(owner)), mapping(owner.spec.get("runPolicy")))
    if any(value.get("activeDeadlineSeconds") is not None for value in limited):
        return
    yield from _helpers(pod)
    if (owner.group, owner.kind) not in _KINDS:
        return
    for container in pod.containers:
        server = server_of(container)
        if server is None or not container.devices or _in_background(container):
            continue
        others = len(pod.containers) > 1
        rest = " when the other containers have ended" if others else ""
        yield RawFinding(
            container.path("args" if "args" in container.value else "image"),
            f"{server.title} serves until it is stopped, so this {owner.kind} never "
            f"completes{rest} and keeps its GPUs",
            note=(
                "run the server in a Deployment, or as an init container with `restartPolicy: "
                "Always`, which ends with the Job"
            ),
            confidence="likely",
        )


def _in_background(container: PodContainer) -> bool:
    """Return whether a script starts something and goes on: `ollama serve & ollama pull
    llama3.2`."""
    return any(word.text.endswith("&") and not word.text.endswith("&&") for word in container.words)


def _endless(container: PodContainer) -> str | None:
    """Return the name of a program or a container that never ends."""
    script = script_of(container)
    if script is not None and endless_part(script[0]) is not None:
        return container.name
    if script is None and only_waits(container) and not sleeps_a_while(container):
        return container.name
    return never_ends(container)


def _helpers(pod: Pod) -> Iterator[RawFinding]:
    """Yield containers, other than the one with the GPUs, that are known never to end."""
    if len(pod.containers) < 2 or not pod.has_gpu:
        return
    for container in pod.containers:
        name = _endless(container)
        if (
            name is None
            or container.devices
            or server_of(container) is not None
            or _in_background(container)
        ):
            continue
        index = container.path()[-1]
        end = len(items(pod.spec.get("initContainers")))
        sidecar_put = Put(
            pod.path("initContainers", end), {**container.value, "restartPolicy": "Always"}
        )
        yield RawFinding(
            container.path(),
            f"`{name}` never ends, but this {pod.object.kind} completes only when all of its "
            f"containers have ended: the {pod.object.kind} keeps its GPUs",
            note="make it an init container with `restartPolicy: Always`, which ends with the Job",
            confidence="likely",
            fix=Fix(
                "move it to `initContainers`, with `restartPolicy: Always`",
                (sidecar_put, Drop(pod.path("containers", index))),
            ),
        )
