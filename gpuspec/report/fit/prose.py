"""Sentences about a workload that all formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.report.fit.amounts import (
    between,
    change,
    few,
    figure,
    gpus,
    resource,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.fleet.fit.result import (
        Advice,
        Figures,
        FitReport,
        GroupCapacity,
        Reason,
        WorkloadFit,
    )

REASONS = 10
"""The most reasons shown why nodes do not accept a pod."""
GROUPS = 6
"""The most groups of nodes named in one sentence."""


def title(work: WorkloadFit) -> str:
    """Return `chat (Deployment, serving)`, with the role of a pod if there are several."""
    role = "" if work.role == "pod" else f" {work.role}"
    where = f"{work.kind}, {work.namespace}" if work.namespace else work.kind
    return f"{work.name}{role} ({where})"


def verdict(work: WorkloadFit, seeds: int) -> str:
    """Return `placed, 4 of 4 pods`, with the range if ties decide, and the reason."""
    if work.verdict in ("unknown", "elsewhere"):
        return work.verdict
    if work.verdict == "refused":
        return "refused" if work.pods else "refused, it cannot run on this cluster"
    least, most = work.bounds
    text = f"{between(least, most)} of {counted(work.pods, 'pod')}"
    if work.least != work.pods:
        text += f", minimum {work.least:,}"
    if least != most:
        text += f", depending on ties ({seeds} seeds)"
    if work.gang and work.pods > 1:
        text += ", a gang"
    if work.verdict == "held":
        text += f": queue {work.queue} does not admit it" if work.queue else ": not admitted"
    return f"{work.verdict}, {text}"


def landing(work: WorkloadFit) -> str:
    """Return `3 pods on 2 nodes of h100`; empty if no pod is placed."""
    texts = [
        f"{counted(group_landing.pods, 'pod')} on {counted(group_landing.nodes, 'node')} of {group_landing.group}"
        for group_landing in work.landings
        if group_landing.pods
    ]
    return few(texts, GROUPS)


def slots(work: WorkloadFit) -> list[str]:
    """Return the slots in total, then by group: `h100: 22 of 24 free before, 2 on each of 12 nodes,
    bound by GPUs`."""
    if work.verdict == "elsewhere":
        return []
    open_, shut = open_rooms(work), shut_rooms(work)
    none = [room for room in open_ if not room.each]
    open_ = [room for room in open_ if room.each]
    # One more group takes as much room as the line that counts it.
    most = GROUPS + (len(open_) == GROUPS + 1)
    sentences = [slot_line(room, _devices(work)) for room in open_[:most]]
    if len(open_) > 1:
        free, every = sum(room.free for room in open_), sum(room.slots for room in open_)
        sentences.insert(0, f"{free:,} of {every:,} free before, in total")
    if rest := open_[most:]:
        free, every = sum(room.free for room in rest), sum(room.slots for room in rest)
        groups = counted(len(rest), "more group")
        sentences.append(f"{groups}: {free:,} of {every:,} free before")
    for bound in dict.fromkeys(room.bound for room in none):
        groups = few([room.group for room in none if room.bound == bound], GROUPS)
        sentences.append(
            f"none on {groups}, bound by {resource(bound)}" if bound else f"none on {groups}"
        )
    if shut:
        sentences.append(f"excluded: {few([room.group for room in shut], GROUPS)}")
    return sentences


def open_rooms(work: WorkloadFit) -> list[GroupCapacity]:
    """Return the groups whose nodes may accept the pod."""
    return [room for room in work.rooms if room.reason is None]


def shut_rooms(work: WorkloadFit) -> list[GroupCapacity]:
    """Return the groups whose nodes exclude the pod, whatever is free."""
    return [room for room in work.rooms if room.reason is not None]


def _devices(work: WorkloadFit) -> str:
    """Return the name of the pods' devices."""
    return "GPUs" if any(resource(name) == "GPUs" for name in work.requests) else "devices"


def slot_line(room: GroupCapacity, devices: str) -> str:
    """Return `h100: 22 of 24 free before, 3 on each of 12 nodes, bound by CPU; a full node leaves 2
    GPUs idle`."""
    bound = f", bound by {resource(room.bound)}" if room.bound else ""
    nodes = f"each of {room.nodes:,} nodes" if room.nodes > 1 else "its node"
    idle = f"; a full node leaves {room.left} {devices if room.left > 1 else devices[:-1]} idle"
    free = f"{room.free:,} of {room.slots:,} free before"
    line_text = f"{room.group}: {free}, {room.each:,} on {nodes}{bound}"
    return line_text + idle if room.left else line_text


def stranded(work: WorkloadFit) -> list[str]:
    """Return `6 GPUs on h100: not enough CPU left on the node for another pod`, for each group."""
    return [
        f"{gpu_count(part.milli)} on {part.group}: "
        + (
            f"not enough {resource(part.resource)} left on the node for another pod"
            if part.resource
            else f"no workload requests {resource(part.device)}"
        )
        for part in work.stranded
        if part.milli
    ]


def gpu_count(milli: int) -> str:
    """Return `1 GPU`, `2.5 GPUs`."""
    return f"{gpus(milli)} {'GPU' if milli == 1000 else 'GPUs'}"


def cost(work: WorkloadFit) -> str:
    """Return the workload's effect on the expected fragment and on the number of whole nodes."""
    lost = f"{change(work.fragment)} idle GPUs that a class of work cannot use, on average"
    return f"{lost}; nodes with all GPUs idle: {change(work.whole)}"


