"""An image that is built for one vendor's devices, in a container that requests another vendor's."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU425",
    "image-of-other-maker",
    "warning",
    "An image is built for another vendor's devices than those the container requests",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield images that the table of makers knows, by repository and tag."""
    for gpu_container in pod.gpu_containers:
        maker = hardware.vendor(hardware.built_for(gpu_container.image) or "")
        if maker is None or any(
            device.what.vendor == maker.name for device in gpu_container.devices
        ):
            continue
        device = gpu_container.devices[0]
        yield RawFinding(
            gpu_container.path("image"),
            f"`{gpu_container.image}` is built for {maker.title} devices, but the container requests `{device.name}`: "
            "its libraries find no device, and the program exits or runs on the CPU",
            note=f"use the image built for `{device.name}`, or request `{maker.resources[0].name}`",
            confidence="likely",
        )
