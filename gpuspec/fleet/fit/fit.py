"""Whether demands fit on a fleet, on which nodes, and their effect on other workloads."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fit.capacity import empties, group_capacities, typical
from gpuspec.fleet.fit.classes import GIVEN_MIX, OWN_MIX, classes, shares, unmeant
from gpuspec.fleet.fit.fleet_metrics import FleetMetrics
from gpuspec.fleet.fit.order import read_labels
from gpuspec.fleet.fit.result import FitReport
from gpuspec.fleet.fit.rows import rows
from gpuspec.fleet.fit.run import PlacementRun
from gpuspec.fleet.fit.workload import workload
from gpuspec.fleet.scheduler.node_states import NodeStates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gpuspec.fleet.fit.capacity import Empty
    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.fit.order import Order
    from gpuspec.fleet.fit.quota import Ledger
    from gpuspec.fleet.fit.result import GroupCapacity, WorkloadFit
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

    Each = Callable[[Callable[[int], list[int]], range], Iterable[list[int]]]
    """Does some work with each number, in any order; the results are in the order of the numbers."""

SEED = 42
"""The first seed; the others follow by ones."""


def fit(
    snapshot: Snapshot,
    demands: Sequence[PodDemand],
    ledger: Callable[[], Ledger],
    order: Order,
    tell: Callable[[int, int], None] | None = None,
    map_seeds: Each = map,
) -> FitReport:
    """Place the demands on a fleet, once for each seed.

    `snapshot` does not change. `ledger` creates a new ledger for each seed. `tell` reports
    progress: the units placed, and all units. `map_seeds` runs the seeds after the first.
    """
    node_states = NodeStates(snapshot, read_labels(snapshot, (*demands, *(order.mix or ()))))
    size_classes = classes(demands if order.mix is None else order.mix, node_states)

    def run(seed: int, *, with_reasons: bool) -> PlacementRun:
        fleet_metrics = FleetMetrics(node_states.copy(), size_classes)
        return PlacementRun(
            fleet_metrics,
            demands,
            ledger(),
            order.policy,
            Random(SEED + seed),
            with_reasons=with_reasons,
        )

    def placed(seed: int) -> list[int]:
        again = run(seed, with_reasons=False)
        for unit in again.units():
            again.place(unit)
        return _pods(again)

    first = run(0, with_reasons=True)
    report = _told(first, order, tell)
    others = range(1, order.seeds if _drawn(first) else 1)
    return _bounded(report, [_pods(first), *map_seeds(placed, others)])


def _pods(run: PlacementRun) -> list[int]:
    """Return how many pods of each demand were placed."""
    return [len(outcome.nodes) for outcome in run.outcomes]


def _drawn(run: PlacementRun) -> bool:
    """Return whether another seed could have another result: not if all or none is placed."""
    return any(outcome.waits for outcome in run.outcomes)


def _told(run: PlacementRun, order: Order, tell: Callable[[int, int], None] | None) -> FitReport:
    fleet_metrics, node_states = run.fleet_metrics, run.node_states
    empty_nodes, before = empties(node_states), fleet_metrics.figures()
    start, shown = Counter(node_states.counts), rows(fleet_metrics)
    workload_fits: dict[int, WorkloadFit] = {}
    typical_by_nodes: dict[int, tuple[Empty, ...]] = {}
    units = list(run.units())
    for done, unit in enumerate(units):
        had = before if not workload_fits else fleet_metrics.figures()
        room = [
            _room(run.demands[at].shape, empty_nodes, fleet_metrics, typical_by_nodes)
            for at in unit
        ]
        run.place(unit)
        has = fleet_metrics.figures()
        for at, (capacities, empty) in zip(unit, room, strict=True):
            workload_fits[at] = workload(
                run, at, capacities, empty, fleet_metrics, (had, has), order.version
            )
            # A verdict keeps what it is told of, and is told.
            run.outcomes[at].verdict = None
        if tell is not None:
            tell(done + 1, len(units))
    end, after = Counter(node_states.counts), fleet_metrics.figures()
    strands = after.stranded > before.stranded
    notes = unmeant(fleet_metrics, has_mix=order.mix is not None, strands=strands)
    return FitReport(
        fleet=order.fleet,
        version=order.version,
        workloads=tuple(workload_fits[at] for at in range(len(run.demands))),
        before=before,
        after=after,
        rows_before=shown,
        rows_after=rows(fleet_metrics),
        classes=shares(fleet_metrics, start, end),
        mix=OWN_MIX if order.mix is None else GIVEN_MIX,
        policy=order.policy,
        seeds=order.seeds,
        notes=(*order.notes, *notes),
    )


def _room(
    shape: Shape,
    empty_nodes: Iterable[Empty],
    fleet_metrics: FleetMetrics,
    typical_by_nodes: dict[int, tuple[Empty, ...]],
) -> tuple[tuple[GroupCapacity, ...], tuple[Empty, ...]]:
    """Return the capacity of each group of nodes before a workload is placed, and an empty node of
    each."""
    open_ = fleet_metrics.node_states.takers(shape)
    # Shapes to which the same nodes are open have one mapping of them, which the node states keep.
    typical_nodes = typical_by_nodes.get(id(open_)) or typical_by_nodes.setdefault(
        id(open_), typical(empty_nodes, open_)
    )
    return group_capacities(
        shape, fleet_metrics.node_states, typical_nodes, open_, fleet_metrics.devices
    ), typical_nodes


def _bounded(report: FitReport, placed: list[list[int]]) -> FitReport:
    """Return the report with the fewest and the most pods over all seeds."""
    workloads = tuple(
        msgspec.structs.replace(workload_fit, bounds=(min(counts), max(counts)))
        for workload_fit, counts in zip(report.workloads, zip(*placed, strict=True), strict=True)
    )
    return msgspec.structs.replace(report, workloads=workloads, seeds=len(placed))
