"""Many tries in processes of their own: what kills one, or never ends, is a fault of its try."""

import faulthandler
import importlib
import json
import os
import pkgutil
import selectors
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import gpuspec
from tests.fuzz.oracle import Fault, judge
from tests.fuzz.seeds import ROOT, donors
from tests.fuzz.targets import Target
from tests.fuzz.tries import Try, make
from tests.fuzz.world import World

CHUNK = 150
"""Tries of one process: what they leave behind ends with it."""
WAIT = 60
"""Seconds after which a try is given up that uses none of the processor's time."""

_OURS = 70


@dataclass
class Done:
    """What a try came to."""

    name: str
    target: Target
    number: int
    code: int | None
    faults: list[Fault]


@dataclass
class _Worker:
    process: int
    pipe: int
    target: Target
    waiting: deque[int]
    log: Path
    at: float = field(default_factory=time.monotonic)
    left: bytes = b""


def run(wanted: Iterable[tuple[Target, range]], seed: int, jobs: int) -> Iterator[Done]:
    """Carry out tries, a chunk of a target in each process."""
    chunks = deque(
        (target, deque(numbers[at : at + CHUNK]))
        for target, numbers in wanted
        for at in range(0, len(numbers), CHUNK)
    )
    _import_all()
    folder = Path(tempfile.mkdtemp(prefix="gpuspec-fuzz-"))
    selector = selectors.DefaultSelector()
    running: list[_Worker] = []
    try:
        while chunks or running:
            while chunks and len(running) < jobs:
                worker = _begin(*chunks.popleft(), seed, folder)
                selector.register(worker.pipe, selectors.EVENT_READ, worker)
                running.append(worker)
            for key, _ in selector.select(timeout=1):
                worker = key.data
                data = os.read(worker.pipe, 1 << 16)
                if data:
                    worker.at = time.monotonic()
                    *lines, worker.left = (worker.left + data).split(b"\n")
                    for line in lines:
                        yield _told(worker, line)
                    continue
                selector.unregister(worker.pipe)
                running.remove(worker)
                yield from _ended(worker)
                if worker.waiting:
                    chunks.appendleft((worker.target, worker.waiting))
            for worker in running:
                if time.monotonic() - worker.at > 2 * WAIT:
                    os.kill(worker.process, signal.SIGKILL)
    finally:
        for worker in running:
            os.kill(worker.process, signal.SIGKILL)
            os.waitpid(worker.process, 0)
        shutil.rmtree(folder, ignore_errors=True)


def _import_all() -> None:
    """Import the program and read the seeds once, not in each process."""
    for found in pkgutil.walk_packages(gpuspec.__path__, "gpuspec."):
        importlib.import_module(found.name)
    donors()


def _told(worker: _Worker, line: bytes) -> Done:
    number, code, faults = json.loads(line)
    worker.waiting.popleft()
    found = [Fault(*each) for each in faults]
    return Done(f"{worker.target.name}:{number}", worker.target, number, code, found)


def _ended(worker: _Worker) -> Iterator[Done]:
    """What a process came to that is no more: it may have died of a try."""
    os.close(worker.pipe)
    _, status = os.waitpid(worker.process, 0)
    assert os.waitstatus_to_exitcode(status) != _OURS, "the fuzzer itself has failed"
    if not worker.waiting:
        return
    number = worker.waiting.popleft()
    trace = worker.log.read_text(errors="replace") if worker.log.exists() else ""
    how = "never ends" if "Timeout" in trace else f"dies of {os.waitstatus_to_exitcode(status)}"
    package = f"{ROOT}/gpuspec/"
    frames = [line for line in trace.splitlines() if package in line]
    place = frames[0].partition(package)[2] if frames else "?"
    fault = Fault(f"{how}: {place.replace(chr(34), '')}", trace)
    yield Done(f"{worker.target.name}:{number}", worker.target, number, None, [fault])


def _begin(target: Target, waiting: deque[int], seed: int, folder: Path) -> _Worker:
    """Start a process for some tries."""
    reads, writes = os.pipe()
    log = folder / f"log-{target.name.replace(' ', '-')}-{waiting[0]}"
    sys.stdout.flush()
    process = os.fork()
    if process:
        os.close(writes)
        return _Worker(process, reads, target, waiting, log)
    try:
        os.close(reads)
        _work(target, waiting, seed, folder / str(os.getpid()), log, writes)
    except BaseException:
        # A fault of the fuzzer itself.
        traceback.print_exc(file=sys.__stderr__)
        print(f"in {target.name}", file=sys.__stderr__, flush=True)
        os._exit(_OURS)
    os._exit(0)


def _work(
    target: Target, numbers: deque[int], seed: int, folder: Path, log: Path, pipe: int
) -> None:
    file = log.open("w")
    faulthandler.enable(file)
    world = World(folder)
    for number in numbers:
        one = make(target, seed, number)
        faulthandler.dump_traceback_later(WAIT, exit=True, file=file)
        code, faults = attempt(world, one)
        told = [number, code, [[fault.kind, fault.detail[-6000:]] for fault in faults]]
        os.write(pipe, json.dumps(told).encode() + b"\n")
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)


def attempt(world: World, one: Try) -> tuple[int | None, list[Fault]]:
    """A try's exit code and faults."""
    outcome = world.run(one)
    return outcome.code, judge(one, outcome)


@dataclass
class Tally:
    """What many tries came to."""

    codes: dict[str, Counter[str]] = field(default_factory=dict)
    """By target: how often each exit code came."""
    faults: dict[str, list[Done]] = field(default_factory=dict)
    """By kind: the tries in which it was met."""

    def add(self, done: Done) -> None:
        """Count a try."""
        self.codes.setdefault(done.target.name, Counter())[str(done.code)] += 1
        for fault in done.faults:
            self.faults.setdefault(fault.kind, []).append(done)
