"""A MIG slice and a fabric's device in one container."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.sharing.mig import slices
from gpuspec.lint.analysis.sharing.sharing import lands
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU314",
    "slice-with-fabric",
    "warning",
    "A container with a MIG slice also holds a fabric device",
    gives_way=("GPU311",),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield slices together with RDMA devices, which NCCL uses between whole GPUs."""
    from gpuspec import hardware

    for container in pod.gpu_containers:
        cut = [request.name for request in slices(container) if request.count]
        if not cut:
            pools = lands(pod, context) if context.cluster else []
            if not pools or not all(
                pool.pool.sharing and pool.pool.sharing.mode == "mig" and not pool.pool.whole_gpus
                for pool in pools
            ):
                continue
            cut = [container.devices[0].name]
        for name in container.limits:
            if isinstance(name, str) and "/" in name and hardware.fabric(name) is not None:
                yield RawFinding(
                    container.path(container.resources_at, "limits", name),
                    f"`{name}` is requested with the MIG slice `{cut[0]}`: NCCL does not work "
                    "across slices, so the container cannot use the fabric device",
                    note=(
                        "request whole GPUs for work across several GPUs, or remove the fabric "
                        "device"
                    ),
                    key=True,
                    confidence="likely",
                )
                break
