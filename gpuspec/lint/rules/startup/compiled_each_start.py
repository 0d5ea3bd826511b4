"""A server that compiles its model anew at every start, though its weights are kept."""

from collections.abc import Iterator

from gpuspec.lint.analysis.security.users import is_non_root, mount_of, mounted
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import at_least

RULE = Rule(
    "GPU778",
    "compiled-each-start",
    "info",
    "A server's compile cache is lost at each restart",
)

_SERVER = "vllm"
_SINCE = "0.8.0"
"""The first release that compiles most models by default."""
_FOLDERS = (
    ("VLLM_CACHE_ROOT", ""),
    ("XDG_CACHE_HOME", "/vllm"),
    ("HOME", "/.cache/vllm"),
)
"""The variables that it reads in turn, and the suffix for each."""
_DEFAULT = "/root/.cache/vllm"
_OTHERWISE = ("--enforce-eager", "--compilation-config", "-O", "-cc", "--optimization-level")
_OFF = ("VLLM_DISABLE_COMPILE_CACHE", "TORCH_COMPILE_DISABLE", "VLLM_TORCH_COMPILE_LEVEL")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield vLLM that runs for long with a claim: who has none, or a node's folder, has no place
    for it."""
    if pod.life == "finite" or not is_whole(pod):
        return
    for gpu_container in pod.gpu_containers:
        server = server_of(gpu_container) if gpu_container.stage == "main" else None
        if server is None or server.name != _SERVER or not _has_claim(pod, gpu_container):
            continue
        if at_least(gpu_container.image, _SINCE) is not True or _is_told_otherwise(gpu_container):
            continue
        folder = _folder(pod, gpu_container)
        if folder is None or mount_of(gpu_container, folder) is not None:
            continue
        yield RawFinding(
            gpu_container.path("volumeMounts"),
            f"{server.title} keeps its compile cache in `{folder}`, where no volume is mounted: "
            f"{server.title} compiles the model again at each start, which takes minutes for a "
            "large model",
            note=f"mount a claim at `{folder}`, or set `{_FOLDERS[0][0]}` to a folder on a claim",
            confidence="likely",
        )


def _has_claim(pod: Pod, container: PodContainer) -> bool:
    return any(
        "persistentVolumeClaim" in (mounted(pod, container, mount) or {})
        for mount in container.mounts
    )


def _folder(pod: Pod, container: PodContainer) -> str | None:
    """Return the folder of the compiled code; None if unknown, or not writable."""
    if container.value.get("envFrom") or container.security.get("readOnlyRootFilesystem") is True:
        return None
    for name, below in _FOLDERS:
        if name in container.env:
            value = container.env_value(name) or ""
            is_known = value.startswith("/") and "$" not in value and "{{" not in value
            return f"{value.rstrip('/')}{below}" if is_known else None
    return None if is_non_root(pod, container) else _DEFAULT


def _is_told_otherwise(container: PodContainer) -> bool:
    """Return whether an option or a variable configures compilation, or disables the cache."""
    short = any(word.text.startswith(("-O", "-cc")) for word in container.words)
    return (
        short
        or container.words.flag(*_OTHERWISE) is not None
        or any(n in container.env for n in _OFF)
    )
