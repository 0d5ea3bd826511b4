"""Settings that let a container see accelerators that were not allocated to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.placement.instances import oci_gpus
from gpuspec.lint.analysis.placement.nodes import nodes
from gpuspec.lint.analysis.placement.placing import in_all, reached
from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.devices import DeviceRequest
    from gpuspec.objects.objects import Pod

# Device files of accelerators; a folder of them is as good.
_DEVICES = ("/dev/nvidia", "/dev/dri", "/dev/kfd", "/dev/accel")
_FOLDERS = ("/", "/dev")
_FABRIC = "/dev/infiniband"
# Most nodes with several GPUs have so many; a pod that has them all takes nobody's.
_WHOLE_NODE = 8


class HostDevice(msgspec.Struct, frozen=True):
    """A volume with device files of the node, and its path."""

    file: str
    path: Path

    @property
    def is_folder(self) -> bool:
        """Whether it holds all devices of the node."""
        return self.file in _FOLDERS


def device_volumes(pod: Pod) -> dict[str, HostDevice]:
    """Return the volumes with device files of accelerators, by name."""
    devices: dict[str, HostDevice] = {}
    for name, (index, volume) in pod.volumes.items():
        if "hostPath" not in volume:
            continue
        path = text(mapping(volume["hostPath"]).get("path"))
        file = path.rstrip("/") or path[:1]
        if file in _FOLDERS or file.startswith(_DEVICES):
            devices[name] = HostDevice(file, pod.path("volumes", index, "hostPath", "path"))
    return devices


def fabric_volumes(pod: Pod) -> dict[str, Path]:
    """Return the volumes with device files of RDMA devices, by name, with their paths."""
    return {
        name: pod.path("volumes", index, "hostPath", "path")
        for name, (index, volume) in pod.volumes.items()
        if f"{text(mapping(volume.get('hostPath')).get('path'))}/".startswith(f"{_FABRIC}/")
    }


def is_privileged(container: PodContainer) -> bool:
    """Return whether the container sees every device file of the node."""
    return container.security.get("privileged") is True


def sees_others(pod: Pod, context: Context) -> list[tuple[PodContainer, DeviceRequest]]:
    """Return privileged containers with some of a node's devices that see all of them; one device
    for each."""
    if pod.object.kind == "DaemonSet" or not any(map(is_privileged, pod.gpu_containers)):
        return []
    pools = reached(pod, context)
    whole = min((pool.pool.gpu.count for pool in pools), default=0) or _common_node(pod, context)
    partial_requests: list[tuple[PodContainer, DeviceRequest]] = []
    for gpu_container in pod.gpu_containers:
        # A TPU's host is one pod's as a whole, and its drivers ask for it.
        device = next(
            (request for request in gpu_container.devices if request.what.vendor != "tpu"), None
        )
        if device is not None and is_privileged(gpu_container) and 0 < (device.count or 0) < whole:
            partial_requests.append((gpu_container, device))
    return partial_requests


def _common_node(pod: Pod, context: Context) -> int:
    """Return the GPUs of the largest node in its selectors, or of most nodes."""
    shape_gpus = oci_gpus(in_all(pod))
    if shape_gpus is not None:
        return shape_gpus
    return max((kind.host.gpus for kind in nodes(pod, context).kinds), default=_WHOLE_NODE)
