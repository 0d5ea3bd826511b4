"""Many objects with pods are looked into by several processes, part by part.

Each is a copy of the one that has taken in all objects without pods; whoever is done with a part
takes the next one that nobody has. What was found and learnt is put together in the order of the
text: whatever the number of processes, a run comes to the same.
"""

from __future__ import annotations

import io
import pickle
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.copies import Copy, Numbers, can_copy, processors, while_wanted
from gpuspec.lint.drafts import Draft
from gpuspec.lint.engine import Learnt
from gpuspec.loading.feeds import Read
from gpuspec.manifests import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gpuspec.lint.engine import Engine
    from gpuspec.lint.raised import Raised
    from gpuspec.loading.feeds import TextFeed
    from gpuspec.loading.units import Unit
    from gpuspec.manifests import Chunk

    Say = Callable[[Raised], Draft]

FIRST = 50
"""Texts that are looked into before there are copies: these find all rules loaded."""
LEAST = 200
"""Texts that a process is worth: it costs as much time as some ten."""
MOST = 2
"""Processes. Each has memory of its own, and with three of them it would be the most that the run
ever needs."""
PARTS = 24
"""For each process: as one takes, so long may another wait for it at the end."""


class Told(msgspec.Struct, frozen=True):
    """What was found in a part, read for it and learnt of it."""

    findings: list[Draft]
    read: Read
    learnt: Learnt


class _Crew(msgspec.Struct, frozen=True):
    """What every process knows."""

    engine: Engine
    feed: TextFeed
    say: Say
    parts: list[list[Chunk]]
    left: Numbers
    """Of the parts that nobody has taken."""

    def told(self, raised: Iterable[Raised]) -> Told:
        """What has been found, and was read and learnt since the last time."""
        found = [self.say(each) for each in raised]
        return Told(found, self.feed.read(), self.engine.learnt())

    def part(self, number: int) -> Told:
        """Look into a part."""
        self.engine.part(number + 1)
        return self.told(self.engine.look(self.feed.units(self.parts[number])))

    def work(self, numbers: Iterable[int]) -> dict[int, Told]:
        """Look into parts."""
        return {number: self.part(number) for number in numbers}


def look(engine: Engine, plain: list[Unit], feed: TextFeed, say: Say) -> list[Draft]:
    """What the rules say of objects without pods, which are taken in, and of a feed's with pods."""
    waiting = feed.waiting
    count = min(processors(), MOST, (len(waiting) - FIRST) // LEAST)
    if count < 2 or not can_copy():
        found = [say(each) for each in engine.judge(plain)]
        return [*found, *(say(each) for each in engine.look(feed.podded()))]
    parts = _cut(waiting[FIRST:], count * PARTS)
    crew = _Crew(engine, feed, say, parts, Numbers(len(parts)))
    first = crew.told(engine.look((*feed.held, *feed.units(waiting[:FIRST]))))
    # While there is one process: what a copy's original writes to is shared no more.
    known = crew.told(engine.judge(plain))
    copies: list[Copy] = []
    try:
        # Where there is no room for one more process, the others do its work.
        with suppress(OSError):
            for _ in range(1, count):
                copies.append(Copy(partial(_work, crew)))  # noqa: PERF401 # keeps those there are
        told = crew.work(crew.left)
        for copy in copies:
            if (answer := copy.result()) is not None:
                told |= _Unpickler(io.BytesIO(answer), feed).load()
    finally:
        for copy in copies:
            copy.end()
        crew.left.close()
    # What a copy took and did not tell is done here.
    told |= {number: crew.part(number) for number in range(len(parts)) if number not in told}
    found = []
    for one in (known, first, *(told[number] for number in range(len(parts)))):
        feed.take(one.read)
        engine.learn(one.learnt)
        found += one.findings
    return found


def _cut(chunks: list[Chunk], count: int) -> list[list[Chunk]]:
    """Pieces of text in so many parts of about the same length."""
    total, done = sum(chunk.end - chunk.start for chunk in chunks), 0
    parts: list[list[Chunk]] = [[] for _ in range(count)]
    for chunk in chunks:
        parts[done * count // total].append(chunk)
        done += chunk.end - chunk.start
    return parts


def _work(crew: _Crew) -> bytes:
    """What a copy tells of the parts that it took."""
    told = io.BytesIO()
    _Pickler(told, crew.feed).dump(crew.work(while_wanted(crew.left)))
    return told.getvalue()


class _Pickler(pickle.Pickler):
    """Names a text, which both processes have, instead of sending it."""

    def __init__(self, file: io.BytesIO, feed: TextFeed) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._texts = {id(chunk.source): at for at, chunk in enumerate(feed.waiting)}

    def persistent_id(self, one: object) -> int | None:
        return self._texts.get(id(one)) if type(one) is Source else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, feed: TextFeed) -> None:
        super().__init__(file)
        self._waiting = feed.waiting

    def persistent_load(self, at: int) -> Source:
        return self._waiting[at].source
