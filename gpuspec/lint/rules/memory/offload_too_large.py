"""Offloading to more host memory or disk than the container may use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import runtimes
from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.offloading import OffloadedSize, offloads_of
from gpuspec.lint.analysis.serving.shm import shm_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Quantity
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_decimal
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes import Offload

RULE = Rule(
    "GPU922",
    "offload-too-large",
    "warning",
    "A server offloads more than its container's memory, `/dev/shm` or disk holds",
)

_OWN_SHM = 64 * 2**20


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield programs that offload, against the limits of their container."""
    for gpu_container in pod.gpu_containers:
        if not gpu_container.gpus:
            continue
        for offload, size, title in offloads_of(pod, gpu_container, context.collection):
            times = gpu_container.gpus if offload.each else 1
            if offload.folder:
                yield from _on_disk(pod, gpu_container, offload, size, times)
                continue
            finding = _in_memory(gpu_container, offload, size, title)
            if finding is None and offload.shm_since:
                finding = _in_shm(pod, gpu_container, offload, size, title)
            if finding is not None:
                yield finding


def _in_memory(
    container: PodContainer, offload: Offload, size: OffloadedSize, title: str
) -> RawFinding | None:
    limit = quantity(container.limits.get("memory"))
    times = container.gpus if offload.each else 1
    if limit is None or size.size * times <= limit.int_value:
        return None
    when = "as the cache fills" if offload.fills else "when it reserves the memory"
    return RawFinding(
        size.path,
        f"{size.words} needs {size.amount} of host memory{_times(size, offload, times)}, but the "
        f"memory limit is {limit}: {title} is killed with exit code 137 {when}",
        note="offload less, or raise the memory limit",
        confidence="likely",
    )


def _in_shm(
    pod: Pod, container: PodContainer, offload: Offload, size: OffloadedSize, title: str
) -> RawFinding | None:
    """Return a finding if the memory is a file in `/dev/shm`, which is smaller."""
    shm = shm_of(pod, container)
    if runtimes.at_least(container.image, offload.shm_since) is not True:
        return None
    if shm is not None and (shm.kind != "memory" or shm.size is None):
        return None
    holds = _OWN_SHM if shm is None or shm.size is None else shm.size.int_value
    if size.size <= holds:
        return None
    has = "64 MiB" if shm is None else str(shm.size)
    return RawFinding(
        size.path,
        f"{size.words} needs {size.amount} of `/dev/shm`, which has {has}: {title} does not start",
        note="mount a larger memory-backed emptyDir at `/dev/shm`, and raise the memory limit with "
        "it, or offload less",
        confidence="likely",
    )


def _on_disk(
    pod: Pod, container: PodContainer, offload: Offload, size: OffloadedSize, times: int
) -> Iterator[RawFinding]:
    folder = (container.env_value(offload.folder) or "").removeprefix("file://")
    if not folder.startswith("/"):
        return
    holds = _disk(pod, container, folder)
    if holds is None or size.size * times <= holds[0].int_value:
        return
    yield RawFinding(
        size.path,
        f"{size.words} needs {size.amount} of disk{_times(size, offload, times)}, but {holds[1]} "
        f"is {holds[0]}: the kubelet evicts the pod as the cache fills",
        note="offload less, or enlarge the volume",
        confidence="likely",
    )


def _disk(pod: Pod, container: PodContainer, folder: str) -> tuple[Quantity, str] | None:
    """Return the size limit of a folder on the node's disk, and its source."""
    mount = mount_of(container, folder)
    volume = None if mount is None else mounted(pod, container, mount)
    empty = None if volume is None else volume.get("emptyDir")
    if mount is not None and (empty is None or mapping(empty).get("medium")):
        return None
    bound = quantity(mapping(empty).get("sizeLimit"))
    if bound is not None:
        return bound, f"`sizeLimit` of the volume at `{mount}`"
    limit = quantity(container.limits.get("ephemeral-storage"))
    return None if limit is None else (limit, "the `ephemeral-storage` limit")


def _times(size: OffloadedSize, offload: Offload, times: int) -> str:
    if not offload.each or times == 1:
        return ""
    number, _, unit = size.amount.partition(" ")
    return f" for each of {times} GPUs, {(read_decimal(number) or 0) * times:g} {unit} in all"
