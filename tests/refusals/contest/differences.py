"""What a server refuses and the linter does not say, on purpose: `differences.yaml`."""

from functools import cache
from pathlib import Path

import msgspec
import yaml

from tests.refusals.contest.scoring import Outcome
from tests.refusals.judge import Said

ROWS = Path(__file__).parents[1] / "differences.yaml"


class Difference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sort of them."""

    what: str
    words: tuple[str, ...]
    """Each is in the field or in the server's message of some of them."""
    why: str

    def holds(self, said: Said) -> bool:
        """Whether a refusal is of this sort."""
        return any(words in f"{said.field}: {said.message}" for words in self.words)


@cache
def differences() -> tuple[Difference, ...]:
    """All of them."""
    found = yaml.safe_load(ROWS.read_text(encoding="utf-8"))
    return tuple(msgspec.convert(found, tuple[Difference, ...]))


def difference(outcome: Outcome) -> str | None:
    """Of what sort a mutant is that is not found; None where that is no difference on purpose."""
    for row in differences():
        if all(row.holds(said) for said in outcome.verdict.errors):
            return row.what
    return None
