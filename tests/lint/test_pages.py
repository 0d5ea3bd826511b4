"""Each rule's page is true: what it calls wrong raises the rule and nothing else, what it calls right
raises nothing, and its fix leads from one to the other."""

from pathlib import Path

import pytest
import yaml

from gpuspec.lint.pages import page as shown_page
from gpuspec.lint.registry import load
from gpuspec.lint.rows import ROWS, Row
from tests.lint.notes import faults
from tests.lint.pages import HERE, SECTIONS, page, raised

PAGED = [row for row in ROWS if row.scope not in ("spec", "text")]
SAFE = {None: set(), "safe": {True}, "unsafe": {False}, "both": {True, False}}
"""Whether a fix is safe, by what a rule declares."""


def test_the_table_is_sorted_and_says_each_code_once() -> None:
    codes = [row.code for row in ROWS]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_a_rule_is_called_what_the_table_and_its_file_call_it(row: Row) -> None:
    rule = load(row).rule
    assert rule.code == row.code
    assert rule.name
    assert rule.name == rule.name.lower()
    assert list(page(row.module).sections) == list(SECTIONS)
    heading = page(row.module).path.read_text().splitlines()[0]
    assert heading == f"# {rule.name}"


def test_an_example_says_which_field_it_lacks() -> None:
    shown = shown_page("GPU201")
    assert "  # no `tolerations`\n" in shown
    assert "null" not in shown


@pytest.mark.parametrize("base", sorted((HERE / "bases").glob("*.yaml")), ids=lambda p: p.stem)
def test_the_bases_are_clean(base: Path) -> None:
    assert [one.finding() for one in raised(base.read_text())] == []


@pytest.mark.parametrize("row", PAGED, ids=lambda row: row.code)
def test_wrong_raises_the_rule_and_nothing_else(row: Row) -> None:
    blocks = page(row.module).blocks("Wrong")
    assert blocks, "a page needs a wrong manifest"
    for block in blocks:
        codes = {one.rule.code for one in raised(block.text, block.profile)}
        assert codes == {row.code}, block.text


@pytest.mark.parametrize("row", PAGED, ids=lambda row: row.code)
def test_right_raises_nothing(row: Row) -> None:
    blocks = page(row.module).blocks("Right")
    assert len(blocks) == len(page(row.module).blocks("Wrong"))
    for block in blocks:
        assert [one.finding() for one in raised(block.text, block.profile)] == [], block.text


@pytest.mark.parametrize("row", PAGED, ids=lambda row: row.code)
def test_wrong_and_its_fix_are_right(row: Row) -> None:
    pairs = zip(page(row.module).blocks("Wrong"), page(row.module).blocks("Right"), strict=True)
    for wrong, right in pairs:
        found = raised(wrong.text, wrong.profile)
        fixes = [(one.site.document, one.found.fix) for one in found if one.found.fix is not None]
        if len(fixes) < len(found):
            continue
        from gpuspec.lint.fixing import fixed, text_fix

        made = [text_fix(document, fix) for document, fix in fixes if document is not None]
        text = fixed(wrong.text, [fix for fix in made if fix is not None])
        assert list(yaml.safe_load_all(text)) == list(yaml.safe_load_all(right.text))


@pytest.mark.parametrize("row", PAGED, ids=lambda row: row.code)
def test_wrong_shows_each_kind_of_fix_that_the_rule_declares(row: Row) -> None:
    blocks = page(row.module).blocks("Wrong")
    found = [one.found for block in blocks for one in raised(block.text, block.profile)]
    assert {one.fix.safe for one in found if one.fix is not None} == SAFE[load(row).rule.fix]


@pytest.mark.parametrize("row", PAGED, ids=lambda row: row.code)
def test_an_error_is_certain(row: Row) -> None:
    """It ends a pipeline: what may be otherwise is a warning at most."""
    blocks = page(row.module).blocks("Wrong")
    found = [one.finding() for block in blocks for one in raised(block.text, block.profile)]
    assert [one for one in found if one.severity == "error" and one.confidence != "certain"] == []


@pytest.mark.parametrize("row", PAGED, ids=lambda row: row.code)
def test_a_note_says_what_to_do(row: Row) -> None:
    blocks = page(row.module).blocks("Wrong")
    notes = [one.found.note for block in blocks for one in raised(block.text, block.profile)]
    assert [fault for note in notes if note for fault in faults(note)] == []
