"""Device files of the node's GPUs, mounted."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.placement.enforced import refuses_baseline
from gpuspec.lint.subjects.security.bypass import device_volumes, is_privileged
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU605",
    "host-devices",
    "warning",
    "The node's device files are mounted past the device plugin",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Volumes of device files. A DaemonSet is an agent of the node: it may see them all."""
    devices = device_volumes(pod)
    if not devices or pod.object.kind == "DaemonSet" or refuses_baseline(pod, context):
        return
    if any(is_privileged(one) for one in pod.every):
        # Every device is there anyway.
        return
    mounted = [entry.get("name") for one in pod.every for _, entry in one.mounts.values()]
    for name, device in devices.items():
        # All of `/dev` is mounted for other reasons too, where no GPU is asked for.
        if name not in mounted or (device.is_folder and not pod.has_gpu):
            continue
        yield Found(
            device.path,
            f"`{device.file}` of the node brings device files that no device plugin counts: the "
            "scheduler takes GPUs for free that this pod uses",
            note="ask for the device's resource in `limits`; the plugin mounts what is needed",
        )
