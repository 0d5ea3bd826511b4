"""What mutants are made from: clean objects of operators' kinds, with many of their fields."""

from functools import cache
from pathlib import Path

from gpuspec.validation.bundle import Bundle, load
from gpuspec.validation.custom import bundle_of, find
from tests.refusals.contest.bases import RENDERED, Base, read
from tests.refusals.judge import NEWEST
from tests.refusals.operators.judge import GROUPS

FOLDER = Path(__file__).parent / "objects"
JOBS = "kueue-jobs.yaml"
"""Jobs of others that Kueue is asked about too."""


class Queued(Base):
    """An object with keys of Kueue's."""

    @property
    def row(self) -> str:
        return f"{self.kind[1]} under Kueue"


def bundle(kind: tuple[str, str]) -> Bundle:
    """The schemas of a kind: a project's, or a server's own."""
    known = find(kind)
    return load(NEWEST) if known is None else bundle_of(known.project)


@cache
def bases() -> tuple[Base, ...]:
    """Objects of every kind that somebody judges, and what our examples render of them."""
    files = sorted(RENDERED.glob("**/*.yaml"))
    found = read(RENDERED, files)
    ours = [base for base in found if base.kind[0] in GROUPS]
    own = [file for file in sorted(FOLDER.glob("*.yaml")) if file.name != JOBS]
    return (*read(FOLDER, own), *(Queued(*one) for one in read(FOLDER, [FOLDER / JOBS])), *ours)
