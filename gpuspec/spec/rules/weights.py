"""Rules for the source of weights, and for their size in GPU memory."""

import math
from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.rules.devices import acceptable_models, holds
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation, exactly_one
from gpuspec.spec.weights import on_gpus

GIB = 1 << 30


def source(model: ModelRef, field: str) -> Iterator[SpecViolation]:
    """Yield a violation unless the weights have exactly one source; `field` is the model's."""
    path: Path = ("spec", field, "source")
    model_source, places = model.source, ("pvc", "image", "host_path", "hub")
    yield from exactly_one(model_source, places, path, "the model's source")
    yield from image(model_source.image, (*path, "image"))
    if model_source.hub and model_source.path:
        message = "a hub has no `path`"
        yield SpecViolation(message, (*path, "path"), "delete it: `id` says what to download", True)
    if model_source.hub and model_source.mount:
        message = "downloads are not mounted"
        yield SpecViolation(message, (*path, "mount"), "delete it", True)


def memory(
    model: ModelRef, spec: WorkloadSpec, field: str, gpus: int, part: float = 1.0
) -> Iterator[SpecViolation]:
    """Yield a violation if the weights alone exceed the memory of all requested GPUs.

    `gpus` is the number of GPUs that share one copy of the weights, `part` the fraction of the
    stored bytes on them. The largest acceptable model counts, so that a refusal is never wrong; the
    plan excludes models that are too small.
    """
    weights = on_gpus(model, spec)
    if weights is None:
        return
    acceptable = acceptable_models(spec)
    need = math.floor(weights * part)
    if not acceptable or any(holds(gpu_model, need, gpus) for gpu_model in acceptable):
        return
    largest = max(gpu_model.memory for gpu_model in acceptable)
    # Servers split attention heads evenly, and their number is a multiple of a power of two.
    least = 1 << (-(-need // largest) - 1).bit_length()
    stated_size = 0 if model.size is None else math.floor(model.size.value)
    whose = "" if stated_size >= weights else ", as published,"
    noun = "GPU" if gpus == 1 else "GPUs"
    yield SpecViolation(
        (
            f"the weights do not fit: {_size(weights, part)}{whose} on {gpus} {noun} of "
            f"{_gib(largest)}"
        )
        + (f" ({gpus} × {_gib(largest)} = {_gib(gpus * largest)})" if gpus > 1 else ""),
        ("spec", field, "id" if model.size is None else "size"),
        f"use at least {least} GPUs, or a GPU with more memory",
        needs=(
            ("spec", field),
            ("spec", "args"),
            ("spec", "env"),
            ("spec", "runtime"),
            ("spec", "gpu", "models"),
            ("spec", "gpu", "count"),
            ("spec", "workers"),
            ("spec", "method"),
        ),
    )


def _size(size: int, part: float) -> str:
    return _gib(size) if part == 1 else f"{_gib(size)} × {part} = {_gib(size * part)}"


def _gib(size: float) -> str:
    return f"{size / GIB:.4g}Gi"
