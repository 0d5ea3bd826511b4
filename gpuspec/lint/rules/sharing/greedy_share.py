"""A program that fills a GPU's memory on a GPU that others share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.sharing.claimed import SharedGpu, held_together
from gpuspec.lint.analysis.sharing.meant import KAI_SCHEDULERS
from gpuspec.lint.analysis.sharing.sharing import KAI, Splits, splits
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at
from gpuspec.numbers import inexact, read_fraction
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.devices import DeviceRequest

RULE = Rule(
    "GPU304",
    "greedy-share",
    "warning",
    "A program fills the memory of a shared GPU",
    gives_way=("GPU301", "GPU302"),
    fix="unsafe",
)

# Frameworks that reserve the GPU when they start: parts of their images' names; the variable that
# stops them, with what it must not be; the one that bounds them. Sources: TensorFlow, Use a GPU;
# JAX, GPU memory allocation.
_FRAMEWORKS = (
    ("TensorFlow", "tensorflow", "TF_FORCE_GPU_ALLOW_GROWTH", ("true", "1"), None),
    (
        "JAX",
        "jax",
        "XLA_PYTHON_CLIENT_PREALLOCATE",
        ("false", "0"),
        "XLA_PYTHON_CLIENT_MEM_FRACTION",
    ),
)
# What is left of a GPU's memory beside more than that hardly holds another program's weights.
_NEARLY = Fraction(9, 10)


class Greed(msgspec.Struct, frozen=True):
    """A container's use of a GPU's memory."""

    title: str
    part: Fraction | None
    """The configured fraction; None by default, which is nearly all."""
    path: Path | None
    """The path of the setting."""
    cure: str
    told: float = 0.9
    """The fraction to configure for its share."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers and frameworks that take more than their share."""
    if not pod.annotations.keys().isdisjoint(KAI):
        yield from _of_kai(pod)
        return
    if pod.claims:
        for shared_claim in held_together(pod, context.collection):
            yield from _by_claim(shared_claim)
    for container in pod.gpu_containers:
        device = container.devices[0]
        if device.count == 0:
            continue
        pod_splits = splits(pod, device, context)
        if pod_splits is None:
            continue
        greed = _server(container) or _framework(container)
        if greed is None:
            continue
        counts = [way.replicas for way in pod_splits.ways if way.replicas]
        share = Fraction(1, max(counts, default=2))
        if greed.part is None or greed.part > share:
            yield _found(pod, device, greed, pod_splits, share)


def _of_kai(pod: Pod) -> Iterator[RawFinding]:
    """Yield a program that takes more of the GPU than the pod books with KAI, which bounds nothing."""
    if pod.spec.get("schedulerName") not in KAI_SCHEDULERS or pod.metadata_path is None:
        return
    if len(pod.containers) != 1:
        return
    key = next(name for name in KAI if name in pod.annotations)
    container = pod.containers[0]
    if container.devices:
        return
    greed = _server(container) or _framework(container)
    if greed is None:
        return
    share = read_fraction(str(pod.annotations[key])) if key == KAI[0] else None
    if share is not None and not 0 < share < 1:
        return
    if greed.part is not None and (share is None or greed.part <= share):
        # How large the GPU is decides what a booked amount is of it.
        return
    booked = f"`{key}: {pod.annotations[key]}`"
    takes = "nearly all of" if greed.part is None else f"{inexact(greed.part):g} of"
    right = math.floor(greed.told * 1000 * share) / 1000 if share is not None else None
    bound = f"{right:g}" if right is not None else "the booked part"
    yield RawFinding(
        greed.path or (*pod.metadata_path, "annotations", key),
        f"{greed.title} uses {takes} the GPU's memory, but {booked} only reserves a part: the "
        "program can fill the memory of other pods on the GPU, and one of the pods runs out of "
        "memory",
        note=greed.cure.format(right=bound),
        fix=None if right is None else _fix(pod, greed, right),
        confidence="likely",
    )


