"""Report on the current state of a fleet, before anything is placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.fit.classes import GIVEN_MIX, NO_MIX, classes, shares, unmeant
from gpuspec.fleet.fit.fleet_metrics import FleetMetrics
from gpuspec.fleet.fit.order import read_labels
from gpuspec.fleet.fit.result import FleetReport
from gpuspec.fleet.fit.rows import rows
from gpuspec.fleet.scheduler.node_states import NodeStates

if TYPE_CHECKING:
    from gpuspec.fleet.fit.order import Order
    from gpuspec.fleet.scheduler.snapshot import Snapshot


def survey(snapshot: Snapshot, order: Order) -> FleetReport:
    """Return the report on the current state of a fleet."""
    node_states = NodeStates(snapshot.copy(), read_labels(snapshot, order.mix or ()))
    fleet_metrics = FleetMetrics(node_states, classes(order.mix or (), node_states))
    groups: dict[str, list[int]] = {}
    for at, node in enumerate(snapshot.nodes):
        if node.gpus is not None:
            groups.setdefault(node.group, []).append(at)
    state = node_states.counts
    return FleetReport(
        fleet=order.fleet,
        figures=fleet_metrics.figures(),
        groups={name: fleet_metrics.figures(nodes) for name, nodes in groups.items()},
        rows=rows(fleet_metrics),
        classes=shares(fleet_metrics, state, state),
        mix=GIVEN_MIX if order.mix is not None else NO_MIX,
        notes=(*order.notes, *unmeant(fleet_metrics, has_mix=order.mix is not None)),
    )
