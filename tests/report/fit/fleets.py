"""Reports made by hand: a fleet, and what becomes of workloads on it."""

from typing import Any

from msgspec import structs

from gpuspec.fleet.fit.result import (
    Advice,
    Cell,
    ClassShare,
    DeviceUse,
    Figures,
    FitReport,
    FleetReport,
    GroupCapacity,
    Landing,
    MetricChange,
    NodeRow,
    Reason,
    StrandedGpus,
    WorkloadFit,
)
from gpuspec.manifests import Place

GI = 1024**3
MESSAGE = (
    "0/6 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s), "
    "3 Insufficient cpu. no new claims to deallocate, preemption: 0/6 nodes are available: "
    "1 No preemption victims found for incoming pod, 5 Preemption is not helpful for scheduling."
)


def cell(text: str, lacks: str | None = None) -> Cell:
    """A GPU of quarters: `AAAA` a workload, `####` before, `....` idle."""
    parts = []
    for char in dict.fromkeys(text):
        milli = 1000 * text.count(char) // len(text)
        who = None if char in "#." else ord(char) - ord("A")
        parts.append(
            DeviceUse(
                milli,
                who,
                idle=char == ".",
                label="" if char == "." else f"pod-{char}",
                stranded=char == "." and lacks is not None,
            )
        )
    return Cell(tuple(parts), lacks if "." in text else None)


def mig(*slices: tuple[str, int, int], lacks: str | None = None) -> Cell:
    """A GPU of eight memory slices: who, first, how many."""
    parts = [
        DeviceUse(
            125 * size,
            None if who in "#." else ord(who) - ord("A"),
            who == ".",
            f"{size}g",
            start,
            size,
            who == "." and lacks is not None,
        )
        for who, start, size in slices
    ]
    free = 8 - sum(size for _, _, size in slices)
    parts += [DeviceUse(125 * free, None, idle=True, stranded=lacks is not None)] if free else []
    return Cell(tuple(parts), lacks)


def row(
    name: str, group: str, cells: str | list[Cell], cpu: int = 8, lacks: str | None = None
) -> NodeRow:
    """A node; each character of `cells` is a whole GPU."""
    made = [cell(char, lacks) for char in cells] if isinstance(cells, str) else cells
    have = {"cpu": 96000, "memory": 768 * GI, "pods": 110, "nvidia.com/gpu": len(made)}
    return NodeRow(name, group, tuple(made), {**have, "cpu": cpu * 1000}, have)


def work(name: str = "chat", **changes: Any) -> WorkloadFit:
    made: dict[str, Any] = {
        "name": name,
        "namespace": "serving",
        "kind": "Deployment",
        "role": "pod",
        "place": None,
        "pods": 2,
        "least": changes.get("pods", 2),
        "placed": 2,
        "bounds": (2, 2),
        "requests": {"cpu": 16000, "memory": 128 * GI, "nvidia.com/gpu": 4},
        "gpus": 4,
        "verdict": "placed",
        "gang": False,
        "queue": None,
        "rooms": (GroupCapacity("h100", 3, 2, "nvidia.com/gpu", 8, 6),),
        "landings": (Landing("h100", 2, 1),),
        "stranded": (),
        "fragment": MetricChange(0, 0),
        "whole": MetricChange(3, 2),
    }
    return WorkloadFit(**{**made, **changes})


def figures(**changes: Any) -> Figures:
    made: dict[str, Any] = {
        "nodes": 3,
        "gpus": 24000,
        "allocated": 0,
        "idle": 24000,
        "stranded": 0,
        "fragment": 0.0,
        "whole": 3,
        "largest": 8,
    }
    return Figures(**{**made, **changes})


def good() -> FitReport:
    """One workload, and all is well."""
    before = tuple(row(f"h100-{n}", "h100", "........") for n in range(3))
    after = (row("h100-0", "h100", "AAAAAAAA"), *before[1:])
    return FitReport(
        fleet="eu",
        version="1.34",
        workloads=(work(),),
        before=figures(),
        after=figures(allocated=8000, idle=16000, whole=2),
        rows_before=before,
        rows_after=after,
        classes=(ClassShare("chat: 4 GPUs, 16 CPU", 1, MetricChange(0, 0), MetricChange(6, 4)),),
        mix="the classes are the workloads themselves",
        policy="default scoring",
        seeds=1,
    )


