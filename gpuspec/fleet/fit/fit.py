"""Whether demands are placed on a fleet, where, and what that costs the others."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fit.advice import advice
from gpuspec.fleet.fit.classes import classes
from gpuspec.fleet.fit.quota import Ledger
from gpuspec.fleet.fit.reasons import reasons
from gpuspec.fleet.fit.result import (
    Change,
    ClassShare,
    Figures,
    FitReport,
    FleetReport,
    Landing,
    Stranded,
    WorkloadFit,
)
from gpuspec.fleet.fit.rooms import Empty, empties, rooms, typical
from gpuspec.fleet.fit.rows import rows
from gpuspec.fleet.fit.run import Outcome, Run
from gpuspec.fleet.fit.sight import Sight, device_names
from gpuspec.fleet.fit.words import amount, count, resource
from gpuspec.fleet.fragments import slots as class_slots
from gpuspec.fleet.scheduler.board import Board
from gpuspec.fleet.scheduler.preemption import preempt
from gpuspec.fleet.scheduler.snapshot import Snapshot
from gpuspec.fleet.scheduler.words import message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gpuspec.fleet.fit.demand import Demand
    from gpuspec.fleet.fit.quota import Lack
    from gpuspec.fleet.fit.result import Reason, Room, Verdict
    from gpuspec.fleet.fragments import Class
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.manifests import Place

SEED = 42
"""The first; others follow by ones."""
_NAMED = 6
"""As many are named in one note."""
_CLASSES = 20
"""As many classes are told of by themselves, those of most demand."""
ZONE = "topology.kubernetes.io/zone"
OWN_MIX = "the classes are the workloads themselves, weighted by the GPUs that they ask for"
GIVEN_MIX = "the classes are those of the mix, weighted by the GPUs that they ask for"

NO_MIX = "no mix is given that says who would use what is idle: none of it counts as lost"


class Order(msgspec.Struct, frozen=True):
    """How a fit is to be made."""

    fleet: str
    version: str
    policy: Policy = "least-allocated"
    seeds: int = 5
    mix: tuple[Demand, ...] | None = None
    """Who else would use the fleet; None for the demands themselves."""
    notes: tuple[str, ...] = ()


def fit(
    snapshot: Snapshot,
    demands: Sequence[Demand],
    ledger: Callable[[], Ledger],
    order: Order,
    tell: Callable[[int, int], None] | None = None,
) -> FitReport:
    """Place the demands on a fleet, once for each seed.

    `snapshot` is left as it was. `ledger` makes a fresh one for each seed. `tell` is told of
    progress: units that are placed, of how many.
    """
    placed: list[list[int]] = []
    reads = _reads(snapshot, (*demands, *(order.mix or ())))
    first: FitReport | None = None
    known = Board(snapshot, reads)
    made = _classes(order, demands, known)
    for seed in range(order.seeds):
        board = known.copy()
        sight = Sight(board, made)
        random = Random(SEED + seed)
        run = Run(sight, demands, ledger(), order.policy, random, told=seed == 0)
        if seed == 0:
            first = _told(run, sight, order, tell)
        else:
            for unit in run.units():
                run.place(unit)
        placed.append([len(one.nodes) for one in run.outcomes])
        if seed == 0 and not _drawn(run):
            break
    assert first is not None
    return _bounded(first, placed)


def refused(
    name: str, namespace: str, kind: str, place: Place, notes: tuple[str, ...]
) -> WorkloadFit:
    """What is said of a spec that the profile cannot carry."""
    none = Change(0, 0)
    return WorkloadFit(
        name=name,
        namespace=namespace,
        kind=kind,
        role="pod",
        place=place,
        pods=0,
        least=0,
        placed=0,
        bounds=(0, 0),
        requests={},
        gpus=0,
        verdict="refused",
        gang=False,
        queue=None,
        rooms=(),
        landings=(),
        stranded=(),
        fragment=none,
        whole=none,
        notes=notes,
    )


def survey(snapshot: Snapshot, order: Order) -> FleetReport:
    """A fleet as it is."""
    board = Board(snapshot.copy(), _reads(snapshot, order.mix or ()))
    sight = Sight(board, _classes(order, (), board))
    groups: dict[str, list[int]] = {}
    for at, node in enumerate(snapshot.nodes):
        if node.gpus is not None:
            groups.setdefault(node.group, []).append(at)
    state = board.counts
    shares = tuple(_share(one, sight, state, state) for one in sight.metric.classes[:_CLASSES])
    return FleetReport(
        fleet=order.fleet,
        figures=sight.figures(),
        groups={name: sight.figures(nodes) for name, nodes in groups.items()},
        rows=rows(sight),
        classes=shares,
        mix=GIVEN_MIX if order.mix is not None else NO_MIX,
        notes=(*order.notes, *_unmeant(sight, order)),
    )


def _reads(snapshot: Snapshot, demands: Iterable[Demand]) -> frozenset[str]:
    """The labels of nodes that anything here asks for: others tell no nodes apart."""
    shapes = [*(one.shape for one in demands), *snapshot.shapes]
    found = {ZONE, *(one.near.label for one in demands if one.near)}
    return frozenset(found.union(*(one.reads | one.wishes for one in shapes)))


def _classes(order: Order, demands: Sequence[Demand], board: Board) -> tuple[Class, ...]:
    return classes(demands if order.mix is None else order.mix, board, device_names(board))


def _drawn(run: Run) -> bool:
    """Whether another seed could tell another story: not where all or nothing is placed."""
    return any(one.waits for one in run.outcomes)


def _told(
    run: Run, sight: Sight, order: Order, tell: Callable[[int, int], None] | None
) -> FitReport:
    board = sight.board
    known, before = empties(board), sight.figures()
    start, shown = Counter(board.counts), rows(sight)
    made: dict[int, WorkloadFit] = {}
    seen: dict[int, tuple[Empty, ...]] = {}
    units = list(run.units())
    for done, unit in enumerate(units):
        had = before if not made else sight.figures()
        room = [_room(run.demands[at].shape, known, sight, seen) for at in unit]
        run.place(unit)
        has = sight.figures()
        for at, (each, empty) in zip(unit, room, strict=True):
            made[at] = _workload(run, at, each, empty, sight, (had, has), order)
            # A verdict tells of every node, and is told.
            run.outcomes[at].verdict = None
        if tell is not None:
            tell(done + 1, len(units))
    end = Counter(board.counts)
    return FitReport(
        fleet=order.fleet,
        version=order.version,
        workloads=tuple(made[at] for at in range(len(run.demands))),
        before=before,
        after=sight.figures(),
        rows_before=shown,
        rows_after=rows(sight),
        classes=tuple(_share(one, sight, start, end) for one in sight.metric.classes[:_CLASSES]),
        mix=OWN_MIX if order.mix is None else GIVEN_MIX,
        policy=order.policy,
        seeds=order.seeds,
        notes=(*order.notes, *_unmeant(sight, order)),
    )


def _room(
    shape: Shape, known: Iterable[Empty], sight: Sight, seen: dict[int, tuple[Empty, ...]]
) -> tuple[tuple[Room, ...], tuple[Empty, ...]]:
    """Room on each group of nodes before a workload is placed, and an empty node of each."""
    open_ = sight.board.takers(shape)
    # Shapes to which the same nodes are open have one mapping of them, which the board keeps.
    each = seen.get(id(open_)) or seen.setdefault(id(open_), typical(known, open_))
    return rooms(shape, sight.board, each, open_, sight.devices), each


def _unmeant(sight: Sight, order: Order) -> tuple[str, ...]:
    groups = ", ".join(sight.nobodys()) if sight.metric.classes else ""
    told = [f"no workload here runs on {groups}: what is idle there is not called stranded"]
    told = told if groups else []
    homeless = [one.name for one in sight.metric.classes if one.kinds == frozenset()]
    if order.mix is not None and homeless:
        many = f"{', '.join(homeless[:_NAMED])}{' …' if len(homeless) > _NAMED else ''}"
        told.append(
            f"no node takes {many} of the mix, even an empty one: idle GPUs are no loss to it"
        )
    return tuple(told)


def _workload(
    run: Run,
    at: int,
    room: tuple[Room, ...],
    known: tuple[Empty, ...],
    sight: Sight,
    figures: tuple[Figures, Figures],
    order: Order,
) -> WorkloadFit:
    demand, outcome = run.demands[at], run.outcomes[at]
    before, after = figures
    snapshot = sight.board.snapshot
    said, notes = _words(demand, outcome, run, order.version)
    return WorkloadFit(
        name=demand.name,
        namespace=demand.namespace,
        kind=demand.kind,
        role=demand.role,
        place=demand.place,
        pods=demand.most,
        least=demand.least,
        placed=len(outcome.nodes),
        bounds=(len(outcome.nodes), len(outcome.nodes)),
        requests=dict(demand.shape.requests),
        gpus=demand.devices,
        verdict=_verdict(demand, outcome),
        gang=demand.unit is not None,
        queue=demand.queue,
        rooms=room,
        landings=_landings(outcome, snapshot),
        stranded=_stranded(outcome, sight),
        fragment=Change(before.fragment, after.fragment),
        whole=Change(before.whole, after.whole),
        message=said,
        reasons=_reasons(outcome, snapshot),
        advice=advice(demand, outcome, room, known, sight.devices, sight.board),
        notes=notes,
    )


def _verdict(demand: Demand, outcome: Outcome) -> Verdict:
    if demand.invalid:
        return "refused"
    if demand.unknown:
        return "unknown"
    if len(outcome.nodes) >= demand.most:
        return "placed"
    if outcome.nodes:
        return "partly"
    held = outcome.stranger or (outcome.lack is not None and outcome.verdict is None)
    return "held" if held else "not placed"


def _words(
    demand: Demand, outcome: Outcome, run: Run, version: str
) -> tuple[str | None, tuple[str, ...]]:
    """What the scheduler says, and what is to be known besides."""
    notes = [*demand.invalid, *((demand.unknown,) if demand.unknown else ()), *demand.notes]
    if outcome.lack is not None and len(outcome.nodes) < demand.most:
        notes.append(_lacking(outcome.lack))
    if outcome.stranger:
        others = sorted(one.name for one in run.ledger.queues if demand.namespace in one.namespaces)
        those = f"those that do: {', '.join(others)}" if others else "none does"
        text = f"no queue {demand.queue} admits from namespace {demand.namespace}: {those}"
        notes.append(text)
    elif demand.queue and not run.ledger.queues and not demand.unknown:
        notes.append(f"nothing is known of queue {demand.queue}: it is taken to admit the workload")
    if outcome.domain is not None and demand.near is not None:
        notes.append(f"all its pods share {demand.near.label} {outcome.domain}")
    elif outcome.domains and demand.near is not None:
        tried = count(outcome.domains, "value")
        notes.append(f"no {demand.near.label} of {tried} has room for all its pods")
    elif demand.near is not None and outcome.nodes and (demand.queue or demand.unit is not None):
        notes.append(f"no node says its {demand.near.label}: whether its pods share one is open")
    verdict = outcome.verdict
    if verdict is None or verdict.fits:
        return None, tuple(notes)
    if demand.unit is not None and outcome.fitted and not demand.queue:
        held = f"{outcome.fitted} of {demand.most} pods would start and hold their GPUs, waiting"
        notes.append(f"{held} for the others: nothing here places them together")
    preemption = preempt(verdict, run.board.snapshot)
    if preemption.helps:
        victims = len(preemption.candidates[0].victims)
        where = run.board.snapshot.nodes[preemption.candidates[0].node].name
        notes.append(
            f"it may take the place of {count(victims, 'pod')} of lower priority on {where}"
        )
    return message(verdict, preemption, version, run.board.snapshot), tuple(notes)


def _reasons(outcome: Outcome, snapshot: Snapshot) -> tuple[Reason, ...]:
    if outcome.reasons is not None or outcome.verdict is None:
        return outcome.reasons or ()
    return reasons(outcome.verdict, snapshot)


def _lacking(lack: Lack) -> str:
    of = f" of {lack.group}" if lack.group else ""
    name, left = lack.resource, amount(lack.resource, lack.left)
    return (
        f"{lack.holder} has {left} of {amount(name, lack.total)} {resource(name)}{of} left, and "
        f"{amount(name, lack.asked)} are asked for"
    )


def _landings(outcome: Outcome, snapshot: Snapshot) -> tuple[Landing, ...]:
    pods: dict[str, int] = {}
    nodes: dict[str, set[int]] = {}
    for at in outcome.nodes:
        group = snapshot.nodes[at].group
        pods[group] = pods.get(group, 0) + 1
        nodes.setdefault(group, set()).add(at)
    return tuple(Landing(group, many, len(nodes[group])) for group, many in pods.items())


def _stranded(outcome: Outcome, sight: Sight) -> tuple[Stranded, ...]:
    """GPUs that are of no use to anyone on the nodes where pods of a workload lie."""
    lost: dict[tuple[str, str, str], int] = {}
    for at in set(outcome.nodes):
        group = sight.board.snapshot.nodes[at].group
        for one in sight.strands(sight.board.state[at]):
            key = group, one.device, one.resource or ""
            lost[key] = lost.get(key, 0) + one.milli
    return tuple(
        Stranded(group, milli, device, name)
        for (group, device, name), milli in sorted(lost.items())
    )


def _share(
    one: Class, sight: Sight, before: Mapping[int, int], after: Mapping[int, int]
) -> ClassShare:
    def both(measure: Callable[[int], int]) -> Change:
        was = sum(many * measure(number) for number, many in before.items() if many)
        return Change(was, sum(many * measure(number) for number, many in after.items() if many))

    lost = both(lambda number: sight.lost(number, one))
    return ClassShare(
        name=one.name,
        weight=one.weight / sight.metric.weight,
        fragment=Change(lost.before / 1000, lost.after / 1000),
        slots=both(lambda number: class_slots(sight.state(number), one)),
    )


def _bounded(report: FitReport, placed: list[list[int]]) -> FitReport:
    """The report with the fewest and the most pods over all seeds."""
    workloads = tuple(
        msgspec.structs.replace(one, bounds=(min(counts), max(counts)))
        for one, counts in zip(report.workloads, zip(*placed, strict=True), strict=True)
    )
    return msgspec.structs.replace(report, workloads=workloads, seeds=len(placed))
