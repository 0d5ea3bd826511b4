"""The page on refusals is of the mutations that there are, and of a contest of full size."""

import json
import runpy
from pathlib import Path

import pytest

from tests.refusals.contest.bases import full
from tests.refusals.contest.mutations import MUTATIONS

ROOT = Path(__file__).parents[2]
MAKER = runpy.run_path(str(ROOT / "docs" / "make_refusals.py"))
PAGE = ROOT / "docs" / "refusals.md"


def rows(width: int) -> list[list[str]]:
    """The rows of the table that has so many columns, without its head."""
    lines = (line for line in PAGE.read_text().splitlines() if line.startswith("|"))
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in found if len(row) == width and row[-1] != "---"][1:]


def test_the_page_has_a_row_for_every_mutation_and_every_kind() -> None:
    assert [row[1] for row in rows(6)] == [*sorted(MUTATIONS), "all"]
    kinds = {base.kind[1] for base in full()}
    assert {row[0] for row in rows(4 + len(MUTATIONS))} == {*kinds, "all"}


def test_the_page_counts_every_mutant() -> None:
    *parts, (_, _, refused, _, taken, _) = rows(6)
    assert sum(int(row[2]) for row in parts) == int(refused)
    assert sum(int(row[4]) for row in parts) == int(taken)
    assert f"{int(refused) + int(taken):,} mutants" in PAGE.read_text()
    assert int(refused) + int(taken) >= MAKER["LEAST"]


def test_the_page_counts_what_kubernetes_tests_refuse_by_kind() -> None:
    title = MAKER["TESTED"][0]
    section = PAGE.read_text().partition(title)[2].partition("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    *kinds, total = [row for row in lines if len(row) == 5][2:]
    served = {base.kind[1] for base in full()}
    assert {row[0].strip() for row in kinds} <= served
    assert len(kinds) > 0.9 * len(served)
    assert sum(int(row[1]) for row in kinds) == int(total[1])
    assert sum(int(row[3]) for row in kinds) == int(total[3])


def test_the_page_shows_the_fresh_seed_beside_the_published_one() -> None:
    row = {"refused": 100, "found": 99, "taken": 50, "alarming": 1}
    fresh = {"seed": 7, "tries": 150, "kinds": {"all": row}}
    said = "Of the 100 that the judge refuses of 150 of seed 7, 99.0% are found; alarms: 2.0%."
    assert MAKER["of_fresh"](fresh) == said


def test_too_few_make_no_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    results = MAKER["results"]
    file = tmp_path / f"refusals-{MAKER['SEED']}.json"
    monkeypatch.setitem(results.__globals__, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match="make refusals"):
        results()
    file.write_text(json.dumps({"tries": 3}))
    with pytest.raises(SystemExit, match="fewer"):
        results()
    with pytest.raises(SystemExit, match="make refusals SEED=7"):
        results("7")


def test_the_page_of_operators_reads_what_their_contest_wrote(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    maker = runpy.run_path(str(ROOT / "docs" / "make_operator_refusals.py"))
    monkeypatch.setitem(maker["results"].__globals__, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match=r"refusals-operators\.json is missing.*make refusals$"):
        maker["page"]()
    (tmp_path / "refusals-operators.json").write_text(json.dumps({"tries": 3}))
    with pytest.raises(SystemExit, match="3 are fewer"):
        maker["page"]()