def mixed() -> FitReport:
    """One placed, one in part, one not, on whole GPUs, shares and slices."""
    before = (
        row("h100-0", "h100", "####...."),
        row("h100-1", "h100", "........"),
        row("h100-2", "h100", "........"),
        row(
            "a100-mig-0",
            "a100-mig",
            [mig(("#", 0, 4)), mig(("#", 0, 2), ("#", 4, 2)), mig(), mig()],
        ),
        row("l4-0", "l4", [cell("##..")]),
        row("cpu-0", "cpu", []),
    )
    after = (
        row("h100-0", "h100", "####AA..", lacks="cpu", cpu=2),
        row("h100-1", "h100", "AAAAAA..", lacks="cpu", cpu=0),
        row("h100-2", "h100", "AAAAAA..", lacks="cpu", cpu=0),
        row(
            "a100-mig-0",
            "a100-mig",
            [
                mig(
                    ("#", 0, 4),
                    ("C", 4, 1),
                    ("C", 5, 1),
                    ("C", 6, 1),
                    lacks="nvidia.com/mig-1g.5gb",
                ),
                mig(("#", 0, 2), ("C", 2, 2), ("#", 4, 2)),
                mig(("C", 0, 1)),
                mig(),
            ],
        ),
        row("l4-0", "l4", [cell("##C.")]),
        row("cpu-0", "cpu", []),
    )
    rooms = (
        GroupCapacity("h100", 3, 3, "cpu", 8, 7, 2),
        GroupCapacity(
            "a100-mig", 1, 0, "nvidia.com/gpu", 4, 0, 0, "it offers MIG slices, not GPUs"
        ),
        GroupCapacity(
            "l4", 1, 0, "nvidia.com/gpu", 1, 0, 0, "the pod does not tolerate dedicated=l4"
        ),
    )
    return FitReport(
        fleet="eu",
        version="1.34",
        workloads=(
            work(
                "chat",
                pods=8,
                placed=7,
                bounds=(6, 7),
                verdict="partly",
                gpus=2,
                rooms=rooms,
                landings=(Landing("h100", 7, 3),),
                stranded=(StrandedGpus("h100", 6000, "nvidia.com/gpu", "cpu"),),
                fragment=MetricChange(4.25, 8.5),
                advice=(
                    Advice(
                        "8 CPUs per GPU instead of 16: 4 on a node instead of 3",
                        Place("specs/chat.yaml", 21, 15),
                    ),
                ),
            ),
            work(
                "train",
                kind="Training",
                namespace="bookstore-ml",
                role="worker",
                pods=4,
                placed=0,
                bounds=(0, 0),
                verdict="not placed",
                gang=True,
                gpus=8,
                queue="research",
                rooms=(GroupCapacity("h100", 3, 1, "nvidia.com/gpu", 8, 0), *rooms[1:]),
                landings=(),
                fragment=MetricChange(8.5, 8.5),
                whole=MetricChange(0, 0),
                message=MESSAGE,
                reasons=(
                    Reason(
                        "h100",
                        3,
                        "each has 2 GPUs free and the pod asks for 8; the nearest that fits is 2",
                    ),
                    Reason("a100-mig", 1, "it offers MIG slices, and the pod asks for whole GPUs"),
                    Reason("l4", 1, "the pod does not tolerate its taint dedicated=l4:NoSchedule"),
                    Reason("cpu", 1, "it has no GPUs"),
                ),
                advice=(Advice("4 pods of 8 GPUs need 4 idle nodes of h100; there are 3"),),
                notes=("preemption: there are victims, but none frees a whole node",),
            ),
            work(
                "embed",
                pods=6,
                placed=6,
                bounds=(6, 6),
                gpus=1,
                rooms=(
                    GroupCapacity("a100-mig", 1, 28, "nvidia.com/mig-1g.5gb", 4, 12),
                    GroupCapacity("l4", 1, 4, "pods", 1, 2),
                ),
                landings=(Landing("a100-mig", 5, 1), Landing("l4", 1, 1)),
                stranded=(StrandedGpus("a100-mig", 125, "nvidia.com/mig-1g.5gb", ""),),
                fragment=MetricChange(8.5, 8.625),
                whole=MetricChange(0, 0),
            ),
        ),
        before=figures(nodes=6, gpus=29000, allocated=5500, idle=23500, whole=2, fragment=4.25),
        after=figures(
            nodes=6,
            gpus=29000,
            allocated=20500,
            idle=8500,
            stranded=6125,
            whole=0,
            largest=2,
            fragment=8.625,
            stranded_by={"cpu": 6000, "nvidia.com/mig-1g.5gb": 125},
        ),
        rows_before=before,
        rows_after=after,
        classes=(
            ClassShare("train: 8 GPUs, 96 CPU", 0.62, MetricChange(7.5, 8.5), MetricChange(2, 0)),
            ClassShare("chat: 2 GPUs, 32 CPU", 0.31, MetricChange(3.5, 8.5), MetricChange(7, 0)),
            ClassShare("embed: 1g.5gb", 0.07, MetricChange(4, 2.5), MetricChange(19, 13)),
        ),
        mix="the classes are the workloads themselves, weighted by their requested GPUs",
        policy="default scoring",
        seeds=10,
        notes=("nothing reserves CPU for DaemonSets: none are written in the profile",),
    )


