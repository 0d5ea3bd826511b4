"""A model server that needs a GPU, in a pod that asks for none."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.placement.asking import asks_for_gpu
from gpuspec.objects.containers import Container
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU106",
    "server-without-device",
    "warning",
    "A model server that needs a GPU runs in a pod that asks for no device",
    gives_way=("GPU101", "GPU103", "GPU105"),
)

# Servers whose usual image does nothing without an accelerator, and how their command is known.
_COMMANDS = {
    "vllm": ("serve", "vllm.entrypoints.openai.api_server"),
    "sglang": ("sglang.launch_server",),
    "tgi": ("text-generation-launcher",),
    "nim": (),
}
# Builds and settings for other processors.
_ELSEWHERE = ("cpu", "xeon", "tpu", "neuron", "arm", "openvino", "xpu", "hpu", "gaudi")


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Images of servers that are known, started as servers."""
    if not is_whole(pod) or asks_for_gpu(pod):
        return
    if any(other.has_gpu or other.claims for other in pod.object.pods):
        return
    for container in pod.containers:
        server = _server(container)
        if server is not None:
            yield Found(
                container.path("image"),
                f"`{container.image}` needs a GPU and the pod asks for none: "
                f"{server} ends when it finds no device",
                note="write the device in `resources.limits`, or take the image that is built for "
                "CPUs",
                confidence="likely",
            )


def _server(container: Container) -> str | None:
    """The server's title, where the container is one that needs a GPU."""
    from gpuspec import runtimes

    if not container.image:
        return None
    name = runtimes.recognise(container.image)
    if name not in _COMMANDS:
        return None
    tag = container.image.rpartition("/")[2].lower()
    words = [word.text.lower() for word in container.words]
    if any(other in tag for other in _ELSEWHERE) or "cpu" in words:
        return None
    if any(key in container.env for key in ("VLLM_TARGET_DEVICE", "VLLM_CPU_KVCACHE_SPACE")):
        return None
    if "command" in container.value and not _is_started(name, words):
        return None
    return runtimes.get(name).title


def _is_started(name: str, words: list[str]) -> bool:
    if "bench" in words:
        return False
    return any(
        word == start or word.endswith("/" + start) for start in _COMMANDS[name] for word in words
    )
