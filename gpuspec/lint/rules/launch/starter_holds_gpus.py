"""A pod that only starts the work, and requests GPUs."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU758",
    "starter-holds-gpus",
    "warning",
    "A pod that only submits work requests GPUs",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield submitters of RayJobs, and launchers of MPIJobs that are no workers too."""
    why = _why(pod)
    if why is None or not pod.containers or not pod.containers[0].devices:
        return
    first = pod.containers[0]
    yield RawFinding(
        first.devices[0].path,
        f"{why}: the pod waits for a GPU that it does not use, or takes one from the work",
        fix=Fix("remove the GPU from `resources`", tuple(_dropped(first))),
    )


def _why(pod: Pod) -> str | None:
    owner, role = pod.object, pod.role.name
    if owner.group == "ray.io" and role == "submitter":
        return "the submitter requests a GPU, but only sends the job to the head"
    if (
        owner.traits.mpi
        and owner.version == "v2beta1"
        and role == "launcher"
        and owner.spec.get("runLauncherAsWorker") is not True
    ):
        return (
            "the launcher requests a GPU, but only starts the workers' processes, and the "
            "operator hides GPUs from it"
        )
    return None


def _dropped(container: PodContainer) -> Iterator[Drop]:
    for device in container.devices:
        if device.limit is not None:
            yield Drop(device.at("limits"), emptied=True)
        if device.request is not None:
            yield Drop(device.at("requests"), emptied=True)
