"""Variables of torch.distributed that are set by hand, and cannot bring the pods of a run together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.enumeration import counted, listed
from gpuspec.lint.analysis.serving.scripts import main_words
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import at, text, whole
from gpuspec.numbers import read_whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU969",
    "rendezvous-variables",
    "warning",
    "Variables of `torch.distributed` cannot bring the pods of a run together",
)
_ALL = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
_HERE = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
_NO_NUMBERS = (
    "metadata.name",
    "metadata.uid",
    "metadata.namespace",
    "status.podIP",
    "spec.nodeName",
)
_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
_ORDINAL = "metadata.labels['apps.kubernetes.io/pod-index']"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers of several like pods that start Python itself with such variables."""
    count = _pods(pod)
    if count < 2:
        return
    for container in pod.gpu_containers:
        if not _is_plain(container) or "RANK" not in container.env or "envFrom" in container.value:
            continue
        yield from _missing(container)
        yield from _alike(pod, container, count)
        yield from _size(container, count)


def _pods(pod: Pod) -> int:
    """Return how many pods of one run have this template, if it is the only one."""
    if len(pod.object.pods) != 1:
        return 0
    if pod.object.group == "apps":
        return whole(pod.object.spec.get("replicas"), 1) or 0
    return pod.role.count or 0 if (pod.role.groups or 1) == 1 else 0


def _is_plain(container: PodContainer) -> bool:
    """Return whether the container starts Python on a program, without a launcher or a shell."""
    line = main_words(container)
    if line is None or not line.words or launch_of(container) is not None:
        return False
    return line.words[0].rpartition("/")[2].startswith("python") and "-c" not in line.words


def _missing(container: PodContainer) -> Iterator[RawFinding]:
    missing = [name for name in _ALL if name not in container.env]
    if not missing or len(missing) > 2:
        return
    names = listed(f"`{name}`" for name in missing)
    yield RawFinding(
        container.env_path("RANK"),
        f"`RANK` is set without {names}: `init_process_group` fails, as PyTorch reads all four variables",
        note=f"set {names} too, or start the program with `torchrun`",
        confidence="likely",
    )


def _alike(pod: Pod, container: PodContainer, count: int) -> Iterator[RawFinding]:
    """Yield a rank that all pods have, or that is no number, and an address that is each pod's own."""
    _, rank = container.env["RANK"]
    value, field = (
        container.env_value("RANK"),
        text(at(rank, ("valueFrom", "fieldRef", "fieldPath"))),
    )
    index = _ORDINAL if pod.object.kind == "StatefulSet" else _INDEX
    note = f"set `RANK` from the number of each pod: `fieldPath: {index}`"
    if value is not None and read_whole(value) is not None:
        yield RawFinding(
            (*container.env_path("RANK"), "value"),
            f"all {count} pods have `RANK` {value}: the ranks never meet, and hold their GPUs until "
            "the timeout",
            note=note,
            confidence="likely",
        )
    elif field in _NO_NUMBERS:
        yield RawFinding(
            (*container.env_path("RANK"), "valueFrom"),
            f"`RANK` must be a number, but `{field}` is none: `init_process_group` fails",
            note=note,
            confidence="likely",
        )
    address = (container.env_value("MASTER_ADDR") or "").strip()
    if address in _HERE:
        yield RawFinding(
            (*container.env_path("MASTER_ADDR"), "value"),
            f"`MASTER_ADDR` {address} means each pod itself: the {count} pods never meet, and hold "
            "their GPUs until the timeout",
            note="set `MASTER_ADDR` to the DNS name of the first pod",
            confidence="likely",
        )


def _size(container: PodContainer, count: int) -> Iterator[RawFinding]:
    """Yield a number of ranks that the pods cannot have, and a port that is no number."""
    size = _number(container, "WORLD_SIZE")
    most = count * max(container.gpus, 1)
    if isinstance(size, int) and not count <= size <= most:
        ranks = f"from {count} to {most}" if most > count else str(count)
        gpus = counted(container.gpus, "GPU")
        yield RawFinding(
            (*container.env_path("WORLD_SIZE"), "value"),
            f"`WORLD_SIZE` is {size}, but {count} pods with {gpus} each make "
            f"{ranks} ranks: `init_process_group` fails or waits until its timeout",
            note=f"set `WORLD_SIZE` to `{count}` times the processes of each pod",
            confidence="likely",
        )
    port = _number(container, "MASTER_PORT")
    if isinstance(port, str):
        yield RawFinding(
            (*container.env_path("MASTER_PORT"), "value"),
            f"`MASTER_PORT` must be a number, not `{port}`: `init_process_group` fails",
            note="write a free port, such as `29500`",
            confidence="likely",
        )


def _number(container: PodContainer, name: str) -> Any:
    """Return the number that a variable states; its text if that is no number; None if not known."""
    value = container.env_value(name)
    if not value or "$" in value or placeholder(value) is not None:
        return None
    number = read_whole(value.strip())
    return value if number is None else number
