"""A part of a GPU as HAMi or KAI hand it out, asked for so that they refuse or overlook it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gpuspec.hardware.hami import HAMI, HAMI_MEMORY
from gpuspec.lint.analysis.reading.releases import is_installed
from gpuspec.lint.analysis.sharing.card_memory import CardMemory, card_memory
from gpuspec.lint.analysis.sharing.meant import KAI_SCHEDULERS, meant
from gpuspec.lint.analysis.sharing.sharing import KAI, is_part
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Confidence, Drop, Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import text
from gpuspec.numbers import read_decimal, read_whole
from gpuspec.objects.amounts import at_once
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.hami import SCHEDULER
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU318",
    "part-of-gpu",
    "error",
    "The scheduler rejects or ignores a request for part of a GPU",
    fix="unsafe",
)

_WHOLE = "nvidia.com/gpu"
_HAMI = "hami"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield KAI's annotations, then HAMi's amounts."""
    if not is_part(pod):
        yield from _kai_elsewhere(pod)
        yield from _whole_cards(pod)
        return
    kai_keys = [key for key in KAI if key in pod.annotations and pod.metadata_path is not None]
    if kai_keys:
        yield from _kai(pod, kai_keys, context)
    else:
        yield from _hami(pod, context)


def _kai(pod: Pod, kai_keys: list[str], context: Context) -> Iterator[RawFinding]:
    first = kai_keys[0]
    where = (*(pod.metadata_path or ()), "annotations", first)
    scheduler = pod.spec.get("schedulerName")
    # Its webhook looks at pods of its own scheduler alone.
    sure: Confidence = "certain" if scheduler in KAI_SCHEDULERS else "likely"
    refused = "KAI rejects the pod" if sure == "certain" else "KAI's scheduler rejects it"
    containers = [c for c in pod.every if _WHOLE in c.limits]
    if containers:
        yield RawFinding(
            containers[0].path("resources", "limits", _WHOLE),
            f"the annotation `{first}` requests part of a GPU, but `{_WHOLE}` requests whole "
            f"GPUs: {refused}",
            note="remove the annotation, or the request in `limits`",
            key=True,
            confidence=sure,
        )
        return
    if len(kai_keys) > 1:
        yield RawFinding(
            (*where[:-1], kai_keys[1]),
            f"`gpu-fraction` and `gpu-memory` cannot be set together: {refused}",
            note="remove `gpu-fraction` or `gpu-memory`",
            confidence=sure,
            key=True,
        )
        return
    if scheduler not in KAI_SCHEDULERS and isinstance(scheduler, str | None):
        scheduler_text = f"`schedulerName: {scheduler}`" if scheduler else "no `schedulerName`"
        owner = pod.object
        # KubeRay writes it where it was installed to work with KAI, as the label says.
        filled = not scheduler and owner.group == "ray.io" and "kai.scheduler/queue" in owner.labels
        yield RawFinding(
            where,
            f"only KAI's scheduler reads `{first}`, but the pod has {scheduler_text}: the pod gets no GPU"
            + (", unless KubeRay is set to use KAI" if filled else ""),
            note=None if filled else _instead(pod, first),
            severity="info" if filled else "warning",
            confidence="possible" if filled else "likely",
            key=True,
        )
    elif first == "gpu-memory" and not read_whole(pod.annotations[first]):
        yield RawFinding(
            where,
            f"`gpu-memory: {pod.annotations[first]}` is not a whole number of MiB: {refused}",
            note='write the MiB without a unit, such as `gpu-memory: "8000"`',
            confidence=sure,
        )
    elif (
        first == "gpu-memory"
        and (largest := card_memory(pod, context)) is not None
        and (read_whole(pod.annotations[first]) or 0) > largest.memory // _MIB
    ):
        yield _over_card(where, first, pod.annotations[first], largest)
    elif first == "gpu-fraction" and not _is_fraction(pod.annotations[first]):
        yield RawFinding(
            where,
            f"`gpu-fraction: {pod.annotations[first]}` is not a number between 0 and 1: {refused}",
            note=f"write a number between 0 and 1, or request whole GPUs as `{_WHOLE}` in `resources.limits`",
            confidence=sure,
        )


def _instead(pod: Pod, key: str) -> str:
    """Return what to write if KAI does not schedule the pod: the actual scheduler's setting, or
    KAI's name."""
    share = meant(pod, key, pod.annotations[key])
    return "write `schedulerName: kai-scheduler`" if share is None else share.words


def _kai_elsewhere(pod: Pod) -> Iterator[RawFinding]:
    """Yield KAI's annotations in the wrong place: among labels, or on the pod's owner."""
    owner = pod.object
    if pod.spec.get("schedulerName") not in KAI_SCHEDULERS or pod.metadata_path is None:
        return
    places = [(pod.metadata_path, "labels", pod.labels)]
    if not owner.is_a("", "Pod"):
        above = owner.path("metadata")
        places += [(above, "annotations", owner.annotations), (above, "labels", owner.labels)]
    for base, field, key_values in places:
        for key in KAI:
            if key in key_values:
                annotation_put = Put((*pod.metadata_path, "annotations", key), str(key_values[key]))
                yield RawFinding(
                    (*base, field, key),
                    f"`{key}` has no effect in this place: KAI reads the key only from pods' annotations, and these "
                    "pods get no GPU",
                    key=True,
                    severity="warning",
                    fix=Fix(
                        "make it an annotation of the pods",
                        (annotation_put, Drop((*base, field, key))),
                    ),
                )
                return


def _is_fraction(value: object) -> bool:
    fraction = read_decimal(value)
    return fraction is not None and 0 < fraction < 1


