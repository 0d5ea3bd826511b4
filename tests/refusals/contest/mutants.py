"""Mutants: clean objects with one thing wrong, or none; each told by a seed and a number."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

from gpuspec.manifests import Path
from gpuspec.validation.bundle import load
from tests.refusals.contest.bases import Base, field, full, rendered
from tests.refusals.contest.mutations import MUTATIONS, World
from tests.refusals.contest.spots import Spot, spots
from tests.refusals.judge import NEWEST

SHARES: tuple[tuple[Callable[[], tuple[Base, ...]], float], ...] = (
    (full, 0.6),
    (rendered, 0.2),
    (field, 0.2),
)
"""Where mutants come from: what is rendered and what people write is mostly pods."""
WORD = re.compile(r"[A-Z][A-Za-z0-9]+")


class Mutant(NamedTuple):
    """An object with one thing changed."""

    number: int
    base: Base
    mutation: str
    path: Path
    text: str
    """As JSON."""


def mutant(seed: int, number: int) -> Mutant:
    """The mutant of a number: any place of any base, changed in any way that it can be."""
    random = Random(f"{seed}:{number}")
    sources, shares = zip(*SHARES, strict=True)
    while True:
        (source,) = random.choices(sources, shares)
        base, spot = random.choice(_places(source))
        name = random.choice(list(MUTATIONS))
        changed = MUTATIONS[name](base.value, spot, random, _world())
        if changed is not None and changed != base.value:
            text = changed if isinstance(changed, str) else json.dumps(changed)
            return Mutant(number, base, name, spot.path, text)


@cache
def _places(bases: Callable[[], tuple[Base, ...]]) -> list[tuple[Base, Spot]]:
    """All places of some objects."""
    bundle = load(NEWEST)
    return [
        (base, spot)
        for base in bases()
        for spot in spots(bundle, bundle.root(base.kind), base.value)
    ]


@cache
def _world() -> World:
    elsewhere: defaultdict[str, list[Any]] = defaultdict(list)
    for _, spot in (place for bases, _ in SHARES for place in _places(bases)):
        known = elsewhere[str(spot.path[-1])]
        if spot.there and spot.value not in known:
            known.append(spot.value)
    all_words = {word for base in full() for word in words(base.value)}
    return World(load(NEWEST), dict(elsewhere), sorted(all_words))


def words(value: Any) -> Iterator[str]:
    """The words of enumerations that stand in a value."""
    if isinstance(value, dict):
        for held in value.values():
            yield from words(held)
    elif isinstance(value, list):
        for held in value:
            yield from words(held)
    elif isinstance(value, str) and WORD.fullmatch(value):
        yield value
