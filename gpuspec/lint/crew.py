"""Many objects with pods are looked into by several processes, each of which has a part of them.

Each is a copy of the one that has looked into all objects without pods, and tells it what was found
and what is to be kept. Parts follow each other in the order of the text, and what is told is taken
in in that order: whatever the number of processes, a run comes to the same.
"""

from __future__ import annotations

import io
import os
import pickle
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.copies import Copy, can_copy, processors
from gpuspec.lint.engine import Learnt
from gpuspec.lint.feeds import Read
from gpuspec.lint.model import Finding
from gpuspec.manifests import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.lint.engine import Engine, Raised
    from gpuspec.lint.feeds import TextFeed
    from gpuspec.lint.units import Unit
    from gpuspec.manifests import Chunk

    Say = Callable[[Raised], Finding]

FIRST = 50
"""Texts that are looked into before there are copies: these find all rules loaded."""
LEAST = 200
"""Texts that a process is worth: it costs as much time as some ten."""
MOST = 2
"""Processes. Each has memory of its own, and with three of them it would be the most that the run
ever needs."""


class Told(msgspec.Struct, frozen=True):
    """What a copy found in its part, and learnt of it."""

    findings: list[Finding]
    read: Read
    learnt: Learnt


def look(engine: Engine, feed: TextFeed, say: Say) -> list[Finding]:
    """What the rules say of the objects with pods of a feed."""
    waiting = feed.waiting
    count = min(processors(), MOST, (len(waiting) - FIRST) // LEAST)
    if count < 2 or not can_copy():
        return [say(each) for each in engine.look(feed.podded())]
    found = [say(each) for each in engine.look((*feed.held, *feed.units(waiting[:FIRST])))]
    mine, *others = _cut(waiting[FIRST:], count)
    copies: list[Copy] = []
    try:
        # Where there is no room for one more process, what it would do is done here.
        with suppress(OSError):
            for number, part in enumerate(others, 1):
                copies.append(Copy(partial(_work, engine, feed, say, part, number)))
        found += [say(each) for each in engine.look(feed.units(mine))]
        for part, copy in zip_longest(others, copies):
            told = None if copy is None else copy.result()
            if told is None:
                found += [say(each) for each in engine.look(feed.units(part))]
            else:
                found += _taken(engine, feed, told)
    finally:
        for copy in copies:
            copy.end()
    return found


def _cut(chunks: list[Chunk], count: int) -> list[list[Chunk]]:
    """Pieces of text in so many parts of about the same length."""
    total, done = sum(chunk.end - chunk.start for chunk in chunks), 0
    parts: list[list[Chunk]] = [[] for _ in range(count)]
    for chunk in chunks:
        parts[done * count // total].append(chunk)
        done += chunk.end - chunk.start
    return parts


def _work(engine: Engine, feed: TextFeed, say: Say, part: list[Chunk], number: int) -> bytes:
    """What a copy tells of its part."""
    engine.part(number)
    feed.part()
    units = _while_wanted(feed.units(part))
    found = [say(each) for each in engine.look(units)]
    told = io.BytesIO()
    _Pickler(told, feed).dump(Told(found, feed.read(), engine.learnt()))
    return told.getvalue()


def _while_wanted(units: Iterator[Unit]) -> Iterator[Unit]:
    """Units for as long as the process that wants to be told of them is there."""
    parent = os.getppid()
    for unit in units:
        if os.getppid() != parent:
            raise SystemExit
        yield unit


def _taken(engine: Engine, feed: TextFeed, told: bytes) -> list[Finding]:
    """Take in what a copy told, and give what it found."""
    known: Told = _Unpickler(io.BytesIO(told), feed).load()
    feed.take(known.read)
    engine.learn(known.learnt)
    return known.findings


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
