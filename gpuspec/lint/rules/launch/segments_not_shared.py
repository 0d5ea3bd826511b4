"""Memory of PyTorch's that vLLM cannot share between the processes of one model."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import NVIDIA, maker
from gpuspec.lint.analysis.gangs.parallel import degree_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU793",
    "segments-not-shared",
    "warning",
    "vLLM splits a model over GPUs with PyTorch's expandable segments enabled",
)
# The first that is there counts.
_VARIABLES = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
_WITHOUT = (
    *("--disable-custom-all-reduce", "--enforce-eager"),
    # These may say that no graph is captured.
    *("--compilation-config", "-cc", "-O", "-O0", "--optimization-level", "--config"),
)
_DIVIDED = (2, 4, 6, 8)
"""Among how many GPUs of one node vLLM sums with a kernel of its own."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers of vLLM that capture graphs of a divided model on NVIDIA's GPUs."""
    for gpu_container in pod.gpu_containers:
        segments = _segments(gpu_container)
        if segments is None or maker(gpu_container) != NVIDIA:
            continue
        degree = degree_of(gpu_container)
        if degree is None or degree.server != "vllm" or degree.tensor not in _DIVIDED:
            continue
        if degree.tensor > gpu_container.gpus or gpu_container.words.flag(*_WITHOUT) is not None:
            continue
        yield RawFinding(
            (*gpu_container.env_path(segments), "value"),
            f"`expandable_segments:True` does not work with `{degree.words}`: vLLM's custom "
            "all-reduce cannot share such memory between processes, which fail with `invalid "
            "argument` (`custom_all_reduce.cuh`)",
            note=(
                "remove `expandable_segments:True`, or add `--disable-custom-all-reduce`: vLLM "
                "skips custom all-reduce on GPUs without a direct connection"
            ),
            confidence="likely",
        )


def _segments(container: PodContainer) -> str | None:
    """Return the variable that turns them on, if it is the one that counts."""
    name = next((name for name in _VARIABLES if name in container.env), None)
    if name is None:
        return None
    settings = (container.env_value(name) or "").replace(" ", "").casefold().split(",")
    return name if "expandable_segments:true" in settings else None
