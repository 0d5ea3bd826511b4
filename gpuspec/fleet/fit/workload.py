"""The report on one demand after placement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.fleet.fit.advice import advice
from gpuspec.fleet.fit.amount_text import amount, resource
from gpuspec.fleet.fit.result import Landing, MetricChange, StrandedGpus, WorkloadFit
from gpuspec.fleet.scheduler.preemption import preempt
from gpuspec.fleet.scheduler.status_message import message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.fit.capacity import Empty
    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.fit.fleet_metrics import FleetMetrics
    from gpuspec.fleet.fit.quota import Lack
    from gpuspec.fleet.fit.result import Figures, GroupCapacity, Verdict
    from gpuspec.fleet.fit.run import DemandOutcome, PlacementRun
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.manifests import Place

_NAMED = 6
"""The most workloads of a queue that are named."""


def workload(
    run: PlacementRun,
    at: int,
    room: tuple[GroupCapacity, ...],
    empties: tuple[Empty, ...],
    fleet_metrics: FleetMetrics,
    figures: tuple[Figures, Figures],
    version: str,
) -> WorkloadFit:
    """Return the report on it.

    `room` and `empties`: see `rooms` and `typical`; `figures` are those of the fleet before and
    after.
    """
    demand, outcome = run.demands[at], run.outcomes[at]
    before, after = figures
    snapshot = fleet_metrics.node_states.snapshot
    words, notes = _words(demand, outcome, run, version)
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
        stranded=_stranded(outcome, fleet_metrics),
        fragment=MetricChange(before.fragment, after.fragment),
        whole=MetricChange(before.whole, after.whole),
        message=words,
        beside=outcome.fitted or len(outcome.nodes),
        reasons=() if outcome.verdict is not None and outcome.verdict.fits else outcome.reasons,
        advice=advice(
            demand, outcome, room, empties, fleet_metrics.devices, fleet_metrics.node_states
        ),
        notes=notes,
    )


def _verdict(demand: PodDemand, outcome: DemandOutcome) -> Verdict:
    if demand.invalid:
        return "refused"
    if demand.elsewhere:
        return "elsewhere"
    if demand.unknown or (outcome.verdict is not None and outcome.verdict.unjudged):
        return "unknown"
    if len(outcome.nodes) >= demand.most:
        return "placed"
    if outcome.nodes:
        return "partly"
    is_held = outcome.not_admitted or (outcome.lack is not None and outcome.verdict is None)
    return "held" if is_held else "not placed"


def _words(
    demand: PodDemand, outcome: DemandOutcome, run: PlacementRun, version: str
) -> tuple[str | None, tuple[str, ...]]:
    """Return the scheduler's message, and further notes."""
    notes = [*demand.invalid, *((demand.unknown,) if demand.unknown else ()), *demand.notes]
    if outcome.lack is not None and len(outcome.nodes) < demand.most:
        notes.append(_lacking(outcome.lack))
    if outcome.ahead:
        wait = (
            "1 workload is ahead of it"
            if len(outcome.ahead) == 1
            else f"{len(outcome.ahead)} workloads are ahead of it"
        )
        notes.append(f"{wait} in queue {demand.queue}: {_few(outcome.ahead)}")
    if outcome.victims:
        victim_count, names = len(outcome.victims), _few(outcome.victims)
        those = f"{counted(victim_count, 'workload')} of lower priority: {names}"
        notes.append(f"queue {demand.queue} would preempt {those}")
    if outcome.not_admitted:
        others = sorted(
            queue.name for queue in run.ledger.queues if demand.namespace in queue.namespaces
        )
        those = f"queues that do: {', '.join(others)}" if others else "none does"
        text = f"no queue {demand.queue} admits workloads of namespace {demand.namespace}: {those}"
        notes.append(text)
    elif demand.queue and not run.ledger.queues and not demand.unknown:
        notes.append(f"queue {demand.queue} is unknown: it is assumed to admit the workload")
    if outcome.domain is not None and demand.near is not None:
        notes.append(f"all its pods share {demand.near.label} {outcome.domain}")
    elif outcome.domains and demand.near is not None:
        tried = counted(outcome.domains, "value")
        notes.append(f"all its pods together fit into no {demand.near.label}, {tried} tried")
    elif demand.near is not None and outcome.nodes and (demand.queue or demand.unit is not None):
        notes.append(
            f"no node has the label {demand.near.label}: it is unknown whether its "
            "pods share a value"
        )
    verdict = outcome.verdict
    if verdict is not None and verdict.unjudged:
        notes.append(verdict.unjudged)
    if verdict is None or verdict.fits or verdict.unjudged or demand.invalid:
        # No scheduler sees a pod that the API server refuses.
        return None, tuple(notes)
    if demand.unit is not None and outcome.fitted and not demand.queue:
        held_words = (
            f"{outcome.fitted} of {demand.most} pods would start, and hold their GPUs "
            "while they wait"
        )
        notes.append(f"{held_words} for the others: no gang scheduler places them together")
    preemption = preempt(verdict, run.node_states.snapshot)
    if preemption.helps:
        victims = len(preemption.candidates[0].victims)
        where = run.node_states.snapshot.nodes[preemption.candidates[0].node].name
        notes.append(f"it may preempt {counted(victims, 'pod')} of lower priority on {where}")
    return message(verdict, preemption, version, run.node_states.snapshot), tuple(notes)


def _few(names: Sequence[str]) -> str:
    """Return the first of them, and how many more there are."""
    more = len(names) - _NAMED
    # One more is named as shortly as counted.
    return ", ".join(names) if more < 2 else f"{', '.join(names[:_NAMED])} and {more} more"


def _lacking(lack: Lack) -> str:
    of = f" of {lack.group}" if lack.group else ""
    name, remaining = lack.resource, amount(lack.resource, lack.left)
    return (
        f"{lack.holder} has {remaining} of {amount(name, lack.total)} {resource(name)}{of} left, "
        f"but the workload requests {amount(name, lack.asked)}"
    )


def _landings(outcome: DemandOutcome, snapshot: Snapshot) -> tuple[Landing, ...]:
    pods: dict[str, int] = {}
    nodes: dict[str, set[int]] = {}
    for at in outcome.nodes:
        group = snapshot.nodes[at].group
        pods[group] = pods.get(group, 0) + 1
        nodes.setdefault(group, set()).add(at)
    return tuple(Landing(group, count, len(nodes[group])) for group, count in pods.items())


def _stranded(outcome: DemandOutcome, fleet_metrics: FleetMetrics) -> tuple[StrandedGpus, ...]:
    """Return stranded GPUs on the nodes of a workload's pods."""
    lost: dict[tuple[str, str, str], int] = {}
    for at in set(outcome.nodes):
        group = fleet_metrics.node_states.snapshot.nodes[at].group
        for strand in fleet_metrics.strands(fleet_metrics.node_states.state[at]):
            key = group, strand.device, strand.resource or ""
            lost[key] = lost.get(key, 0) + strand.milli
    return tuple(
        StrandedGpus(group, milli, device, name)
        for (group, device, name), milli in sorted(lost.items())
    )


def refused(
    name: str, namespace: str, kind: str, place: Place, notes: tuple[str, ...]
) -> WorkloadFit:
    """Return the report on a spec that cannot run on the profile."""
    none = MetricChange(0, 0)
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
