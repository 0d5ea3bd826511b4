"""A GPU share that does not divide a GPU: the rest fits no such share."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuspec.hardware.hami import HAMI_MEMORY
from gpuspec.lint.analysis.placement.nodes import fewest
from gpuspec.lint.analysis.sharing.mig import owners, slices
from gpuspec.lint.analysis.sharing.sharing import KAI, is_part
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.numbers import inexact, read_decimal
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU404",
    "part-does-not-tile",
    "warning",
    "A GPU share leaves a remainder that no other pod can use",
    gives_way=("GPU318", "GPU311", "GPU312", "GPU313"),
)

_REST = 0.2
_MIG_REST = 2 / 7


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield KAI's fractions, HAMi's percentages, and MIG profiles that strand a GPU's compute."""
    for path, request_text, part in _parts(pod) if is_part(pod) else ():
        if not 0 < part < 1:
            continue
        times = math.floor(1 / part + 1e-9)
        rest = 1 - times * part
        if rest < _REST:
            continue
        holds = "one such pod" if times == 1 else f"{times} such pods"
        yield RawFinding(
            path,
            f"a GPU runs only {holds} with `{request_text}`: {rest:.0%} of the GPU is left over, too little "
            "for another pod",
            note=(
                f"request at most 1/{times + 1} of a GPU, so that {times + 1} pods fit on it, or "
                f"{f'exactly 1/{times}' if times > 1 else 'the whole GPU'}"
            ),
            severity=None if fewest(pod, context) > 1 else "info",
            confidence="likely",
        )
    if context.cluster is None:
        yield from _mig(pod)


def _parts(pod: Pod) -> Iterator[tuple[Path, str, float]]:
    key = KAI[0]
    if key in pod.annotations and pod.metadata_path is not None:
        value = _number(pod.annotations[key])
        yield (*pod.metadata_path, "annotations", key), f"{key}: {value:g}", value
    name = HAMI_MEMORY[1]
    for container in pod.every:
        quantity = container.amount(name)
        if quantity is not None:
            field = "limits" if name in container.limits else "requests"
            path = container.path(container.resources_at, field, name)
            yield path, f"{name}: {quantity}", inexact(quantity.value) / 100


def _number(value: object) -> float:
    number = read_decimal(value)
    return number if number is not None and 0 < number < 1 else 0.0


def _mig(pod: Pod) -> Iterator[RawFinding]:
    """Yield profiles that, on every model that has them, leave compute which no other can use."""
    for container in pod.gpu_containers:
        for device in slices(container):
            owning_profiles = owners().get(device.name, ())
            rests = []
            for model, profile in owning_profiles:
                whole = max(mig_profile.compute_slices for mig_profile in model.mig)
                rests.append((whole - profile.max_per_gpu * profile.compute_slices, whole))
            # Slices with media engines are the only ones of their kind: others stand beside them.
            if (
                not rests
                or any(rest / whole < _MIG_REST for rest, whole in rests)
                or "me" in device.name
            ):
                continue
            rest, whole = min(rests)
            most = min(profile.max_per_gpu for _, profile in owning_profiles)
            yield RawFinding(
                device.path,
                f"a GPU divided only into `{device.name}` has {most} slices, and {rest} of its "
                f"{whole} compute slices stay unused",
                note="choose a MIG layout that adds smaller slices",
                severity="info",
                confidence="possible",
                key=True,
            )
