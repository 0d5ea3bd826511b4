"""Linting of many objects with pods in several processes, part by part.

Each process is a copy of the one that has collected all objects without pods. A process that has
finished a part takes the next free one. Findings and facts are merged in the order of the text, so
the result does not depend on the number of processes.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.copies import Copy, Numbers, can_copy, processors, while_wanted
from gpuspec.lint.drafts import Draft
from gpuspec.lint.engine import Learnt
from gpuspec.lint.shelf import Shelf
from gpuspec.loading.text_loader import ReadNotes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gpuspec.lint.engine import Engine
    from gpuspec.lint.raised import RaisedFinding
    from gpuspec.loading.text_loader import TextLoader
    from gpuspec.loading.units import Unit
    from gpuspec.manifests import Chunk

    Say = Callable[[RaisedFinding], Draft]

FIRST = 150
"""The number of texts that are linted before forking, so that all processes share the loaded rules
and schemas."""
LEAST = 200
"""The minimum number of texts per process, which costs as much time as about ten texts."""
MOST = 2
"""The most processes. Each has memory of its own; a third one would exceed the peak memory of the
run."""
PARTS = 24
"""The number of parts per process; at the end, a process may wait for another one's last part."""


class PartResult(msgspec.Struct, frozen=True):
    """The findings, texts and facts of one part."""

    findings: list[Draft]
    read: ReadNotes
    learnt: Learnt


class _Worker(msgspec.Struct, frozen=True):
    """The state that all processes share."""

    engine: Engine
    loader: TextLoader
    say: Say
    parts: list[list[Chunk]]
    left: Numbers
    """The numbers of the free parts."""

    def told(self, raised: Iterable[RaisedFinding]) -> PartResult:
        """Return the findings, with the texts and facts since the last call."""
        says = [self.say(raised_finding) for raised_finding in raised]
        return PartResult(says, self.loader.read(), self.engine.learnt())

    def part(self, number: int) -> PartResult:
        """Lint a part."""
        self.engine.part(number + 1)
        return self.told(self.engine.look(self.loader.units(self.parts[number])))

    def work(self, numbers: Iterable[int], shelf: Shelf) -> Iterator[tuple[int, int]]:
        """Lint parts, and put the result of each on a shelf. Returns their positions there."""
        for number in numbers:
            yield number, shelf.put(self.part(number))


def look(
    engine: Engine,
    plain: list[Unit],
    loader: TextLoader,
    say: Say,
    drafts: list[Draft],
    tell: Callable[[int, int], None],
) -> None:
    """Lint the collected objects without pods, and a loader's objects with pods.

    If interrupted, the findings of this process so far are in `drafts`.
    """
    waiting = loader.waiting
    count = min(processors(), MOST, (len(waiting) - FIRST) // LEAST)
    shelves = _shelves(count, loader) if count >= 2 and can_copy() else []
    if not shelves:
        drafts.extend(map(say, engine.judge(plain)))
        drafts.extend(map(say, engine.look(loader.podded())))
        return
    parts = _cut(waiting[FIRST:], count * PARTS)
    worker = _Worker(engine, loader, say, parts, Numbers(len(parts)))
    first = worker.told(engine.look((*loader.held, *loader.units(waiting[:FIRST]))))
    # While there is one process: what a copy's original writes to is shared no more.
    plain_result = worker.told(engine.judge(plain))
    copies: list[Copy] = []
    own_shelf, *others = shelves
    shelved: dict[int, tuple[Shelf, int]] = {}

    def take(part_results: Iterable[PartResult]) -> None:
        for part_result in part_results:
            loader.take(part_result.read)
            engine.learn(part_result.learnt)
            drafts.extend(part_result.findings)

    try:
        # Where there is no room for one more process, the others do its work.
        with suppress(OSError):
            for shelf in others:
                copies.append(Copy(partial(_work, worker, shelf)))  # noqa: PERF401 # keeps those there are
        for number, place in worker.work(worker.left, own_shelf):
            shelved[number] = own_shelf, place
            tell(number, len(parts))
        for copy, shelf in zip(copies, others, strict=False):
            if (answer := copy.result()) is not None:
                places = msgspec.json.decode(answer, type=dict[int, int])
                shelved |= {number: (shelf, place) for number, place in places.items()}
        # What a copy took and did not tell is done here.
        missing = sorted(set(range(len(parts))) - shelved.keys())
        for number, place in worker.work(missing, own_shelf):
            shelved[number] = own_shelf, place
    except KeyboardInterrupt:
        take([plain_result, first, *(_shelved(*shelved[number]) for number in sorted(shelved))])
        raise
    else:
        take([plain_result, first])
        take(_shelved(*shelved[number]) for number in range(len(parts)))
    finally:
        for copy in copies:
            copy.end()
        for shelf in shelves:
            shelf.close()
        worker.left.close()


def _shelves(count: int, loader: TextLoader) -> list[Shelf]:
    """Return a shelf for each process; none if the system cannot provide them."""
    try:
        return [Shelf(loader) for _ in range(count)]
    except OSError:
        return []


def _shelved(shelf: Shelf, place: int) -> PartResult:
    part_result: PartResult = shelf.get(place)
    return part_result


def _cut(chunks: list[Chunk], count: int) -> list[list[Chunk]]:
    """Split chunks into a number of parts of about the same length."""
    total, done = sum(chunk.end - chunk.start for chunk in chunks), 0
    parts: list[list[Chunk]] = [[] for _ in range(count)]
    for chunk in chunks:
        parts[done * count // total].append(chunk)
        done += chunk.end - chunk.start
    return parts


def _work(worker: _Worker, shelf: Shelf) -> bytes:
    """Return the position on the shelf of each part's result."""
    return msgspec.json.encode(dict(worker.work(while_wanted(worker.left), shelf)))
