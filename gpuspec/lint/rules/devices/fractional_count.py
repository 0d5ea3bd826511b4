"""A number of devices that is no whole number."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import NVIDIA
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU101",
    "fractional-count",
    "error",
    "A device count is fractional or negative",
    fix="unsafe",
)

_PARTS = {
    "amd": (
        "request a partition (CPX, DPX) as one device: `amd.com/gpu: 1`, or by name, such as "
        "`amd.com/cpx_nps4: 1`"
    ),
    "intel": (
        "where the device plugin shares its GPUs (`shared-dev-num`), request each "
        "share as one device"
    ),
}
"""What to request instead of a part of a device, by vendor; NVIDIA has more ways."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Counts like 0.5, 500m or -1, in limits or in requests."""
    for container in pod.gpu_containers:
        for device in container.devices:
            wrong: list[Path] = []
            for where, count_value in (("limits", device.limit), ("requests", device.request)):
                if isinstance(count_value, int) and count_value >= 0:
                    continue
                amount = quantity(count_value)
                if amount is not None and (amount < 0 or amount.value.denominator != 1):
                    wrong.append(device.at(where))
            if wrong:
                shown = device.limit if wrong[0] == device.at("limits") else device.request
                puts = tuple(Put(path, 1) for path in wrong)
                yield RawFinding(
                    wrong[0],
                    f"`{device.name}: {shown}` is not a whole number of devices: the API server "
                    "rejects the pod",
                    note=_instead(context, device.what.vendor),
                    fix=Fix("request one device", puts),
                )


def _instead(context: Context, vendor: str) -> str:
    shared = [pool.pool for pool in context.placed if pool.pool.sharing is not None]
    if shared:
        offered = names([pool.name for pool in shared])
        return f"request each share as one device: pools {offered} share their GPUs"
    if vendor != NVIDIA:
        return _PARTS.get(vendor, "request a whole number of devices")
    return (
        "request part of a GPU as a MIG slice (`nvidia.com/mig-1g.10gb`), as a share "
        "that time-slicing or MPS advertises, or by a ResourceClaim"
    )
