"""A model server that needs a GPU, in a pod that asks for none."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.placement.asking import asks_for_gpu
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU106",
    "server-without-device",
    "warning",
    "A model server needs a GPU, but its pod requests none",
    gives_way=("GPU101", "GPU103", "GPU105"),
)

# How tags name builds for other processors.
_ELSEWHERE = ("cpu", "xeon", "tpu", "neuron", "arm", "openvino", "xpu", "hpu", "gaudi")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield images of servers that are known, started as servers."""
    if not is_whole(pod) or asks_for_gpu(pod):
        return
    if any(other.has_gpu or other.claims for other in pod.object.pods):
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


def _server(container: PodContainer) -> str | None:
    """Return the server's title, where the container is one that needs a GPU."""
    server = server_of(container)
    if server is None or server.device is None:
        return None
    if not runtimes.is_image_of(server.name, container.image):
        return None
    tag = container.image.rpartition("/")[2].lower()
    if any(other in tag for other in _ELSEWHERE) or any(
        word.text.lower() == "cpu" for word in container.words
    ):
        return None
    if any(name in container.env for name in server.device.unless):
        return None
    return server.title
