"""A pod's group without a user, of which containerd makes no sandbox."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU872",
    "group-without-user",
    "warning",
    "A pod sets a group without a user, and containerd does not start it",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the pod's own securityContext with a group and no user: containers get the user of
    their image. Platforms that assign a user to pods at admission are left out."""
    if context.constraints is not None:
        return
    security_context = mapping(pod.spec.get("securityContext"))
    if security_context.get("runAsGroup") is None or security_context.get("runAsUser") is not None:
        return
    yield RawFinding(
        pod.path("securityContext", "runAsGroup"),
        "the pod sets `runAsGroup` without `runAsUser`: containerd cannot create its sandbox, "
        "and the pod stays in `ContainerCreating`",
        note=(
            "add `runAsUser` to the pod (a container's own does not help), or replace "
            "`runAsGroup` with `fsGroup` and `supplementalGroups`: only CRI-O accepts the pod"
        ),
        confidence="likely",
    )
