"""`docs/rules.md` and `docs/cases.md` say what the rules say, and how loud they may be."""

import re
from collections.abc import Iterator

import pytest

import gpuspec
from tests.docs.test_coverage import load
from tests.lint.cases import cases

pages = load("make_rules")
RULES = {rule.code: rule for rule in gpuspec.rules()}
STALE = "stale: python docs/make_rules.py"
RARE = 10
"""Percent: what good manifests have more often than that is no error by itself."""


def test_the_page_of_rules_is_up_to_date() -> None:
    assert pages.PAGE.read_text() == pages.text(), STALE


def test_the_page_of_cases_is_up_to_date() -> None:
    assert pages.CASES.read_text() == pages.cases_text(), STALE


def rows_of_cases() -> Iterator[list[str]]:
    for line in pages.CASES.read_text().splitlines():
        if line.startswith("| ") and not line.startswith("| case "):
            yield [cell.strip() for cell in line.strip("| ").split(" | ")]


def test_every_case_is_answered_by_rules_that_there_are() -> None:
    rows = list(rows_of_cases())
    assert len(rows) > 70
    for case, _, rules, status in rows:
        named = re.findall(r"\[(GPU\d{3})\]\(rules\.md#gpu\d{3}\)", rules)
        assert named or "trap" in status or status == "open", case
        assert [code for code in named if code not in RULES] == []
    if cases():
        assert {row[0] for row in rows} == {case.id for case in cases()}


def test_each_rule_is_in_the_table_and_has_a_section() -> None:
    page = pages.PAGE.read_text()
    for code in RULES:
        assert f"\n| [{code}](#{code.lower()}) |" in page
        assert f"\n### {code}\n" in page


@pytest.mark.parametrize("code", pages.RATES)
def test_what_is_common_is_not_loud(code: str) -> None:
    """A rate is of a rule that there is; an error speaks of what is rare, or of what looks like it."""
    rate = pages.RATES[code]
    assert rate.keys() <= {"share", "of", "level", "wider"}
    assert 0 <= rate["share"] <= 100
    level = rate.get("level", RULES[code].severity)
    if level == "error" and not rate.get("wider"):
        assert rate["share"] <= RARE
