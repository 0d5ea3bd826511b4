"""Each rule that `rows.py` names holds its row: without it, nothing speaks of its wrong manifests."""

import re

import pytest

from gpuspec.lint.engine import Engine
from gpuspec.lint.registry import load
from gpuspec.lint.rows import ROWS as RULES
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.pages import Block, named_profile, page
from tests.lint.rows import ASKED, ROWS

MODULES = {rule.code: rule.module for rule in RULES}
PAIRS = [(row, code) for row, codes in ROWS.items() for code in codes]


def spoken(block: Block, without: str = "") -> set[str]:
    """Codes of the rules that speak of a manifest when all but one are asked."""
    profile = named_profile(block.profile) if block.profile else None
    engine = Engine(lambda code: code != without, profile)
    return {one.rule.code for one in engine.run(TextLoader([SourceFile("page.yaml", block.text)]))}


def test_the_table_is_sorted_and_says_each_code_once_for_a_row() -> None:
    assert list(ROWS) == sorted(ROWS)
    assert all(re.fullmatch(r"C-\d\d", row) for row in ROWS)
    assert all(len(set(codes)) == len(codes) > 0 for codes in ROWS.values())


@pytest.mark.parametrize(("row", "code"), PAIRS, ids=[f"{row}-{code}" for row, code in PAIRS])
def test_a_row_is_found_by_its_rule_and_by_no_other(row: str, code: str) -> None:
    blocks = page(MODULES[code]).blocks("Wrong")
    assert blocks
    for block in blocks:
        assert spoken(block) == {code}, block.text
        # A rule that gives way to this one may speak of the same manifest when it is gone.
        assert spoken(block, without=code) <= yielding(code), block.text


def yielding(code: str) -> set[str]:
    """The rules that are silent where a rule speaks."""
    rules = (load(row).rule for row in RULES)
    return {rule.code for rule in rules if code in rule.gives_way}


def test_each_statement_that_asks_for_a_finding_has_rules() -> None:
    assert sorted({f"C-{number}" for number in ASKED.split()} - ROWS.keys()) == []
