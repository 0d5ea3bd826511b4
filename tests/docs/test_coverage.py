"""`docs/coverage.md` names tests that exist and that name its rows."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


def load(name: str) -> ModuleType:
    """A script of `docs/`, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


coverage = load("make_coverage")
PAGE: str = coverage.PAGE.read_text()
ROWS = {
    match[1]: re.findall(r"`(tests/[^`]+)`", match[0])
    for match in re.finditer(r"^\| (C-\d\d) \|.*$", PAGE, re.MULTILINE)
}


@pytest.mark.parametrize("row", ROWS)
def test_listed_tests_exist_and_name_the_row(row: str) -> None:
    known = coverage.named().get(row, [])
    assert [test for test in ROWS[row] if test not in known] == []


def test_page_lists_all_tests_that_name_its_rows() -> None:
    assert coverage.filled(PAGE) == PAGE, "stale: python docs/make_coverage.py"


def test_tests_name_no_row_that_the_page_does_not_have() -> None:
    later = set(re.findall(r"C-\d\d", PAGE.partition("## Not in this version")[2]))
    assert set(coverage.named()) <= set(ROWS) | later


def test_reference_is_that_of_the_schemas() -> None:
    reference = load("make_reference")
    assert reference.PAGE.read_text() == reference.text(), "stale: python docs/make_reference.py"
