"""Training on a GPU that others share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gpuspec.lint.analysis.sharing.sharing import Splits, splits
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.command_line import ArgumentWord
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU305",
    "training-on-shares",
    "warning",
    "Training runs on a shared GPU",
    gives_way=("GPU301", "GPU302"),
)

_LAUNCHERS = (
    "torchrun",
    "deepspeed",
    "accelerate",
    "torch.distributed.run",
    "torch.distributed.launch",
)
_WAIVER = "gpuspec.dev/waiver-time-slicing"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield workers that meet, and single programs that by their command train."""
    if pod.life != "finite" or _WAIVER in pod.object.annotations:
        return
    for container in pod.gpu_containers:
        device = container.devices[0]
        pod_splits = splits(pod, device, context) if device.count != 0 else None
        if pod_splits is None:
            continue
        trains = container.words.has(*_LAUNCHERS) or _trains(container.words.all)
        together = pod.role.gang and (pod.role.count is None or _workers(pod) > 1)
        if trains or together:
            yield _found(device.path, pod_splits, together)
            return


def _found(path: tuple[str | int, ...], pod_splits: Splits, together: bool) -> RawFinding:
    way = pod_splits.ways[0]
    words = way.words if pod_splits.every else f"{way.words}, where the pod may run"
    subject = "this program trains"
    if together:
        subject = "these workers work together"
        then = "two of them on one GPU make NCCL fail with `Duplicate GPU detected`"
    elif way.mode == "mps":
        then = (
            "a fault in one program stops all programs on the GPU, and memory is limited to the "
            "share"
        )
    else:
        then = "training gets only a share of the time, and a neighbour's memory use can kill it"
    return RawFinding(
        path,
        f"{subject}, but {words}: {then}",
        note="train on whole GPUs, or, as a single process, on a MIG slice",
        severity=pod_splits.severity,
        confidence=pod_splits.certain if together or not pod_splits.tied else "likely",
    )


def _workers(pod: Pod) -> int:
    return sum(sibling.role.count or 1 for sibling in pod.object.pods if sibling.has_gpu)


def _trains(words: list[ArgumentWord]) -> bool:
    texts = [word.text.rpartition("/")[2] for word in words]
    scripts = ("train.py", "finetune.py", "fine_tune.py", "run_clm.py")
    modules = (after for text, after in pairwise(texts) if text == "-m")
    return any(text in scripts for text in texts) or any(
        name.rpartition(".")[2] in ("train", "trainer", "finetune") for name in modules
    )
