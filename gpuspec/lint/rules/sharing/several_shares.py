"""More than one share of a GPU in one container."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.sharing.sharing import Splits, splits
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.devices import DeviceRequest
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU301",
    "several-shares",
    "error",
    "A container requests more than one share of a GPU",
    gives_way=("GPU102", "GPU303"),
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield counts above one of a resource that is a share in some or all pools."""
    for container in pod.gpu_containers:
        for device in container.devices:
            if (device.count or 0) < 2:
                continue
            pod_splits = splits(pod, device, context)
            if pod_splits is not None:
                yield _found(device, pod_splits)


def _found(device: DeviceRequest, pod_splits: Splits) -> RawFinding:
    split = pod_splits.ways[0]
    sure = pod_splits.every and split.pool is not None
    refused = all(way.refuses for way in pod_splits.ways)
    if refused:
        will = (
            "the kubelet rejects a request for more than one share (`UnexpectedAdmissionError`), "
            "without a retry"
        )
    elif split.mode == "mps":
        will = "the shares may be of one GPU, each with its own limits"
    else:
        will = "the shares may be turns on one GPU, not several GPUs"
    elsewhere = "" if pod_splits.every else " on nodes where the pod may run"
    return RawFinding(
        device.path,
        f"the container requests `{device.name}: {device.count}`, but {split.words}{elsewhere}: "
        f"{will}",
        note=f"set `{device.name}: 1`, or select a pool without sharing and request whole GPUs",
        fix=Fix(f"set `{device.name}: 1`", _ones(device)),
        severity="error" if refused and sure else pod_splits.severity or "warning",
        confidence=pod_splits.certain,
    )


def _ones(device: DeviceRequest) -> tuple[Put, ...]:
    amounts_by_field = (("limits", device.limit), ("requests", device.request))
    return tuple(Put(device.at(where), 1) for where, value in amounts_by_field if value is not None)
