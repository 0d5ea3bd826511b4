"""The page on operators' refusals is of the operators that judge, and of a contest of full size."""

from pathlib import Path

from tests.refusals.operators.bases import bases
from tests.refusals.operators.judge import GROUPS, OPERATORS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "refusals-operators.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("|")
]
LEAST = 10_000


def test_the_page_names_who_judges() -> None:
    judges = {row[0].strip("`"): row[1] for row in ROWS if len(row) == 2}
    for group, name in GROUPS.items():
        assert judges[group] == f"`{OPERATORS[name].module}` {OPERATORS[name].version}"


def test_every_kind_has_a_row() -> None:
    assert {base.row for base in bases()} <= {row[0] for row in ROWS}


def test_the_page_counts_every_mutant() -> None:
    (*parts, total) = [row for row in ROWS if len(row) == 6 and row[2].isdigit()]
    refused, taken = int(total[2]), int(total[4])
    assert sum(int(row[2]) for row in parts) == refused
    assert sum(int(row[4]) for row in parts) == taken
    assert f"{refused + taken:,} mutants" in TEXT
    assert refused + taken >= LEAST
