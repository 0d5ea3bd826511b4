"""What mutants are made from: clean objects of operators' kinds, with many of their fields."""

from functools import cache
from pathlib import Path

from tests.refusals.contest.bases import RENDERED, Base, read
from tests.refusals.operators.judge import GROUPS

FOLDER = Path(__file__).parent / "objects"


@cache
def bases() -> tuple[Base, ...]:
    """Objects of every kind that somebody judges, and what our examples render of them."""
    files = sorted(RENDERED.glob("**/*.yaml"))
    found = read(RENDERED, files)
    ours = [base for base in found if base.kind[0] in GROUPS]
    return (*read(FOLDER, sorted(FOLDER.glob("*.yaml"))), *ours)
