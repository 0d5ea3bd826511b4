"""A program that needs a GPU, in a pod that requests none."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from gpuspec import hardware, runtimes
from gpuspec.lint.analysis.placement.asking import asks_for_gpu
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.numbers import read_whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU106",
    "server-without-device",
    "warning",
    "A program needs a GPU, but its pod requests none",
    gives_way=("GPU101", "GPU103", "GPU105"),
)

# How tags name builds for other processors.
_ELSEWHERE = ("cpu", "xeon", "tpu", "neuron", "arm", "openvino", "xpu", "hpu", "gaudi")

_RELEASE = re.compile(r"v?[0-9]+(?:\.[0-9]+)+(?:-cu[0-9]+)?")
"""The tag of a published release, which is built for GPUs."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield images of servers that are known, started as servers."""
    if not is_whole(pod) or asks_for_gpu(pod):
        return
    if any(sibling.has_gpu or sibling.claims for sibling in pod.object.pods):
        return
    for container in pod.containers:
        server = _server(container)
        if server is not None:
            yield RawFinding(
                container.path("image"),
                f"`{container.image}` needs a GPU, but the pod requests none: {server} exits "
                "when it finds no device",
                note="add the device to `resources.limits`, or use the CPU image",
                confidence="likely",
            )
        elif not _sees_gpus(pod, container):
            yield from _told_to_use(container)
            yield from _processes(pod, container)


def _told_to_use(container: PodContainer) -> Iterator[RawFinding]:
    """Yield options that place the work on a GPU."""
    note = "add the device to `resources.limits`, or remove the option"
    accelerators = runtimes.common().accelerators
    device = container.words.flag(*accelerators.options)
    if device is not None and (device.value or "").partition(":")[0] in accelerators.words:
        yield RawFinding(
            device.path,
            f"`{device.name} {device.value}` needs an accelerator, but the pod requests none: the "
            "program ends when it finds no device",
            note=note,
            confidence="likely",
        )
    for name in container.env:
        value = container.env_value(name) or ""
        if value.partition(":")[0].lower() in accelerators.words and any(
            fnmatchcase(name, pattern) for pattern in accelerators.variables
        ):
            yield RawFinding(
                (*container.env_path(name), "value"),
                f"`{name}={value}` needs an accelerator, but the pod requests none: the program ends "
                "when it finds no device, or computes on the CPU",
                note="add the device to `resources.limits`, or change the variable",
                confidence="possible",
            )
    server = server_of(container)
    offload = None if server is None else server.settings.offload
    if server is None or offload is None or runtimes.is_for_cpu(server.name, container.image):
        return
    names = [name for name in (*offload.arguments, *offload.also) if name.startswith("-")]
    layers = container.words.flag(*names)
    if layers is not None and read_whole(layers.value or "") not in (None, 0):
        yield RawFinding(
            layers.path,
            f"`{layers.name} {layers.value}` has no effect without a GPU, and the pod requests none: "
            f"{server.title} computes on the CPU",
            note=note,
            confidence="likely",
        )


def _processes(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield several processes a node, each of which takes a device, in an image that is built for
    one maker's devices."""
    maker = hardware.vendor(hardware.built_for(container.image) or "")
    number = _per_node(pod, container)
    if maker is None or number is None or number < 2:
        return
    yield RawFinding(
        container.path("resources", "limits"),
        f"the launcher starts {number} processes a node from an image for {maker.title}, "
        "but the pod requests no device: each process exits when it finds none",
        note=f"request {number} devices in `resources.limits`",
        confidence="likely",
    )


def _per_node(pod: Pod, container: PodContainer) -> int | None:
    """Return the processes that a launcher starts on each node."""
    launch, field = launch_of(container), pod.object.traits.processes
    if launch is None or launch.program == "accelerate":
        return None
    if launch.processes is not None:
        return launch.processes.number
    return whole(at(pod.object.value, field)) if field else None


def _sees_gpus(pod: Pod, container: PodContainer) -> bool:
    """Return whether the container may see the node's GPUs without a request."""
    if text(pod.spec.get("runtimeClassName")) or "NVIDIA_VISIBLE_DEVICES" in container.env:
        return True
    if any(isinstance(name, str) and "/" in name for name in container.limits):
        return True  # devices of another plugin, such as `devic.es/dri-render`
    volumes = (mapping(volume) for volume in items(pod.spec.get("volumes")))
    return any(
        text(mapping(volume.get("hostPath")).get("path")).startswith("/dev") for volume in volumes
    )


def _server(container: PodContainer) -> str | None:
    """Return the server's title, if the container runs one that needs a GPU."""
    server = server_of(container)
    if server is None or server.device is None:
        return None
    if not runtimes.is_image_of(server.name, container.image):
        return None
    tag = container.image.rpartition("/")[2].lower()
    if any(sign in tag for sign in _ELSEWHERE) or any(
        word.text.lower() == "cpu" for word in container.words
    ):
        return None
    tag = tag.partition("@")[0].partition(":")[2]
    is_fixed = server.device.in_own_builds and _RELEASE.fullmatch(tag)
    if not is_fixed and any(name in container.env for name in server.device.unless):
        return None
    return server.title
