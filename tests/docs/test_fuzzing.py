"""The page on fuzzing is of the commands that there are, and of a run that met no fault."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
MAKER = runpy.run_path(str(ROOT / "docs" / "make_fuzzing.py"))
PAGE = ROOT / "docs" / "fuzzing.md"


def results(**more: Any) -> dict[str, Any]:
    return {
        "seed": 3,
        "targets": {one.name: {"0": 999, "2": 1} for one in TARGETS},
        "faults": {},
    } | more


def rows() -> Iterator[list[str]]:
    for line in PAGE.read_text().splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_has_a_row_for_every_target() -> None:
    assert [name for name, *_ in rows()] == [f"`{one.name}`" for one in TARGETS]


def test_the_page_counts_every_try_and_none_that_is_a_fault() -> None:
    for _, tries, *codes in rows():
        assert int(tries) == sum(map(int, codes)) > 0
    said = f"{sum(int(tries) for _, tries, *_ in rows()):,} tries, no fault."
    assert said in PAGE.read_text()


def test_a_run_without_faults_makes_a_page() -> None:
    MAKER["check"](results())
    assert "| `lint` | 1000 | 999 | 0 | 1 | 0 |" in MAKER["text"](results())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"faults": {"exit 4": []}}, "exit 4"),
        ({"targets": {"lint": {"0": 30_000}}}, "other targets"),
        ({"targets": {one.name: {"0": 1} for one in TARGETS}}, "fewer than"),
    ],
)
def test_any_other_makes_none(more: dict[str, Any], said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        MAKER["check"](results(**more))
