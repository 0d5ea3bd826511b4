"""The possible GPU models of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.instances import TYPE
from gpuspec.lint.analysis.placement.placing import in_all, reached

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Pod


def gpu_models(pod: Pod, context: Context) -> list[GpuModel]:
    """Return the possible models of a pod's whole GPUs; empty if some are unknown."""
    from gpuspec import hardware

    if context.cluster is not None:
        pools = reached(pod, context)
        return [] if any(pool.pool.sharing for pool in pools) else [pool.model for pool in pools]
    for requirement in in_all(pod):
        if requirement.operator != "In" or any(
            "MIG" in value or "SHARED" in value for value in requirement.values
        ):
            continue
        of_machine = requirement.key in TYPE
        models_by_value = [
            hardware.machine_models(value)
            if of_machine
            else hardware.from_label(requirement.key, value)
            for value in requirement.values
        ]
        if models_by_value and all(models_by_value):
            return list(
                {model.name: model for models in models_by_value for model in models}.values()
            )
    return []
