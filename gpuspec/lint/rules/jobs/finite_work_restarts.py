"""Work that ends, under a controller that starts it again when it has."""

from collections.abc import Iterator

from gpuspec.kinds import an
from gpuspec.lint.analysis.serving.selecting import services_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.command_line import ArgumentWord
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.gangs import ranks
from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU722",
    "finite-work-restarts",
    "warning",
    "A controller restarts training after it has finished",
)
_WORDS = ("train", "pretrain", "finetune", "tune", "sft", "dpo", "grpo")
_SERVES = ("serve", "server", "serving", "infer", "inference", "api", "data", "dataset")
_FOREVER = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "DaemonSet")
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


def _trains(container: PodContainer) -> ArgumentWord | None:
    """Return the program that trains, by its name; what a launcher starts tells no less."""
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
