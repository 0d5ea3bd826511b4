"""The trace: nodes, and the tasks of each workload, as its CSV files hold them."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

NODES = "openb_node_list_gpu_node"
WORKLOADS = (
    "default",
    *(f"multigpu{part}" for part in (20, 30, 40, 50)),
    *(f"gpushare{part}" for part in (40, 60, 80, 100)),
    *(f"gpuspec{part}" for part in (10, 20, 25, 33)),
    *(f"cpu{part}" for part in ("050", "100", "200", "250")),
)
FULL = 1000


class Machine(NamedTuple):
    """A node: thousandths of cores, MiB, GPUs, and their model."""

    cpu: int
    memory: int
    gpus: int
    model: str


class Task(NamedTuple):
    """What one pod asks for. Tasks of one shape are equal."""

    cpu: int
    memory: int
    gpus: int
    milli: int
    """Thousandths of each GPU; less than all only where it is one."""
    models: frozenset[str] = frozenset()
    """Of which its node must be; empty for any."""
    apart: bool = False
    """Whether no two of such tasks may share a node; the trace itself has none."""

    @property
    def demand(self) -> int:
        """Thousandths of GPUs together."""
        return self.gpus * self.milli


@cache
def machines(folder: Path) -> tuple[Machine, ...]:
    """The GPU nodes, in the order of their names."""
    rows = sorted(_rows(folder / f"{NODES}.csv"), key=lambda row: row["sn"])
    return tuple(
        Machine(int(r["cpu_milli"]), int(r["memory_mib"]), int(r["gpu"]), r["model"]) for r in rows
    )


@cache
def tasks(folder: Path, workload: str) -> tuple[Task, ...]:
    """The tasks of a workload, in the order of their names."""
    rows = sorted(
        _rows(folder / f"openb_pod_list_{workload}.csv"),
        key=lambda row: row["name"],
    )
    return tuple(_task(row) for row in rows)


def _task(row: dict[str, str]) -> Task:
    gpus = int(row["num_gpu"])
    models = [name for name in (row.get("gpu_spec") or "").split("|") if name]
    return Task(
        cpu=int(row["cpu_milli"]),
        memory=int(row["memory_mib"]),
        gpus=gpus,
        milli=min(int(row["gpu_milli"]), FULL) if gpus else 0,
        models=frozenset(models if gpus else ()),
    )


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as text:
        return list(csv.DictReader(text))
