"""Device files that GKE assigns to a container by a name that no container has."""

from collections.abc import Iterator

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.network.gke import DEVICES, handed_to
from gpuspec.lint.analysis.security.bypass import is_privileged
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU781",
    "devices-to-no-container",
    "warning",
    "Device files go to a container that does not exist or does not need them",
)
_DAEMON = "tcpgpudmarxd"
"""In the image of GPUDirect-TCPX and of TCPXO."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield annotations of the device injector; daemons that need one."""
    if not is_whole(pod):
        return
    handed = handed_to(pod)
    names = [container.name for container in pod.every]
    for name, key in handed.items():
        if name not in names and pod.metadata_path is not None:
            container_names = ", ".join(f"`{container_name}`" for container_name in names)
            yield RawFinding(
                (*pod.metadata_path, "annotations", key),
                f"the annotation gives device files to container `{name}`, but the pod has only "
                f"{container_names}: no container gets them",
                note=f"write {choice_of(names)} in the annotation",
                key=True,
            )
    for container in pod.every:
        if _is_daemon(container) and container.name not in handed and not is_privileged(container):
            yield RawFinding(
                container.path("name"),
                f"`{container.name}` manages GPU memory for NCCL, but gets no GPU device files: it "
                "exits at startup, and NCCL loses its fast path",
                note=f"add the annotation `{DEVICES}{container.name}`, which provides them if the "
                "device injector runs on the nodes",
                confidence="likely",
            )


def _is_daemon(container: PodContainer) -> bool:
    return _DAEMON in container.image.rpartition("/")[2] and not container.devices
