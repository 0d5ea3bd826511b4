"""What is said of a workload, in sentences that all formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit.amounts import (
    between,
    change,
    few,
    figure,
    gpus,
    resource,
)
from gpuspec.report.lint.words import counted

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import Advice, Figures, FitReport, Reason, Room, WorkloadFit

GROUPS = 6
"""As many groups of nodes are named in one sentence."""


def title(work: WorkloadFit) -> str:
    """`chat (Deployment, serving)`; the role of a pod beside the name where there are several."""
    role = "" if work.role == "pod" else f" {work.role}"
    where = f"{work.kind}, {work.namespace}" if work.namespace else work.kind
    return f"{work.name}{role} ({where})"


def verdict(work: WorkloadFit, seeds: int) -> str:
    """`placed, 4 of 4 pods`, with the range where ties decide, and what makes it whole or not."""
    if work.verdict == "unknown":
        return "unknown"
    if work.verdict == "refused":
        return "refused" if work.pods else "refused, the profile cannot carry it"
    least, most = work.bounds
    said = f"{between(least, most)} of {counted(work.pods, 'pod')}"
    if work.least != work.pods:
        said += f", {work.least:,} at least"
    if least != most:
        said += f", as ties fall ({seeds} seeds)"
    if work.gang and work.pods > 1:
        said += ", a gang"
    if work.verdict == "held":
        said += f": queue {work.queue} does not admit it" if work.queue else ": not admitted"
    return f"{work.verdict}, {said}"


def landing(work: WorkloadFit) -> str:
    """`3 pods on 2 nodes of h100`; empty where nothing is placed."""
    said = [
        f"{counted(one.pods, 'pod')} on {counted(one.nodes, 'node')} of {one.group}"
        for one in work.landings
        if one.pods
    ]
    return few(said, GROUPS)


def slots(work: WorkloadFit) -> list[str]:
    """In all, then by group: `h100: 22 free of 24, 2 on each of 12 nodes, bound by GPUs`."""
    open_, shut = open_rooms(work), shut_rooms(work)
    none = [room for room in open_ if not room.each]
    open_ = [room for room in open_ if room.each]
    said = [slot_line(room, _devices(work)) for room in open_[:GROUPS]]
    if len(open_) > 1:
        free, every = sum(room.free for room in open_), sum(room.slots for room in open_)
        said.insert(0, f"{free:,} free of {every:,} in all")
    if len(open_) > GROUPS:
        rest = open_[GROUPS:]
        free, every = sum(room.free for room in rest), sum(room.slots for room in rest)
        groups = counted(len(rest), "more group")
        said.append(f"{groups}: {free:,} free of {every:,}")
    for bound in dict.fromkeys(room.bound for room in none):
        groups = few([room.group for room in none if room.bound == bound], GROUPS)
        said.append(
            f"none on {groups}, bound by {resource(bound)}" if bound else f"none on {groups}"
        )
    if shut:
        said.append(f"not for it: {few([room.group for room in shut], GROUPS)}")
    return said


def open_rooms(work: WorkloadFit) -> list[Room]:
    """Groups whose nodes may take the pod."""
    return [room for room in work.rooms if room.reason is None]


def shut_rooms(work: WorkloadFit) -> list[Room]:
    """Groups whose nodes are not for the pod, whatever is free."""
    return [room for room in work.rooms if room.reason is not None]


def _devices(work: WorkloadFit) -> str:
    """What the devices of its pods are called."""
    return "GPUs" if any(resource(name) == "GPUs" for name in work.requests) else "devices"


def slot_line(room: Room, devices: str) -> str:
    """`h100: 22 free of 24, 3 on each of 12 nodes, bound by CPU, 2 GPUs idle on a full one`."""
    bound = f", bound by {resource(room.bound)}" if room.bound else ""
    nodes = f"each of {room.nodes:,} nodes" if room.nodes > 1 else "its node"
    left = f", {room.left} {devices if room.left > 1 else devices[:-1]} idle on a full one"
    said = f"{room.group}: {room.free:,} free of {room.slots:,}, {room.each:,} on {nodes}{bound}"
    return said + left if room.left else said


def stranded(work: WorkloadFit) -> list[str]:
    """`6 GPUs on h100: no CPU left beside them`, for each group."""
    return [
        f"{gpu_count(one.milli)} on {one.group}: "
        + (
            f"no {resource(one.resource)} left"
            if one.resource
            else f"nobody asks for {resource(one.device)}"
        )
        for one in work.stranded
        if one.milli
    ]


def gpu_count(milli: int) -> str:
    """`1 GPU`, `2.5 GPUs`."""
    return f"{gpus(milli)} {'GPU' if milli == 1000 else 'GPUs'}"


def cost(work: WorkloadFit) -> str:
    """What the workload does to the fleet's expected fragment and its whole nodes."""
    whole = f"free whole nodes {change(work.whole)}"
    return f"{change(work.fragment)} GPUs expected; {whole}"


def reason(one: Reason) -> tuple[str, str]:
    """A group with its nodes, and why they do not take the pod."""
    return f"{one.group} ({counted(one.nodes, 'node')})", one.text


def advice(one: Advice) -> str:
    """The advice, with the place where it is written."""
    return f"{one.text} ({one.place})" if one.place else one.text


def summary(report: FitReport) -> str:
    """The last line: how many are placed, and what that does to the fleet."""
    works = report.workloads
    sure = [one for one in works if one.verdict != "unknown"]
    placed = sum(one.verdict == "placed" for one in sure)
    head = f"{placed} of {counted(len(sure), 'workload')} placed"
    if len(sure) < len(works):
        head += f", {len(works) - len(sure)} unknown"
    before, after = report.before, report.after
    used = f"{gpus(before.allocated)} → {gpus(after.allocated)} of {gpus(after.gpus)} GPUs in use"
    if before.allocated == after.allocated:
        used = f"{gpus(after.allocated)} of {gpus(after.gpus)} GPUs in use"
    lost = _moved(before.stranded, after.stranded)
    whole = counted(after.whole, "whole node")
    return f"{head}; {used}, {lost} stranded, {whole} free"


def _moved(before: int, after: int) -> str:
    if not after and not before:
        return "none"
    return gpus(after) if before == after else f"{gpus(before)} → {gpus(after)}"


def why_stranded(of: Figures) -> str:
    """`4 for want of CPU, 2 of memory`; empty where nothing is stranded."""
    ranked = sorted(of.stranded_by.items(), key=lambda item: (-item[1], item[0]))
    said = [
        f"{gpus(milli)} {f'for want of {resource(name)}' if name else 'that nobody asks for'}"
        for name, milli in ranked
        if milli
    ]
    return ", ".join(said)


FIGURES = (
    "GPUs in use",
    "GPUs idle",
    "GPUs stranded",
    "expected fragment, GPUs",
    "whole nodes free",
    "largest free block, GPUs",
)
"""What the figures of a fleet are called, in the order of `figures`."""


def figures(of: Figures) -> tuple[str, ...]:
    """The figures in GPUs and nodes, as `FIGURES` names them."""
    return (
        gpus(of.allocated),
        gpus(of.idle),
        gpus(of.stranded),
        figure(of.fragment),
        f"{of.whole:,}",
        f"{of.largest:,}",
    )
