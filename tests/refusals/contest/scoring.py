"""What the judge says of mutants, held against what the linter says."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import gpuspec
from gpuspec.manifests import Path, parse_path
from tests.refusals.contest.bases import Base
from tests.refusals.contest.mutants import Mutant, mutant
from tests.refusals.contest.trees import changes
from tests.refusals.fields import ANY
from tests.refusals.judge import Said, Verdict, judge

DECODING = ("DuplicateField", "Undecodable")


_OF_ADMISSION = {"GPU706"}
"""What an admission plugin refuses, which the judge does not run: a real server does."""


class Ours(NamedTuple):
    """An error of the linter's."""

    rule: str
    path: Path
    message: str

    @property
    def claims(self) -> bool:
        """Whether it says that the API server rejects the object, not that it does harm there."""
        if self.rule in _OF_ADMISSION or "or its pods never start" in self.message:
            return False
        return "API server" in self.message and "reject" in self.message


@dataclass(frozen=True)
class Outcome:
    """A mutant, and what both say."""

    mutant: Mutant
    verdict: Verdict
    ours: frozenset[Ours]
    """What the linter says of it and not of the object that it comes from."""

    @property
    def missed(self) -> list[Said]:
        """What the judge says and the linter does not."""
        return [
            said
            for said in self.verdict.errors
            if not any(self._tells(said, one.path) for one in self.ours)
        ]

    def _tells(self, said: Said, ours: Path) -> bool:
        places = [said.path] if said.path else self._changed
        return any(
            _same(said, path, ours) or (bool(ours) and ours == _end(self._value, path))
            for path in places
        )

    @cached_property
    def _changed(self) -> list[Path]:
        """Where the mutant is wrong: it is there that a server speaks of where it names no place."""
        return [self.mutant.path, *changes(self.mutant.base.value, self._value)]

    @cached_property
    def _value(self) -> Any:
        return json.loads(self.mutant.text)

    @property
    def found(self) -> bool:
        """Whether the linter says any of what the judge does."""
        return len(self.missed) < len(self.verdict.errors)

    @property
    def alarms(self) -> list[Ours]:
        """What the linter says that a server refuses, of what it takes."""
        return [one for one in self.ours if self.verdict.accepted and one.claims]


def errors(text: str) -> frozenset[Ours]:
    """The linter's errors on a text, and words that it takes for placeholders: a warning, since a
    template may still fill them in.
    """
    found = gpuspec.lint_text(text, "object.json", severity="warning").findings
    return frozenset(
        Ours(one.rule, parse_path(one.path), one.message)
        for one in found
        if one.severity == "error" or one.rule == "GPU015"
    )


_known: dict[tuple[str, tuple[str, str]], frozenset[Ours]] = {}


def errors_of(base: Base) -> frozenset[Ours]:
    """The linter's errors on a base, made once."""
    key = base.name, base.kind
    if key not in _known:
        _known[key] = errors(json.dumps(base.value))
    return _known[key]


def outcomes(
    mutants: Iterable[Mutant], before: Callable[[Base], frozenset[Ours]] = errors_of
) -> list[Outcome]:
    """What both say of each, and of our own errors only those that were not there before."""
    made = list(mutants)
    return [
        Outcome(one, verdict, errors(one.text) - before(one.base))
        for one, verdict in zip(made, judge(one.text for one in made), strict=True)
    ]


def of_seed(seed: int, numbers: range) -> list[Outcome]:
    """What both say of some mutants of a seed."""
    return outcomes(mutant(seed, number) for number in numbers)


def _same(said: Said, path: Path, ours: Path) -> bool:
    """Whether both speak of one place, or one of the place around the other's."""
    if not ours:  # the object as a whole, or a text that could not be read
        return not path or said.type in DECODING
    short, long = sorted((path, ours), key=len)
    if any(
        one != other and ANY not in (one, other) for one, other in zip(short, long, strict=False)
    ):
        return False
    if len(long) - len(short) <= 1:
        return True
    # A server leaves out the indices of lists: it names no place below the first.
    return short == path and (said.type == "Undecodable" or isinstance(long[len(path)], int))


def _end(value: Any, path: Path) -> Path:
    """The first step of a path at which an object has nothing: what misses there, a server names by
    what would have to be in it."""
    for length, step in enumerate(path, 1):
        try:
            value = value[step]
        except (LookupError, TypeError):
            return path[:length]
        if value is None:
            return path[:length]
    return path
