"""GPU models and the arithmetic of memory: what cannot be true on any cluster."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.manifests import Path, Quantity
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.broken import Broken

GIB = 1 << 30


def problems(spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of the GPU envelope."""
    for index, name in enumerate(spec.gpu.models):
        if not hardware.find(name):
            close = ", ".join(hardware.suggest(name))
            yield Broken(
                f'"{name}" is no GPU model we know',
                ("spec", "gpu", "models", index),
                f"did you mean {close}?" if close else "gpuspec schema lists none: see docs",
            )


def memory_problem(
    weights: Quantity, spec: WorkloadSpec, gpus: int, path: Path, factor: float = 1.0
) -> Iterator[Broken]:
    """Broken when the weights alone exceed the memory of all GPUs asked for.

    `gpus` is how many GPUs share one copy of the weights, `factor` the part of the stored bytes
    that is held on them. The most generous acceptable model counts, so that a `yes` here is
    never wrong; the plan leaves out the models that are too small.
    """
    need = float(weights.value) * factor
    each = _largest_memory(spec)
    if each is None or need <= each * gpus:
        return
    least = int(-(-need // each))
    yield Broken(
        f"the weights do not fit: {need / GIB:.0f}Gi on {gpus} GPU{'s' if gpus > 1 else ''} of "
        f"{each / GIB:.0f}Gi ({gpus} × {each / GIB:.0f}Gi = {gpus * each / GIB:.0f}Gi)",
        path,
        f"ask for {least} GPUs or more, or a GPU with more memory",
    )


def _largest_memory(spec: WorkloadSpec) -> float | None:
    """Bytes of the largest acceptable GPU, or None when any GPU may come."""
    found = [model for name in spec.gpu.models for model in hardware.find(name)]
    known = [model.memory for model in found if model.memory is not None]
    return float(max(known)) if known else None
