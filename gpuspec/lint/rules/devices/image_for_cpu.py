"""A CPU-only image in a container that requests a GPU."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.lint.analysis.serving.serving_runtimes import runtime_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU849",
    "image-for-cpu",
    "warning",
    "A CPU-only image requests a GPU",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield images whose names or tags identify CPU-only builds; GPU731 reports those of model
    servers. If a model takes its image from a ServingRuntime in the set, that one is reported."""
    for gpu_container in pod.gpu_containers:
        runtime = None if gpu_container.image else runtime_of(pod, gpu_container, context)
        holder = gpu_container if runtime is None else runtime.container
        instead = hardware.instead_of_cpu_build(holder.image)
        if instead is None or all(device.count == 0 for device in gpu_container.devices):
            continue
        requested = f"`{gpu_container.devices[0].name}`" if gpu_container.devices else "a device"
        who = "but the container requests" if runtime is None else f"but {_name(pod)} requests"
        yield RawFinding(
            holder.path("image"),
            f"`{holder.image.partition('@')[0]}` is a CPU-only build, {who} {requested}: the program "
            "finds no device, and exits or runs on the CPU",
            note=f"use {instead}",
            confidence="likely",
            object=None if runtime is None else runtime.object.number,
        )


def _name(pod: Pod) -> str:
    return f"{pod.object.kind} `{pod.object.name}`"
