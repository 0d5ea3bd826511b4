"""Capacity that a worker leaves on its node for pods without GPUs that its target adds.

A queue may only have the workers' nodes, and places all of a run there. From a default share of a
node, a worker leaves what the other pods take.
"""

import math
from collections.abc import Mapping

from msgspec.structs import replace

from gpuspec.manifests import Quantity
from gpuspec.plan.decision import Decision, PlanPart
from gpuspec.plan.facets import PodPlan
from gpuspec.plan.needs import needs
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.resources import WHOLE_CORES
from gpuspec.plan.wording import cores, down, gib

# A share below so many times what the others take is left alone: the pod is small itself.
_SMALL = 4


def leaving_room(resolution: Resolution, pod: PodPlan, cpu: int, memory: int, whom: str) -> PodPlan:
    """Return a worker with a smaller request, if its share is a default. `cpu` in millicores,
    `memory` in bytes."""
    (main,) = pod.containers
    least = max(needs(resolution).memory.size, _SMALL * memory)
    resources: dict[str, PlanPart] = {}
    for kind, amounts in main.resources.items():
        if not isinstance(amounts, Mapping):
            resources[kind] = amounts
            continue
        resources[kind] = {
            **amounts,
            **{
                name: _less(name, amounts[name], cpu, memory, least, whom)
                for name in ("cpu", "memory")
                if name in amounts
            },
        }
    return replace(pod, containers=(replace(main, resources=resources),))


def _less(name: str, plan_part: PlanPart, cpu: int, memory: int, least: int, whom: str) -> PlanPart:
    if not isinstance(plan_part, Decision) or plan_part.origin.kind not in ("profile", "table"):
        return plan_part
    size = Quantity.parse(plan_part.value).value
    if name == "cpu" and size * 1000 >= _SMALL * cpu:
        remaining_millicores = math.floor(size * 1000) - cpu
        remaining_millicores = (
            remaining_millicores // 1000 * 1000
            if remaining_millicores >= WHOLE_CORES
            else remaining_millicores
        )
        less = math.floor(size * 1000) - remaining_millicores
        reduction = f"{cores(less)} CPU{'s' if less > 1000 else ''}"
        value = (
            f"{remaining_millicores}m"
            if remaining_millicores % 1000
            else str(remaining_millicores // 1000)
        )
    elif name == "memory" and size - memory >= least:
        value, reduction = down(math.floor(size) - memory), gib(memory)
    else:
        return plan_part
    why = f"{plan_part.reason}, less {reduction} for {whom}, which a queue may admit there"
    return Decision(value, why, plan_part.origin)
