"""Time commands against each other: in turn, in one run, by the median."""

import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Job:
    """Commands that run one after another and count as one measurement."""

    name: str
    commands: list[list[str | Path]]
    scale: float = 1.0  # what the sum of their times is multiplied with
    objects: int = 0  # Kubernetes objects that they print together, at least
    exits: tuple[int, ...] = (0,)  # exit codes that are no failure: linters answer with them


class Contest(NamedTuple):
    """A job, its peer, and how much longer it may take: budget and stretch."""

    what: str
    ours: Job
    peer: Job
    budget: float | None
    stretch: float | None
    cold: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Seconds of a job and of its peer, one figure for each round."""

    ours: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return statistics.median(self.ours) / statistics.median(self.peer)


def environment(scratch: Path) -> dict[str, str]:
    """The environment of every command: compiled modules are kept, Helm finds no plug-ins.

    Variables that make Python recompile its modules at each start, or flush each write, would
    measure the machine's settings.
    """
    drop = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPATH"}
    kept = {key: value for key, value in os.environ.items() if key not in drop}
    homes = {f"HELM_{kind}_HOME": str(scratch / "helm") for kind in ("CACHE", "CONFIG", "DATA")}
    return kept | homes


def compare(ours: Job, peer: Job, rounds: int, env: dict[str, str]) -> Comparison:
    """Run both jobs in turn, that many rounds, after one round that does not count."""
    for job in (ours, peer):
        check(job, env)
    result = Comparison()
    for _ in range(rounds):
        result.ours.append(seconds(ours, env))
        result.peer.append(seconds(peer, env))
    return result


def check(job: Job, env: dict[str, str]) -> None:
    """Run a job once: warm the file cache, and see that it does what it is measured for."""
    runs = [
        subprocess.run(command, env=env, capture_output=True, check=False)
        for command in job.commands
    ]
    for run in runs:
        if run.returncode not in job.exits:
            raise SystemExit(f"{job.name} failed: {run.stderr.decode(errors='replace')}")
    printed = b"".join(run.stdout for run in runs)
    objects = sum(line.startswith(b"kind: ") for line in printed.splitlines())
    if objects < job.objects:
        raise SystemExit(f"{job.name} printed {objects} objects, not {job.objects} or more")


def seconds(job: Job, env: dict[str, str]) -> float:
    begin = time.perf_counter()
    for command in job.commands:
        _silent(command, env).wait()
    return (time.perf_counter() - begin) * job.scale


def peak(job: Job, env: dict[str, str]) -> float:
    """Megabytes that a job's processes have at most, all that run at one time together.

    What several of them share counts once (proportional set size, sampled); so every process of a
    command is in it, and none is missed that lives for more than a blink.
    """
    most = 0
    for command in job.commands:
        process = _silent(command, env, group=True)
        while process.poll() is None:
            most = max(most, sum(map(_kilobytes, _members(process.pid))))
            time.sleep(0.01)
    return most / 1024


def _members(group: int) -> list[str]:
    """The processes of a group."""
    found: list[str] = []
    for each in Path("/proc").iterdir():
        if not each.name.isdigit():
            continue
        try:
            stat = (each / "stat").read_text()
        except OSError:
            continue
        # What follows the name, which may hold anything: state, parent, group.
        if stat.rpartition(")")[2].split()[2] == str(group):
            found.append(each.name)
    return found


def _kilobytes(pid: str) -> int:
    """What a process has, its part of what it shares; 0 where it has ended."""
    try:
        lines = Path("/proc", pid, "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _silent(
    command: list[str | Path], env: dict[str, str], group: bool = False
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=group,
    )
