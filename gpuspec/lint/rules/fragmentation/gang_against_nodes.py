"""Workers that start together, compared with the existing nodes."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.lint.analysis.placement.nodes import (
    NodeKind,
    NodeKinds,
    fewest,
    nodes,
    shape,
    whole_device,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU403",
    "gang-against-nodes",
    "error",
    "A gang does not fit on the pool's nodes, or fragments its last node",
    gives_way=("GPU205", "GPU402"),
)

_TAIL = 0.25


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield gangs of whole-GPU pods, if the profile has the number of nodes."""
    device = whole_device(pod)
    if device is None or not pod.role.gang or context.cluster is None:
        return
    workers = pod.role.count if pod.role.groups != 1 else fewest(pod, context)
    node_kinds = nodes(pod, context)
    if not workers or workers < 2 or not node_kinds.kinds:
        return
    slots = _slots(pod, node_kinds)
    if not slots:
        return  # not known, or one alone does not fit
    if slots < workers:
        listed = ", ".join(f"`{node.pool.name}`" for node in node_kinds.kinds if node.pool)
        yield RawFinding(
            device.path,
            f"{workers} workers of {counted(pod.gpus, 'GPU')} start together, but the eligible "
            f"pools ({listed}) fit only {slots} workers even when empty: the gang never starts",
            note=f"run at most {slots} workers, or allow more pools",
            key=True,
        )
        return
    yield from _tail(pod, node_kinds, workers, device.path)


def _slots(pod: Pod, node_kinds: NodeKinds) -> int | None:
    """Return the number of pods that fit on all nodes; None if the number of nodes is unknown."""
    from gpuspec.fleet import slots

    total = 0
    for node in node_kinds.kinds:
        if node.most is None:
            return None
        total += node.most * slots(node.host, shape(pod))
    return total


def _tail(
    pod: Pod, node_kinds: NodeKinds, workers: int, path: tuple[str | int, ...]
) -> Iterator[RawFinding]:
    """Yield a last node that is half used, when the workers fill the others."""
    if len({node.host.gpus for node in node_kinds.kinds}) != 1:
        return
    node: NodeKind = node_kinds.kinds[0]
    per_node = node.host.gpus // pod.gpus
    if per_node < 2 or node.host.gpus % pod.gpus:
        return
    used = -(-workers // per_node)
    rest = used * node.host.gpus - workers * pod.gpus
    # Workers that fit on one node break none that they did not need.
    if used < 2 or rest / (used * node.host.gpus) < _TAIL:
        return
    yield RawFinding(
        path,
        f"{workers} workers of {counted(pod.gpus, 'GPU')} need {counted(used, 'node')} of {counted(node.host.gpus, 'GPU')}, and "
        f"only smaller pods can use the {counted(rest, 'GPU')} left on the last node",
        note=f"use a multiple of {per_node} workers to fill the nodes",
        severity="info",
        confidence="likely",
        key=True,
    )