def hostile() -> FitReport:
    """Names that would steer a terminal, a page or a table."""
    bad = '<b onload="x">&|`*_\x1b[31m</b>'
    before = (row(bad, bad, "...."),)
    after = (row(bad, bad, "AA..", lacks=bad),)
    return FitReport(
        fleet=bad,
        version="1.34",
        workloads=(
            work(
                bad,
                namespace=bad,
                kind=bad,
                role=bad,
                verdict="not placed",
                rooms=(
                    GroupCapacity(bad, 1, 1, bad, 4, 1),
                    GroupCapacity(bad, 1, 1, bad, 4, 1, 2, bad),
                ),
                landings=(Landing(bad, 1, 1),),
                stranded=(StrandedGpus(bad, 2000, bad, bad),),
                message=bad,
                reasons=(Reason(bad, 1, bad),),
                advice=(Advice(bad, Place(bad, 1, 1)),),
                notes=(bad,),
            ),
        ),
        before=figures(),
        after=figures(stranded=2000, stranded_by={bad: 2000}),
        rows_before=before,
        rows_after=after,
        classes=(ClassShare(bad, 1, MetricChange(1, 2), MetricChange(1, 0)),),
        mix=bad,
        policy=bad,
        seeds=2,
        notes=(bad,),
    )


def large(nodes: int = 2000) -> FitReport:
    """Many nodes, few of them alike; deterministic."""
    before: list[NodeRow] = []
    after: list[NodeRow] = []
    for n in range(nodes):
        group = ("h100", "a100", "l4", "mig")[n % 4]
        state = n * 7919 % 613
        if group == "mig":
            cells = [mig(("#", 0, state % 5)) if state % 5 else mig() for _ in range(8)]
            new = [
                mig(("#", 0, state % 5), ("C", 6, 1)) if state % 5 else mig(("B", 0, 4))
                for _ in range(8)
            ]
        else:
            used = "".join("#" if state >> bit & 1 else "." for bit in range(8))
            cells = [cell(char) for char in used]
            new = [
                cell(
                    "ABC"[state % 3] if char == "." and bit % 2 else char,
                    "cpu" if state % 5 == 0 else None,
                )
                for bit, char in enumerate(used)
            ]
        before.append(row(f"node-{n:04}.eu-west-1.compute.internal", group, cells))
        after.append(row(f"node-{n:04}.eu-west-1.compute.internal", group, new, cpu=state % 40))
    base = mixed()
    return FitReport(
        fleet="openb",
        version="1.34",
        workloads=base.workloads,
        before=figures(
            nodes=nodes, gpus=nodes * 8000, allocated=nodes * 3000, idle=nodes * 5000, whole=41
        ),
        after=figures(
            nodes=nodes,
            gpus=nodes * 8000,
            allocated=nodes * 5500,
            idle=nodes * 2500,
            stranded=nodes * 300,
            whole=9,
            stranded_by={"cpu": nodes * 300},
        ),
        rows_before=tuple(before),
        rows_after=tuple(after),
        classes=base.classes,
        mix=base.mix,
        policy="best-fit",
        seeds=10,
    )


def _running(of: NodeRow) -> NodeRow:
    """A node whose pods belong to no workload of a report."""
    cells = [
        structs.replace(
            one, parts=tuple(structs.replace(part, workload=None) for part in one.parts)
        )
        for one in of.cells
    ]
    return structs.replace(of, cells=tuple(cells))


def fleet(report: FitReport | None = None) -> FleetReport:
    """The fleet of a report, as it is after."""
    of = report or mixed()
    rows = [_running(one) for one in of.rows_after]
    groups: dict[str, list[NodeRow]] = {}
    for one in rows:
        groups.setdefault(one.group, []).append(one)
    return FleetReport(
        fleet=of.fleet,
        figures=of.after,
        groups={
            name: figures(nodes=len(rows), gpus=1000 * sum(len(r.cells) for r in rows))
            for name, rows in groups.items()
        },
        rows=tuple(rows),
        classes=tuple(
            ClassShare(
                one.name,
                one.weight,
                MetricChange(one.fragment.after, one.fragment.after),
                MetricChange(one.slots.after, one.slots.after),
            )
            for one in of.classes
        ),
        mix=of.mix,
        notes=of.notes,
    )


def crowded(works: int = 60) -> FitReport:
    """More workloads than there are letters, each on a GPU of its own."""
    names = [f"work-{n}" for n in range(works)]
    nodes = range(0, works, 8)
    before = [row(f"node-{n:03}", "h100", "........") for n in nodes]
    after = [
        row(
            f"node-{n:03}",
            "h100",
            [Cell((DeviceUse(1000, one),)) for one in range(n, min(n + 8, works))]
            + [cell(".")] * (n + 8 - min(n + 8, works)),
        )
        for n in nodes
    ]
    return structs.replace(
        good(),
        workloads=tuple(
            work(name, pods=1, bounds=(1, 1), landings=(Landing("h100", 1, 1),)) for name in names
        ),
        rows_before=tuple(before),
        rows_after=tuple(after),
    )
