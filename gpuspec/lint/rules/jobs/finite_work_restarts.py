"""Work that ends, under a controller that starts it again when it has."""

from collections.abc import Iterator

from gpuspec.kinds import an
from gpuspec.lint.analysis.serving.selecting import services_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.command_line import SHELLS, ArgumentWord
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.gangs import ranks
from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.recognise import is_image

RULE = Rule(
    "GPU722",
    "finite-work-restarts",
    "warning",
    "A controller restarts work that has finished",
)
_WORDS = ("train", "pretrain", "finetune", "tune", "sft", "dpo", "grpo")
_SERVES = ("serve", "server", "serving", "infer", "inference", "api", "data", "dataset")
_FOREVER = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "DaemonSet")
# Images of a toolkit or a language, whose own command is a shell that ends without a terminal.
_SHELL_IMAGES = (
    "nvidia/cuda",
    "pytorch/pytorch",
    "nvidia/pytorch",
    "nvidia/tensorflow",
    "rocm/pytorch",
)
_SAMPLES = ("nvidia/samples", "k8s/cuda-sample", "cuda-vector-add")
_LOOPS = ("-l", "--loop", "-lms", "--loop-ms", "dmon", "pmon", "daemon")
_ENDLESS = ("sleep", "jupyter", "jupyter-lab", "uvicorn", "gunicorn", "serve", "tail", "sshd")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers with accelerators that start training and serve nothing."""
    if pod.object.kind not in _FOREVER or pod.object.group not in ("apps", ""):
        return
    for container in pod.containers:
        # What ranks open is for each other.
        serves = (container.ports and not ranks(pod)) or _has_probe(container)
        if not container.devices or serves:
            continue
        if (ends := _ends_at_once(container)) is not None:
            yield RawFinding(
                container.path("command" if container.value.get("command") else "image"),
                f"{ends} ends at once, and {an(pod.object.kind)} starts it again: the pod goes into "
                "`CrashLoopBackOff` and holds its GPUs",
                note="use a Job, or write the program that the container is to run in `command`",
                confidence="likely",
            )
            continue
        word = _trains(container)
        if word is None or container.words.has(*_ENDLESS) is not None:
            continue
        if not ranks(pod) and services_of(pod, context.collection):
            return
        yield RawFinding(
            word.path,
            f"`{word.text}` finishes, and {an(pod.object.kind)} starts it again: the run repeats "
            "endlessly on its GPUs, and a failure looks like a restart",
            note="use a Job, which ends with its work, counts retries and frees the GPUs",
            confidence="likely",
        )


def _has_probe(container: PodContainer) -> bool:
    return any(container.probe(kind) for kind in ("readiness", "liveness", "startup"))


def _ends_at_once(container: PodContainer) -> str | None:
    """Return a program that certainly ends in its first moments, in words."""
    words = [word.text for word in container.words]
    if container.value.get("stdin") is True or container.value.get("tty") is True:
        return None
    if not words:
        if is_image(container.image, _SAMPLES):
            return f"the sample of `{container.image.partition('@')[0]}`"
        if is_image(container.image, _SHELL_IMAGES):
            return f"the shell of `{container.image.partition('@')[0]}`, which gets no terminal,"
        return None
    first = words[0].rpartition("/")[2]
    if first == "nvidia-smi" and not any(word.startswith(_LOOPS) for word in words[1:]):
        return "`nvidia-smi`"
    return f"`{first}` without a script" if first in SHELLS and len(words) == 1 else None


def _trains(container: PodContainer) -> ArgumentWord | None:
    """Return the name of the training program, also behind a launcher."""
    launch = launch_of(container)
    words = container.words.all
    for index, word in enumerate(words):
        name = word.text.rpartition("/")[2].lower()
        after_module = index > 0 and words[index - 1].text in ("-m", "--module")
        if not name.endswith((".py", ".sh")) and not after_module:
            continue
        parts = name.replace("-", "_").replace(".", "_").split("_")
        if any(part in _SERVES for part in parts):
            continue
        if any(part.startswith(_WORDS) for part in parts):
            return launch.word if launch is not None and launch.word.path == word.path else word
    return None