def reasons(work: WorkloadFit) -> list[tuple[str, str]]:
    """Return why no node accepts the pod, each sentence with its label: the nearest nodes, the
    change needed there, and the other nodes."""
    sentences: list[tuple[str, str]] = []
    if not work.reasons:
        return sentences
    first, *others = work.reasons
    # Pods of a gang that is not placed are in no picture.
    holders = f", {_held(work)}" if work.beside > work.placed else ""
    sentences.append(("nearest", f"{_nodes(first, first.nodes)}{holders}: {first.text}"))
    if first.change is not None:
        fit = "that fits" if work.beside == 1 else "that fit"
        start = f"for 1 more pod than the {work.beside} {fit}: " if work.beside else ""
        sentences.append(("to fit", f"{start}{advice(first.change)}"))
    lines = [
        f"{_nodes(reason, reason.nodes)}: {reason.text}"
        for reason in others
        if reason.group == first.group
    ]
    lines += _further([reason for reason in others if reason.group != first.group])
    if len(lines) > REASONS + 1:
        rest = counted(len(lines) - REASONS, "more set")
        lines = [*lines[:REASONS], f"{rest} of nodes, for other reasons: see --format json"]
    return sentences + [("" if number else "others", line) for number, line in enumerate(lines)]


def _further(reasons: Iterable[Reason]) -> Iterator[str]:
    """Yield the first reason of each group of nodes that is further away, once for each group."""
    alike: dict[tuple[str, str], list[Reason]] = {}
    for reason in reasons:
        alike.setdefault((reason.group, reason.text.partition("; ")[0]), []).append(reason)
    for (_, start), group_reasons in alike.items():
        more = {reason.text.count("; ") for reason in group_reasons}
        rest = "" if more == {0} else f"; and {max(more)} more" if len(more) == 1 else "; and more"
        yield f"{_nodes(group_reasons[0], sum(reason.nodes for reason in group_reasons))}: {start}{rest}"


def _nodes(reason: Reason, nodes: int) -> str:
    """Return `h100, 3 of its 9 nodes`."""
    if nodes == reason.of:
        return f"{reason.group}, {'its node' if reason.of == 1 else f'all {reason.of:,} nodes'}"
    of = f"{nodes:,} of its {reason.of:,} nodes" if reason.of else counted(nodes, "node")
    return f"{reason.group}, {of}"


def message_of(work: WorkloadFit) -> str:
    """Return the introduction of the scheduler's message."""
    holders = f", {_held(work)}" if work.beside else ""
    return f"kube-scheduler's message for the first pod that is not placed{holders}:"


def _held(work: WorkloadFit) -> str:
    is_single = work.beside == 1
    others = (
        "1 other pod holds its node" if is_single else f"{work.beside} other pods hold their nodes"
    )
    return f"while {others}"


def needs_attention(work: WorkloadFit) -> bool:
    """Return whether a workload is not placed as requested."""
    return work.verdict not in ("placed", "unknown", "elsewhere")


def ranked(report: FitReport) -> tuple[list[tuple[int, WorkloadFit]], ...]:
    """Return the workloads with their numbers: those that need attention, the placed ones, and
    those without a result."""
    every = list(enumerate(report.workloads))
    return (
        [numbered for numbered in every if needs_attention(numbered[1])],
        [numbered for numbered in every if numbered[1].verdict == "placed"],
        [numbered for numbered in every if numbered[1].verdict in ("unknown", "elsewhere")],
    )


def advice(one: Advice) -> str:
    """Return the advice, with its place in the file."""
    return f"{one.text} ({one.place})" if one.place else one.text


def summary(report: FitReport) -> str:
    """Return the last line: the number of placed workloads, and their effect on the fleet."""
    works = report.workloads
    apart = [
        workload_fit for workload_fit in works if workload_fit.verdict in ("unknown", "elsewhere")
    ]
    placed = sum(work.verdict == "placed" for work in works)
    head = f"{placed} of {counted(len(works) - len(apart), 'workload')} placed"
    for word in ("unknown", "elsewhere"):
        if count := sum(workload_fit.verdict == word for workload_fit in apart):
            head += f", {count} {word}"
    before, after = report.before, report.after
    used = f"{gpus(before.allocated)} → {gpus(after.allocated)} of {gpus(after.gpus)} GPUs in use"
    if before.allocated == after.allocated:
        used = f"{gpus(after.allocated)} of {gpus(after.gpus)} GPUs in use"
    lost = _moved(before.stranded, after.stranded)
    return f"{head}; {used}, {lost} stranded, {all_idle(after.whole)}"


def all_idle(nodes: int) -> str:
    """Return `2 nodes with all GPUs idle`."""
    return f"{counted(nodes, 'node')} with all GPUs idle"


def _moved(before: int, after: int) -> str:
    if not after and not before:
        return "none"
    return gpus(after) if before == after else f"{gpus(before)} → {gpus(after)}"


def why_stranded(of: Figures) -> str:
    """Return `4 for want of CPU, 2 of memory`; empty if no GPU is stranded."""
    ranked = sorted(of.stranded_by.items(), key=lambda item: (-item[1], item[0]))
    texts = [
        f"{gpus(milli)} {f'for lack of {resource(name)}' if name else 'that no workload requests'}"
        for name, milli in ranked
        if milli
    ]
    return ", ".join(texts)


FIGURES = (
    "GPUs in use",
    "GPUs idle",
    "GPUs stranded",
    "unusable idle GPUs, on average",
    "nodes with all GPUs idle",
    "most GPUs idle on one node",
)
"""The headings of a fleet's figures, in the order of `figures`."""


def figures(of: Figures) -> tuple[str, ...]:
    """Return the figures in GPUs and nodes, in the order of `FIGURES`."""
    return (
        gpus(of.allocated),
        gpus(of.idle),
        gpus(of.stranded),
        figure(of.fragment),
        f"{of.whole:,}",
        f"{of.largest:,}",
    )
