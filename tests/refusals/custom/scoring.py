"""What the judge says of custom objects, held against what validation says."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from gpuspec.validation import newest, validate
from tests.refusals.custom.walking import Judged
from tests.refusals.fields import path_of

Row = Counter[str]


class Outcome(NamedTuple):
    """A changed object, and what came of it."""

    judged: Judged
    column: str
    """`schema`, `rules` or `taken`."""
    found: bool
    """Whether we refuse it; where only rules do, just where they do."""


def outcomes(walk: Iterable[Judged]) -> Iterable[Outcome]:
    """Yield what both say of each object."""
    for one in walk:
        ours = {wrong.path for wrong in validate(one.value, newest())}
        if not one.by_rule:
            yield Outcome(one, "schema" if one.said else "taken", bool(ours))
            continue
        theirs = {path_of(said["field"], one.value) for said in one.said}
        yield Outcome(one, "rules", theirs <= ours)


def table(found: Iterable[Outcome]) -> dict[str, Row]:
    """How many there were of each column by project, and of how many of them the linter says so."""
    rows: dict[str, Row] = {}
    broken: set[tuple[Any, str]] = set()
    for one in found:
        row = rows.setdefault(one.judged.definition.project, Counter())
        row[one.column] += 1
        row[f"{one.column} found"] += one.found
        for said in one.judged.said:
            key = (
                one.judged.definition.kind,
                f"{said['field'].split('[')[0]} {said['message'][-60:]}",
            )
            if said["isRule"] and key not in broken:
                broken.add(key)
                row["broken"] += 1
    return rows