def _hami(pod: Pod, context: Context) -> Iterator[RawFinding]:
    for container in pod.every:
        amounts = [name for name in HAMI if name in container.limits]
        if not amounts:
            continue
        path = container.path(container.resources_at, "limits", amounts[0])
        scheduler = pod.spec.get("schedulerName")
        if isinstance(scheduler, str) and scheduler not in ("", "default-scheduler"):
            if _HAMI not in scheduler:
                share = meant(pod, amounts[0], container.limits[amounts[0]])
                yield RawFinding(
                    path,
                    f"`{amounts[0]}` is a resource of HAMi, which ignores pods with "
                    f"`schedulerName: {scheduler}`: no node advertises it, and the pod stays "
                    "Pending",
                    note=None if share is None else share.words,
                    severity="warning",
                    confidence="likely",
                    key=True,
                )
                continue
        elif context.cluster is not None and not is_installed(_HAMI, context):
            yield RawFinding(
                path,
                f"the pod stays Pending without HAMi: no node advertises `{amounts[0]}`, and the "
                "profile does not list HAMi",
                note="add `installed: {hami: …}` to the profile, if HAMi is installed",
                severity="warning",
                confidence="likely",
                key=True,
            )
            continue
        yield from _amounts(pod, container, context)
        if amounts == [HAMI[2]]:
            yield RawFinding(
                path,
                "the pod gets a part of the cores but all of the memory: without "
                f"`{HAMI_MEMORY[0]}` HAMi allocates the whole card, and no other pod fits on it",
                note=_MEMORY_NOTE,
                severity="warning",
                confidence="likely",
                key=True,
            )
        yield from _past_hami(pod, container)
        if all(name in container.limits for name in HAMI_MEMORY):
            percentage_path = (*path[:-1], HAMI_MEMORY[1])
            yield RawFinding(
                percentage_path,
                f"`{HAMI_MEMORY[1]}` has no effect: HAMi uses `{HAMI_MEMORY[0]}` instead",
                severity="warning",
                key=True,
                fix=Fix("remove the percentage", (Drop(percentage_path),)),
            )


def _whole_cards(pod: Pod) -> Iterator[RawFinding]:
    """Yield the card that each replica requests of HAMi without an amount of memory: all of it."""
    count = at_once(pod)
    if pod.spec.get("schedulerName") != SCHEDULER or count < 2:
        return
    for container in pod.gpu_containers:
        for device in container.devices:
            if device.name == _WHOLE and device.count == 1:
                yield RawFinding(
                    device.path,
                    f"each of {count} pods gets a whole card: without `{HAMI_MEMORY[0]}` HAMi "
                    "allocates all memory of a card",
                    note=_MEMORY_NOTE,
                    severity="info",
                    confidence="possible",
                )


_MEMORY_NOTE = f"set `{HAMI_MEMORY[0]}` (MiB) or `{HAMI_MEMORY[1]}` in `limits` to share a card"


def _amounts(pod: Pod, container: PodContainer, context: Context) -> Iterator[RawFinding]:
    """Yield amounts beyond what a card has: HAMi counts memory in MiB, and the rest in percent."""
    largest = card_memory(pod, context)
    for name, most in ((HAMI_MEMORY[0], _most_memory()), (HAMI_MEMORY[1], 100), (HAMI[2], 100)):
        amount = quantity(container.limits.get(name))
        if amount is None:
            continue
        limit = container.limits[name]
        if amount.value <= most:
            if (
                name == HAMI_MEMORY[0]
                and largest is not None
                and amount.value > largest.memory // _MIB
            ):
                yield _over_card(
                    container.path(container.resources_at, "limits", name), name, limit, largest
                )
            continue
        path = container.path(container.resources_at, "limits", name)
        if name == HAMI_MEMORY[0]:
            # A unit of bytes: what is meant is told by the number that it stands for.
            mebibytes = amount.value.numerator // amount.value.denominator // _MIB
            yield RawFinding(
                path,
                f"`{name}` is in MiB: `{limit}` is more than any GPU has, and HAMi gives the pod "
                "no GPU",
                fix=set_field(path, mebibytes) if 0 < mebibytes <= most else None,
                severity="warning",
            )
        else:
            end = "HAMi's webhook rejects the pod" if name == HAMI_MEMORY[1] else "the whole is 100"
            yield RawFinding(
                path,
                f"`{name}` is a percentage: with `{limit}` {end}",
                note="write a number from 1 to 100",
                severity="warning",
            )


def _over_card(path: Path, name: str, amount: object, largest: CardMemory) -> RawFinding:
    return RawFinding(
        path,
        f"the pod stays Pending: `{name}: {amount}` is more than the {largest.memory // _MIB} MiB of "
        f"{largest.model}, {largest.why}",
        note=f"request at most {largest.memory // _MIB}, or allow a larger GPU",
        severity="warning",
        confidence="likely",
    )


@cache
def _most_memory() -> int:
    """Return the memory of the largest GPU that is known, in MiB."""
    from gpuspec import hardware

    return max(model.memory for model in hardware.models()) // _MIB


_MIB = 2**20


def _past_hami(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield what HAMi's webhook refuses, since nothing of it would hold there."""
    if container.security.get("privileged") is True:
        yield RawFinding(
            container.path("securityContext", "privileged"),
            f"container `{container.name}` is privileged and sees whole GPUs, whatever share it "
            "requests: HAMi's webhook rejects the pod",
            note="remove `privileged`",
            severity="warning",
            confidence="likely",
        )
    if text(pod.spec.get("nodeName")):
        yield RawFinding(
            pod.path("nodeName"),
            "`nodeName` bypasses the scheduler that allocates GPU shares: HAMi's webhook "
            "rejects the pod",
            note="remove `nodeName`, and select the node by its labels",
            severity="warning",
            confidence="likely",
        )
