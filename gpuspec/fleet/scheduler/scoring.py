"""Which of the nodes that take a pod it goes to: the scores of one node by itself.

Sources: Kubernetes 1.37, pkg/scheduler/framework/plugins/noderesources (least_allocated.go,
most_allocated.go, balanced_allocation.go) and apis/config/v1/defaults.go for weights. What depends
on other pods is in `spreading`. Scores of images, of preferred affinity to pods and of taints that
only prefer are not told: they are equal where nothing is known of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_PLAIN = ("cpu", "memory", "ephemeral-storage", "pods")


def score(
    policy: Policy,
    asked: Mapping[str, int],
    allocatable: Mapping[str, int],
    used: Mapping[str, int],
) -> int:
    """The score of a node, from 0 to 200; not of `fgd`, which is told by the fragments.

    Amounts are in the units of `Node.allocatable`; `used` are those of the pods that run.
    """
    if policy == "best-fit":
        return _best_fit(asked, allocatable, used)
    pack = policy == "most-allocated"
    total = weights = 0
    parts: list[float] = []
    for name in ("cpu", "memory", *(key for key in asked if pack and "/" in key)):
        have = allocatable.get(name, 0)
        if not have:
            continue
        weight = _DEVICES if "/" in name else 1
        taken = used.get(name, 0) + (asked.get(name) or _UNASKED.get(name, 0))
        within = min(taken, have)
        total += (within if pack else have - within) * _MOST // have * weight
        weights += weight
        if "/" not in name:
            parts.append(min(1.0, taken / have))
    balance = _MOST if len(parts) < 2 else math.floor((1 - abs(parts[0] - parts[1]) / 2) * _MOST)
    return (total // weights if weights else 0) + balance


def _best_fit(
    asked: Mapping[str, int], allocatable: Mapping[str, int], used: Mapping[str, int]
) -> int:
    """As the published simulator has it, of CPU and devices: the less is left, the better."""
    cpu = allocatable.get("cpu", 0) - used.get("cpu", 0) - asked.get("cpu", 0)
    devices = sum(
        allocatable.get(name, 0) - used.get(name, 0) - amount
        for name, amount in asked.items()
        if "/" in name
    )
    left = (cpu / _LEFT_OF["cpu"] + devices / _LEFT_OF["gpus"]) / 2
    return math.trunc(_MOST * (1 - left))
