"""The node that a pod is placed on: the scores of one node by itself.

Sources: Kubernetes 1.37, pkg/scheduler/framework/plugins/noderesources (least_allocated.go,
most_allocated.go, balanced_allocation.go) and apis/config/v1/defaults.go for weights. What depends
on other pods is in `spreading`. Scores of images, of preferred affinity to pods and of
PreferNoSchedule taints are left out: they are equal if nothing is known of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

from gpuspec.fleet.scheduler.makes import SMOOTH
from gpuspec.fleet.scheduler.requests import CPU, MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gpuspec.fleet.scheduler.makes import Amounts, Make

    Score = Callable[[Amounts, Amounts], int]
    """The score of a node by what is used of it, told twice; of nodes of which no less than the one
    and no more than the other is used the highest that there can be."""

Policy = Literal["least-allocated", "most-allocated", "best-fit", "fgd"]
"""`least-allocated`: kube-scheduler by default, which counts only CPU and memory. `most-allocated`:
`NodeResourcesFit` with `MostAllocated`, devices counted five times. `best-fit`: the node with
the least of CPU and GPUs left. `fgd`: where the expected fragment grows least."""

POLICIES: tuple[str, ...] = get_args(Policy)

_MOST = 100
_DEVICES = 5
# What a pod that asks for nothing counts for in scores.
_UNASKED = {"cpu": 100, "memory": 200 << 20}
_LEFT_OF = {"cpu": 128_000, "gpus": 8}
_CPU, _MEMORY = SMOOTH.index(CPU), SMOOTH.index(MEMORY)


def scorer(policy: Policy, requests: Mapping[str, int], make: Make) -> Score:
    """Return how a pod with these requests scores nodes of a make, from 0 to 200; not for `fgd`,
    which uses fragments."""
    if policy == "best-fit":
        return _best_fit(requests, make)
    pack = policy == "most-allocated"
    cpu_asked, memory_asked = (requests.get(name) or more for name, more in _UNASKED.items())
    cpu, memory = make.amounts[_CPU], make.amounts[_MEMORY]
    devices = _devices(requests, make) if pack else []
    weights = bool(cpu) + bool(memory) + _DEVICES * len(devices)

    def score(used: Amounts, most: Amounts) -> int:
        # Asked of every block for every pod: CPU and memory are written out, at twice the speed.
        total, balance = 0, _MOST
        if cpu:
            cpu_least = cpu_most = used[_CPU] + cpu_asked
            if most is not used:
                cpu_most = most[_CPU] + cpu_asked
                if cpu_most > cpu:
                    cpu_most = cpu
            if cpu_least > cpu:
                cpu_least = cpu_most = cpu
            total = (cpu_most if pack else cpu - cpu_least) * _MOST // cpu
        if memory:
            least = memory_used = used[_MEMORY] + memory_asked
            if most is not used:
                memory_used = most[_MEMORY] + memory_asked
                if memory_used > memory:
                    memory_used = memory
            if least > memory:
                least = memory_used = memory
            total += (memory_used if pack else memory - least) * _MOST // memory
            if cpu:
                apart = cpu_least / cpu - memory_used / memory
                if apart < 0:
                    apart = least / memory - cpu_most / cpu
                if apart > 0:
                    balance = math.floor((1 - apart / 2) * _MOST)
        for at, device_amount, more in devices:
            total += min(most[at] + more, device_amount) * _MOST // device_amount * _DEVICES
        return (total // weights if weights else 0) + balance

    return score


def _best_fit(requests: Mapping[str, int], make: Make) -> Score:
    """Score as the published simulator does, by CPU and devices: the less remains, the better."""
    free = make.amounts[_CPU] - requests.get(CPU, 0)
    devices = _devices(requests, make)
    whole = sum(have - more for _, have, more in devices)

    def score(used: Amounts, most: Amounts) -> int:
        cpu = (free - most[_CPU]) / _LEFT_OF["cpu"]
        share_left = (cpu + (whole - sum(most[at] for at, _, _ in devices)) / _LEFT_OF["gpus"]) / 2
        return math.trunc(_MOST * (1 - share_left))

    return score


def _devices(requests: Mapping[str, int], make: Make) -> list[tuple[int, int, int]]:
    """Return the place, the number on the nodes and the requested number of each requested
    device."""
    return [
        (make.at[name], make.have[name], amount)
        for name, amount in requests.items()
        if "/" in name and make.have.get(name)
    ]
