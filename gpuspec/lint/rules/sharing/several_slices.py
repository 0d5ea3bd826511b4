"""Several MIG slices in one container, of which a process sees one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.sharing.mig import PREFIX, slices
from gpuspec.lint.analysis.sharing.sharing import lands
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.devices import DeviceRequest

RULE = Rule(
    "GPU313",
    "several-slices",
    "warning",
    "A container requests several MIG slices, but a process can use only one",
    gives_way=("GPU102", "GPU311"),
)

_LAUNCHERS = ("torchrun", "mpirun", "deepspeed", "accelerate", "torch.distributed.run")
_PARALLEL = ("--tensor-parallel-size", "-tp", "--tp", "--tp-size", "--num-shard")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield slices by their profile, and those that the strategy `single` calls GPUs."""
    for container in pod.gpu_containers:
        if container.gpus < 2:
            continue
        requests = [request for request in slices(container) if request.count]
        total = sum(request.count or 0 for request in requests)
        if total > 1:
            yield _found(container, requests, total)
        elif not requests:
            yield from _single(pod, container, context)


def _single(pod: Pod, container: PodContainer, context: Context) -> Iterator[RawFinding]:
    plain = [device for device in container.devices if (device.count or 0) > 1]
    if not plain or plain[0].what.vendor != "nvidia":
        return
    pools = lands(pod, context)
    if pools and all(
        pool.pool.sharing and pool.pool.sharing.mode == "mig" and not pool.pool.whole_gpus
        for pool in pools
    ):
        where = f" (every `{plain[0].name}` of pool `{pools[0].pool.name}` is one)"
        yield _found(container, plain, plain[0].count or 0, where)


def _found(
    container: PodContainer, device_requests: list[DeviceRequest], total: int, where: str = ""
) -> RawFinding:
    last = device_requests[-1]
    launcher = container.words.has(*_LAUNCHERS)
    flag = container.words.flag(*_PARALLEL)
    if len(device_requests) > 1:
        kinds = " and ".join(
            f"`{device_request.name.removeprefix(PREFIX)}`" for device_request in device_requests
        )
        fault = f"the container requests MIG slices of {len(device_requests)} profiles ({kinds})"
    else:
        fault = f"the container requests {total} MIG slices{where}"
    if launcher is not None:
        will = (
            "a CUDA process sees only one slice, and NCCL cannot connect the processes that "
            f"`{launcher.text.rpartition('/')[2]}` starts"
        )
    elif flag is not None and (flag.number or 0) > 1:
        will = (
            f"a CUDA process sees only one slice, and `{flag.name} {flag.value}` finds too few "
            "devices"
        )
    else:
        will = "a CUDA process sees only the first slice, and the other slices sit idle"
    return RawFinding(
        last.path,
        f"{fault}: {will}",
        note="request one larger slice, more pods with one slice each, or whole GPUs",
        confidence="certain" if launcher or flag or len(device_requests) > 1 else "likely",
    )
