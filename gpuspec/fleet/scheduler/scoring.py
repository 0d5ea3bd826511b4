"""Which of the nodes that take a pod it goes to: the scores of one node by itself.

Sources: Kubernetes 1.37, pkg/scheduler/framework/plugins/noderesources (least_allocated.go,
most_allocated.go, balanced_allocation.go) and apis/config/v1/defaults.go for weights. What depends
on other pods is in `spreading`. Scores of images, of preferred affinity to pods and of taints that
only prefer are not told: they are equal where nothing is known of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, get_args

Amounts = Mapping[str, int]
Policy = Literal["least-allocated", "most-allocated", "best-fit", "fgd"]
"""`least-allocated`: kube-scheduler as it comes, which counts CPU and memory alone.
`most-allocated`: `NodeResourcesFit` with `MostAllocated`, devices counted five times. `best-fit`:
the node with the least of CPU and GPUs left. `fgd`: where the expected fragment grows least."""

POLICIES: tuple[str, ...] = get_args(Policy)

_MOST = 100
_DEVICES = 5
# What a pod that asks for nothing counts for in scores.
_UNASKED = {"cpu": 100, "memory": 200 << 20}
_LEFT_OF = {"cpu": 128_000, "gpus": 8}


Score = Callable[[Amounts, Amounts, Amounts], int]
"""The score of a node by what it has and what is used of it, told twice; of nodes of which no less
than the one and no more than the other is used the highest that there can be."""


def scorer(policy: Policy, asked: Amounts) -> Score:
    """How a pod that asks for so much scores nodes, from 0 to 200; not of `fgd`, which is told by
    the fragments. Amounts are in the units of `Node.allocatable`."""
    if policy == "best-fit":
        return partial(_best_fit, asked)
    pack = policy == "most-allocated"
    cpu_asked, memory_asked = (asked.get(name) or more for name, more in _UNASKED.items())
    devices = [(name, many) for name, many in asked.items() if pack and "/" in name]

    def score(have: Amounts, used: Amounts, most: Amounts) -> int:
        # Asked of every block for every pod: CPU and memory are written out, at twice the speed.
        total = weights = 0
        balance = _MOST
        cpu, memory = have.get("cpu", 0), have.get("memory", 0)
        if cpu:
            cpu_least, cpu_most = used.get("cpu", 0) + cpu_asked, most.get("cpu", 0) + cpu_asked
            cpu_least = cpu_least if cpu_least < cpu else cpu
            cpu_most = cpu_most if cpu_most < cpu else cpu
            total = (cpu_most if pack else cpu - cpu_least) * _MOST // cpu
            weights = 1
        if memory:
            least, taken = (
                used.get("memory", 0) + memory_asked,
                most.get("memory", 0) + memory_asked,
            )
            least = least if least < memory else memory
            taken = taken if taken < memory else memory
            total += (taken if pack else memory - least) * _MOST // memory
            weights += 1
            if cpu:
                apart = cpu_least / cpu - taken / memory
                if apart < 0:
                    apart = least / memory - cpu_most / cpu
                if apart > 0:
                    balance = math.floor((1 - apart / 2) * _MOST)
        for name, more in devices:
            own = have.get(name, 0)
            if own:
                total += min(most.get(name, 0) + more, own) * _MOST // own * _DEVICES
                weights += _DEVICES
        return (total // weights if weights else 0) + balance

    return score


def _best_fit(asked: Amounts, have: Amounts, used: Amounts, most: Amounts) -> int:
    """As the published simulator has it, of CPU and devices: the less is left, the better."""
    cpu = have.get("cpu", 0) - most.get("cpu", 0) - asked.get("cpu", 0)
    devices = sum(
        have.get(name, 0) - most.get(name, 0) - amount
        for name, amount in asked.items()
        if "/" in name
    )
    left = (cpu / _LEFT_OF["cpu"] + devices / _LEFT_OF["gpus"]) / 2
    return math.trunc(_MOST * (1 - left))
