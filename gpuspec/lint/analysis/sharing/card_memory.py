"""The memory of the largest GPU that a pod can get a part of.

Sources: HAMi v2.10.0 pkg/device/nvidia/device.go (checkGPUtype: a type is a part of the card's name; a
request above `Totalmem` fits no card); KAI Scheduler v0.20.1 docs/gpu-sharing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.analysis.placement.placing import reached
from gpuspec.manifests.values import text

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Pod

_TYPES = "nvidia.com/use-gputype"


class CardMemory(msgspec.Struct, frozen=True):
    """The largest of the possible GPUs."""

    model: str
    memory: int
    """In bytes, as the driver reports it."""
    why: str
    """What limits the choice, as the end of a sentence."""


def card_memory(pod: Pod, context: Context) -> CardMemory | None:
    """Return the largest GPU that the pod's selectors, its annotation for HAMi or the profile allow;
    None if some are unknown."""
    if context.cluster is not None:
        models = [pool.model for pool in reached(pod, context)]
        why = "the largest GPU that it can get"
    else:
        models = gpu_models(pod, context)
        why = "which the pod selects"
        if not models:
            models = _of_types(text(pod.annotations.get(_TYPES)))
            why = f"which `{_TYPES}` names"
    if not models:
        return None
    largest = max(models, key=lambda model: model.memory)
    return CardMemory(largest.name, largest.memory, why)


def _of_types(types: str) -> list[hardware.GpuModel]:
    """Return the models whose names contain one of HAMi's types; none if one is not known."""
    words = [word.strip().casefold().replace(" ", "-") for word in types.split(",") if word.strip()]
    models_by_type = [
        [model for model in hardware.models() if any(word in name for name in _names(model))]
        for word in words
    ]
    return [model for models in models_by_type for model in models] if all(models_by_type) else []


def _names(model: hardware.GpuModel) -> list[str]:
    return [name.casefold() for name in (model.name, *model.labels.get("gfd", ()))]
