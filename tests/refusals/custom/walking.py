"""Objects of custom kinds, made by small changes from ones that a server takes.

A walk begins with a plain object of each kind. In each round every kind gets changed objects, the judge is
asked, and what it takes joins those that the next round begins with: so objects become large, and rules that
need much to be there are reached. All of it follows from a seed.
"""

import copy
import json
import subprocess
from collections.abc import Iterator
from random import Random
from threading import Thread
from typing import Any, NamedTuple

from gpuspec.manifests import Path
from tests.outside import CRDS
from tests.refusals.custom.definitions import WORDS, Definition, Object, Spot, grown, spots

KEPT = 12
"""How many objects of a kind a round begins with at most: those with most in them."""


class Judged(NamedTuple):
    """A changed object, and what the judge says of it."""

    definition: Definition
    value: Object
    path: Path
    said: tuple[dict[str, Any], ...]

    @property
    def by_rule(self) -> bool:
        """Whether rules in CEL refuse it, and nothing else does."""
        return bool(self.said) and all(one["isRule"] for one in self.said)


class Judge:
    """The judge of custom kinds, kept running."""

    def __init__(self, program: str) -> None:
        self._running = subprocess.Popen(
            [program, str(CRDS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, values: list[Object]) -> list[tuple[dict[str, Any], ...]]:
        """What is said of each object."""
        given, asked = self._running.stdin, self._running.stdout
        assert given is not None
        assert asked is not None

        def write() -> None:
            for value in values:
                given.write(json.dumps(value) + "\n")
            given.flush()

        writer = Thread(target=write)
        writer.start()
        found = [tuple(json.loads(asked.readline())) for _ in values]
        writer.join()
        return found

    def close(self) -> None:
        """End it."""
        with self._running:
            assert self._running.stdin is not None
            self._running.stdin.close()


def walk(
    judge: Judge, starts: list[tuple[Definition, Object]], seed: int, rounds: int, each: int
) -> Iterator[Judged]:
    """Yield changed objects with their verdicts, round by round, `each` of a kind in a round."""
    kept = [(definition, [start]) for definition, start in starts]
    for number in range(rounds):
        random = Random(f"{seed}:{number}")
        made = [
            (place, *changed(definition, random.choice(values), random))
            for place, (definition, values) in enumerate(kept)
            for _ in range(each)
        ]
        for (place, value, path), said in zip(
            made, judge([one for _, one, _ in made]), strict=True
        ):
            definition, values = kept[place]
            yield Judged(definition, value, path, said)
            if not said and value not in values:
                values.append(value)
                values.sort(key=lambda one: -len(json.dumps(one)))
                del values[KEPT:]


def changed(definition: Definition, value: Object, random: Random) -> tuple[Object, Path]:
    """A copy of an object with one place changed."""
    made = copy.deepcopy(value)
    # A place deep inside is one of many: each depth has the same chance.
    found = [*spots(definition.schema, made)]
    depth = random.choice(sorted({len(spot.path) for spot in found}))
    spot = random.choice([one for one in found if len(one.path) == depth])
    holder: Any = made
    for step in spot.path[:-1]:
        holder = holder[step]
    _change(holder, spot, definition, random)
    return made, spot.path


def _change(holder: Any, spot: Spot, definition: Definition, random: Random) -> None:
    last: Any = spot.path[-1]
    new = grown(spot.schema, random, definition.words, len(spot.path))
    if not spot.there:
        holder[last] = new
        return
    match random.choice(["new", "new", "remove", "null", "word", "twice", "more"]):
        case "remove":
            del holder[last]
        case "null":
            holder[last] = None
        case "word" if isinstance(holder[last], str):
            holder[last] = random.choice([*definition.words, *WORDS])
        case "twice" if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case "more" if isinstance(holder, list):
            holder.append(new)
        case _:
            holder[last] = new
