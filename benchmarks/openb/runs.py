"""Many replays over all cores, and where the trace is."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks.openb.replay import Outcome, Ties, replay
from benchmarks.openb.trace import NODES, machines, tasks

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "build"
SEEDS = tuple(range(42, 52))  # the published ones: never chosen
_WIDTH = 40

T = TypeVar("T")
R = TypeVar("R")


class Job(NamedTuple):
    """One replay of a workload of the trace."""

    folder: Path
    workload: str
    policy: str
    ties: Ties
    seed: int


def outcomes(jobs: Sequence[Job]) -> list[Outcome]:
    """The outcomes in the order of the jobs."""
    return run_all(_replay, jobs)


def run_all(work: Callable[[T], R], jobs: Sequence[T]) -> list[R]:
    """Do all jobs in as many processes as there are cores; results in their order."""
    found: list[R] = []
    with Pool(_cores()) as pool:
        for result in pool.imap(work, jobs):
            found.append(result)
            progress(len(found), len(jobs))
    return found


def progress(done: int, total: int) -> None:
    """A bar on stderr, where that is a terminal."""
    if not sys.stderr.isatty():
        return
    bar = "█" * (done * _WIDTH // total)
    end = "\n" if done == total else ""
    print(f"\r{bar:░<{_WIDTH}} {done}/{total}", end=end, file=sys.stderr, flush=True)


def data(arguments: Iterable[str]) -> tuple[Path, Path]:
    """Folders of the trace and of the authors' results, from the command line's one argument.

    Exits with a message where there is no trace.
    """
    given = [Path(one) for one in arguments]
    if len(given) != 1:
        raise SystemExit("which folder is the trace in? make openb DATA=<folder>")
    for folder in (given[0] / "csv", given[0]):
        if (folder / f"{NODES}.csv").is_file():
            return folder, given[0] / "fgd_expected_results"
    raise SystemExit(
        f"{given[0]}: no {NODES}.csv here or in csv/; it is in cluster-trace-gpu-v2023/csv of "
        "https://github.com/alibaba/clusterdata"
    )


def _replay(job: Job) -> Outcome:
    return replay(
        tasks(job.folder, job.workload), machines(job.folder), job.policy, job.ties, job.seed
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
