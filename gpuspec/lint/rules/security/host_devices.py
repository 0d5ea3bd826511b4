"""Mounted device files of the node's GPUs, or of fabric devices that are not allocated."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.lint.analysis.placement.enforced import refuses_baseline
from gpuspec.lint.analysis.placement.fabrics import fabric_devices
from gpuspec.lint.analysis.security.bypass import device_volumes, fabric_volumes, is_privileged
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU605",
    "host-devices",
    "warning",
    "The node's device files are mounted without the device plugin",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield volumes of device files. A DaemonSet is an agent of the node, and may access all of
    them."""
    devices, fabric = device_volumes(pod), fabric_volumes(pod)
    if not (devices or fabric) or pod.object.kind == "DaemonSet" or refuses_baseline(pod, context):
        return
    if any(is_privileged(container) for container in pod.every):
        # Every device is there anyway.
        return
    mounted = [
        entry.get("name") for container in pod.every for _, entry in container.mounts.values()
    ]
    for name, device in devices.items():
        # All of `/dev` is mounted for other reasons too, where no GPU is asked for.
        if name not in mounted or (device.is_folder and not pod.has_gpu):
            continue
        yield RawFinding(
            device.path,
            f"the device files of `{device.file}` on the node bypass the device plugin: "
            + (
                "the container can open GPUs of other pods"
                if pod.has_gpu
                else "the scheduler counts the pod's GPUs as free"
            ),
            note="remove the volume and its mount: the device plugin mounts the files"
            if pod.has_gpu
            else "request the device in `limits`: its plugin then mounts the files",
        )
    for container in pod.containers if fabric else ():
        fabric_device = next(iter(fabric_devices(container, context)), None)
        for _, entry in container.mounts.values():
            path = fabric.get(text(entry.get("name")))
            if fabric_device is not None and path is not None:
                kind = hardware.fabric(fabric_device)
                harm = None if kind is None else kind.exposed
                yield RawFinding(
                    path,
                    "the volume shows all devices of the node, but the container can open only "
                    f"those that the device plugin of `{fabric_device}` gives it"
                    + (f": {harm}" if harm else ""),
                    note="remove the volume and its mount",
                    confidence="likely",
                )