def _by_claim(held: SharedGpu) -> Iterator[RawFinding]:
    """Yield containers that have one GPU by the same claim, which divides nothing of it among
    them."""
    greedy = [
        (use, greed)
        for use in held.uses
        if (greed := _server(use.container) or _framework(use.container)) is not None
    ]
    if not greedy:
        return
    use, greed = max(greedy, key=lambda use_and_greed: use_and_greed[1].part or 1)
    others = [
        other_use
        for other_use in held.uses
        if other_use is not use and _computes(other_use.container)
    ]
    total_part = sum(use_greed.part or _NEARLY for _, use_greed in greedy)
    if not others or (total_part <= 1 and (greed.part or 1) <= _NEARLY):
        return
    names = " and ".join(f"`{other_use.container.name}`" for other_use in others)
    have = "have" if len(others) > 1 else "has"
    takes = "nearly all of" if greed.part is None else f"{inexact(greed.part):g} of"
    yield RawFinding(
        greed.path or use.path,
        f"{greed.title} uses {takes} the GPU's memory, and {names} {have} the same GPU by claim "
        f"`{held.claim}`: the container that starts last finds too little memory left, and exits",
        note=f"{greed.cure.format(right='low')} enough for all of them to fit, or claim one GPU for each",
        confidence="likely",
    )


def _computes(container: PodContainer) -> bool:
    """Return whether it is known to take memory of its GPU: a monitor that names a claim takes
    none."""
    return server_of(container) is not None or _framework(container) is not None


def _found(
    pod: Pod, device: DeviceRequest, greed: Greed, pod_splits: Splits, share: Fraction
) -> RawFinding:
    way = pod_splits.ways[0]
    takes = "nearly all of" if greed.part is None else f"{inexact(greed.part):g} of"
    if way.mode == "mps":
        then = "more than the share's limit, so the process is killed"
    else:
        then = (
            "the program can fill the memory of other pods on the GPU, and one of the pods runs "
            "out of memory"
        )
    words = way.words if pod_splits.every else f"{way.words}, where the pod may run"
    right = math.floor(greed.told * 1000 * share) / 1000
    return RawFinding(
        greed.path or device.path,
        f"{greed.title} uses {takes} the GPU's memory, but {words}: {then}",
        note=(
            f"{greed.cure.format(right=f'{right:g}')}, or request a MIG slice, which limits the "
            "memory"
        ),
        fix=_fix(pod, greed, right),
        severity=pod_splits.severity,
        confidence=pod_splits.certain,
    )


def _fix(pod: Pod, greed: Greed, right: float) -> Fix | None:
    """Return a fix of the number, if it is a word of its own."""
    if greed.path is None or greed.part is None:
        return None
    number_text = at(pod.object.value, greed.path[len(pod.object.base) :])
    if not isinstance(number_text, str) or _number(number_text) != greed.part:
        return None
    return Fix(f"lower the value to {right:g}", (Put(greed.path, f"{right:g}"),))


def _server(container: PodContainer) -> Greed | None:
    server = server_of(container)
    if server is None or not server.gpu_memory.greedy:
        return None
    setting = server.settings.memory_fraction
    flags = sorted(setting.flags) if setting else []
    names = [entry.partition("=")[0] for entry in setting.environment] if setting else []
    cure = f"set `{flags[0]}` {{right}}" if flags else "limit its memory"
    flag = container.words.flag(*flags) if flags else None
    if flag is not None:
        part = _number(flag.value or "")
        # A value that is put in later may be right.
        return (
            None
            if part is None
            else Greed(server.title, part, flag.path, cure, server.gpu_memory.part)
        )
    for name in names:
        if name in container.env:
            part = _number(container.env_value(name) or "")
            path = (*container.env_path(name), "value")
            return (
                None
                if part is None
                else Greed(server.title, part, path, cure, server.gpu_memory.part)
            )
    if container.value.get("envFrom") or any(word.text.startswith("$") for word in container.words):
        return None
    return Greed(server.title, None, None, cure, server.gpu_memory.part)


def _framework(container: PodContainer) -> Greed | None:
    image = container.image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    for title, name, stop, stopped, bound in _FRAMEWORKS:
        if not image.startswith(name) or (container.env_value(stop) or "").lower() in stopped:
            continue
        if stop in container.env and container.env_value(stop) is None:
            continue
        cure = f'write the variable `{stop}: "{stopped[0]}"`'
        if bound is not None and bound in container.env:
            part = _number(container.env_value(bound) or "")
            path = (*container.env_path(bound), "value")
            return None if part is None else Greed(title, part, path, cure)
        return Greed(title, None, None, cure)
    return None


def _number(text: str) -> Fraction | None:
    fraction = read_fraction(text.strip().rstrip("%"))
    return fraction if fraction is not None and 0 < fraction <= 1 else None
