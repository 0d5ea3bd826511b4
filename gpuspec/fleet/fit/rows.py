"""The fleet for drawings: every node is a row of GPUs, with the pods on each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.fit.fleet_metrics import working
from gpuspec.fleet.fit.result import Cell, DeviceUse, NodeRow
from gpuspec.fleet.nodes.pools import UNTOLD_DISK as UNTOLD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpuspec.fleet.fit.fleet_metrics import FleetMetrics
    from gpuspec.fleet.nodes import DevicePart, FleetNode
    from gpuspec.fleet.scheduler.snapshot import RunningPod

_LEAST = 1
"""The smallest drawn part, in thousandths."""


def rows(fleet_metrics: FleetMetrics) -> tuple[NodeRow, ...]:
    """Return the nodes with GPUs.

    The scheduler does not decide which of a node's devices a pod gets: the drawing assigns them in
    their order, first to the oldest pods.
    """
    shown: list[NodeRow] = []
    cells_by_state: dict[tuple[int, tuple[RunningPod, ...]], tuple[Cell, ...]] = {}
    frees: dict[int, dict[str, int]] = {}
    node_states = fleet_metrics.node_states
    for at, node in enumerate(node_states.snapshot.nodes):
        if node.gpus is None:
            continue
        state = node_states.state[at]
        if state not in frees:
            used = node_states.used(state)
            have = _told(node)
            frees[state] = {name: max(0, have[name] - used.get(name, 0)) for name in have}
        holding = tuple(pod for pod in node_states.snapshot.pods[at] if not pod.daemon)
        cells = cells_by_state.get((state, holding))
        if cells is None:
            cells = cells_by_state[state, holding] = _cells(fleet_metrics, state, node, holding)
        shown.append(NodeRow(node.name, node.group, cells, frees[state], _told(node)))
    return tuple(shown)


def _told(node: FleetNode) -> Mapping[str, int]:
    """Return a node's amounts, without the placeholders for unlimited ones."""
    have = node.allocatable
    if all(amount < UNTOLD for amount in have.values()):
        return have
    return {name: amount for name, amount in have.items() if amount < UNTOLD}


def _cells(
    fleet_metrics: FleetMetrics, state: int, node: FleetNode, pods: Sequence[RunningPod]
) -> tuple[Cell, ...]:
    gpus = node.gpus
    assert gpus is not None
    strands = {
        (strand.device, strand.left): strand.resource or ""
        for strand in fleet_metrics.strands(state)
    }
    parts: list[list[DeviceUse]] = [[] for _ in range(gpus.count)]
    lost: list[str | None] = [None] * gpus.count
    for name, pieces in working(gpus, node.allocatable).items():
        running_pods = _taken(name, pods, len(pieces))
        for piece, owner in zip(pieces, running_pods, strict=True):
            lacks = strands.get((name, piece.milli)) if owner is None else None
            parts[piece.gpu].append(_part(piece, owner, lacks is not None))
            lost[piece.gpu] = lost[piece.gpu] or lacks
    return tuple(
        Cell(tuple(sorted(device_uses, key=lambda part: part.start or 0)), reason)
        for device_uses, reason in zip(parts, lost, strict=True)
    )


def _taken(name: str, pods: Sequence[RunningPod], devices: int) -> list[RunningPod | None]:
    """Return the pod of each device of a resource."""
    slot_pods: list[RunningPod | None] = []
    for placed in pods:
        slot_pods += [placed] * placed.shape.requests.get(name, 0)
    return [*slot_pods, *([None] * devices)][:devices]


def _part(piece: DevicePart, owner: RunningPod | None, stranded: bool) -> DeviceUse:
    milli = max(_LEAST, piece.milli)
    if owner is None:
        return DeviceUse(milli, None, True, "", piece.start, piece.slices, stranded)
    return DeviceUse(milli, owner.workload, False, owner.name, piece.start, piece.slices)
