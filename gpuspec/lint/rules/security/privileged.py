"""A privileged container with a limit of GPUs."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.enforced import refuses_baseline
from gpuspec.lint.analysis.placement.fabrics import fabric_devices
from gpuspec.lint.analysis.security.bypass import fabric_volumes, sees_others
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU603",
    "privileged-sees-every-gpu",
    "warning",
    "A privileged container sees every GPU of its node",
)


_ALL_OF_SOME = 4
"""GPUs that some nodes have and no more."""

_OF_FABRIC = (
    "remove `privileged`: RDMA needs only the fabric's resource and the right to lock memory, "
    "by the node's memlock limit or by `IPC_LOCK` for root"
)
_OF_DEVICE = (
    "remove `privileged`: the device plugin and the runtime provide a GPU's device files and driver"
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield privileged containers that request some of a node's devices."""
    seeing_all = sees_others(pod, context)
    if not seeing_all or refuses_baseline(pod, context):
        return
    for container, device in seeing_all:
        yield RawFinding(
            container.path("securityContext", "privileged"),
            "`privileged` shows this container every device of its node: its limit of "
            f"{device.count} `{device.name}` has no effect, and it can use GPUs of other pods",
            severity="info" if (device.count or 0) >= _ALL_OF_SOME else None,
            note=_OF_FABRIC if _has_fabric(pod, container, context) else _OF_DEVICE,
        )


def _has_fabric(pod: Pod, container: PodContainer, context: Context) -> bool:
    """Return whether RDMA may be the reason for the privilege."""
    return (
        "IPC_LOCK" in items(mapping(container.security.get("capabilities")).get("add"))
        or bool(fabric_devices(container, context))
        or bool(fabric_volumes(pod))
    )
