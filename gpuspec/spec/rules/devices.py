"""Rules for GPU models and the envelope that hold on any cluster."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path
from gpuspec.numbers import read_version
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation

GIB = 1 << 30
# Percent by which a GPU may fall short of the memory asked for: an 80 GB board reports 79.6Gi, and
# who writes 80Gi means that board. The larger gaps are real: a 24 GB L4 has 22.5Gi.
MEMORY_SLACK = 1
_GPU: Path = ("spec", "gpu")
_MODELS: Path = (*_GPU, "models")
# No name is longer; comparing costs the product of the lengths.
_LONGEST_NAME = 80


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the GPU envelope."""
    first: dict[tuple[str, ...], str] = {}
    for index, name in enumerate(spec.gpu.models):
        gpu_models = find(name)
        if not gpu_models:
            # A profile may describe it: who knows the profile asks for its name.
            continue
        names = tuple(model.name for model in gpu_models)
        if names in first and not _are_boards(name, first[names]):
            message = f"{shown(name)} means the same as {shown(first[names])}"
            yield SpecViolation(message, (*_MODELS, index), "delete it")
        first.setdefault(names, name)
    if acceptable := acceptable_models(spec):
        if spec.gpu.models:
            # Of any model there may be a larger one that a profile describes.
            yield from bounds(spec, acceptable)
        yield from _joined(spec, acceptable)


def find(name: str) -> tuple[GpuModel, ...]:
    """Return the models that a name can mean."""
    return hardware.find(name) if len(name) <= _LONGEST_NAME else ()


def _are_boards(*names: str) -> bool:
    """Return whether several names are complete values of one node label, each for a board of the
    model."""
    return len(set(names)) > 1 and any(
        all(hardware.from_label(labeller, name) for name in names)
        for labeller in hardware.labellers()
    )


def unknown(name: str, path: Path, described: Iterable[str] = ()) -> SpecViolation:
    """Return the violation for an unknown model name; `described` are the models that a profile
    describes."""
    close = ", ".join(hardware.suggest(name, described)) if len(name) <= _LONGEST_NAME else ""
    hint = f"did you mean {close}?" if close else "write one such as H100-80GB, A100-80GB, L4 or T4"
    return SpecViolation(f"{shown(name)} is not a known GPU model", path, hint)


def acceptable_models(spec: WorkloadSpec) -> list[GpuModel]:
    """Return every model that the spec's names can mean; all models if it names none.

    None if a name may be described in a profile, because then nothing is known.
    """
    if not spec.gpu.models:
        return list(hardware.models())
    models_by_name = [find(name) for name in spec.gpu.models]
    return [model for models in models_by_name for model in models] if all(models_by_name) else []


def holds(model: GpuModel, need: int, gpus: int = 1) -> bool:
    """Return whether a number of GPUs of a model has enough memory, in bytes."""
    return model.memory * gpus * 100 >= need * (100 - MEMORY_SLACK)


def bounds(spec: WorkloadSpec, acceptable: Sequence[GpuModel]) -> Iterator[SpecViolation]:
    """Yield a violation if no acceptable model has the requested memory or compute capability."""
    gpu = spec.gpu
    if least := gpu.memory:
        best = max(acceptable, key=lambda model: model.memory)
        if not holds(best, math.floor(least.value)):
            yield _none_has(f"{least} of memory", best, f"{best.memory / GIB:.4g}Gi", "memory")
    if gpu.compute_capability:
        version = read_version(gpu.compute_capability)
        gpu_models = [model for model in acceptable if model.compute_capability]
        best = max(gpu_models or acceptable, key=lambda model: model.compute_capability or (0, 0))
        have = best.compute_capability
        if have is None or have < version:
            have_text = ".".join(map(str, have)) if have else "none of CUDA's"
            bound = f"compute capability {gpu.compute_capability}"
            yield _none_has(bound, best, have_text, "computeCapability")


def _joined(spec: WorkloadSpec, acceptable: Sequence[GpuModel]) -> Iterator[SpecViolation]:
    if spec.gpu.interconnect == "nvlink":
        yield from _nvlink(spec, acceptable)
    if spec.architecture:
        yield from _architecture(spec, acceptable)


def _none_has(bound: str, best: GpuModel, have: str, field: str) -> SpecViolation:
    message = f"no acceptable GPU has {bound}: the best, {best.name}, has {have}"
    return SpecViolation(message, (*_GPU, field), needs=(_MODELS,))


def _nvlink(spec: WorkloadSpec, acceptable: Sequence[GpuModel]) -> Iterator[SpecViolation]:
    path = (*_GPU, "interconnect")
    if spec.gpu.count == 1:
        yield SpecViolation(
            "NVLink connects the GPUs of a pod, but this one has a single GPU",
            path,
            "delete `interconnect`, or request more GPUs",
            needs=((*_GPU, "count"),),
        )
    elif _all(acceptable, lambda model: not model.nvlink):
        names = ", ".join(model.name for model in acceptable)
        yield SpecViolation(
            f"none of the acceptable GPUs has NVLink: {names}",
            path,
            "delete `interconnect`, or name a GPU that has it",
            needs=(_MODELS,),
        )


def _architecture(spec: WorkloadSpec, acceptable: Sequence[GpuModel]) -> Iterator[SpecViolation]:
    architecture = spec.architecture
    if _all(acceptable, lambda model: model.architecture not in (None, architecture)):
        names = ", ".join(dict.fromkeys(model.name for model in acceptable))
        bound = acceptable[0].architecture
        yield SpecViolation(
            f"the image is for {architecture}, but {names} has {bound} hosts",
            ("spec", "architecture"),
            f"build the image for {bound} too, and set architecture: {bound}",
            needs=(_MODELS,),
        )


def _all(models: Sequence[GpuModel], test: Callable[[GpuModel], bool]) -> bool:
    return all(test(model) for model in models)
