"""A user other than root, and device files that belong to a group."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.security.users import is_non_root, uid_of
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU622",
    "device-group",
    "warning",
    "A container that is not root has AMD GPUs, and is in no group that may open them",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """AMD's devices: NVIDIA's are open to anyone in the container."""
    if not is_whole(pod) or pod.security.get("supplementalGroups"):
        return
    for one in pod.gpu_containers:
        amd = any(device.what.vendor == "amd" for device in one.devices)
        own = one.security.get("runAsGroup", pod.security.get("runAsGroup"))
        uid = uid_of(pod, one)
        # A group other than the user's own may be the devices'.
        if not amd or not is_non_root(pod, one) or (own is not None and own not in (uid, 0)):
            continue
        yield Found(
            pod.path("securityContext", "supplementalGroups"),
            f"runs as {'a user other than root' if uid is None else f'user {uid}'}, and `/dev/kfd` and "
            "`/dev/dri` are open to the groups `render` and `video` alone: ROCm finds no GPU",
            note="`supplementalGroups` takes their numbers on the nodes, often 44 for `video` and 109 "
            "or 992 for `render`: `getent group render video` tells",
            confidence="likely",
        )
        return
