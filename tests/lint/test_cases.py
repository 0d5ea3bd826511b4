"""Real faults of real users are found where they are, by a rule that the mended file silences."""

import pytest

from tests.lint.cases import LOUDNESS, Case, cases

# Cases whose kind of fault no rule knows yet. Each line that goes is a rule that came.
OPEN: frozenset[str] = frozenset({"RE07"})

FILES = [case for case in cases() if "folder" not in case.row and case.id not in OPEN]
FOUND = [case for case in FILES if "line" not in case.row]


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.id)
def test_a_fault_is_found_at_its_place_and_gone_when_it_is_mended(case: Case) -> None:
    answers = {one.rule for one in case.findings("inputs") if case.answers(one)}
    assert answers, [(one.rule, one.path, one.severity) for one in case.findings("inputs")]
    left = {one.rule for one in case.findings("fixed")}
    assert answers - left, f"{answers} still speak of the mended file"


@pytest.mark.parametrize("case", [c for c in cases() if c.id in OPEN], ids=lambda case: case.id)
def test_a_case_that_is_listed_as_open_is_not_found(case: Case) -> None:
    """Else it is to be taken off the list."""
    answers = {one.rule for one in case.findings("inputs") if case.answers(one)}
    assert not answers - {one.rule for one in case.findings("fixed")}


@pytest.mark.parametrize(
    "case", [case for case in FILES if case.text("quiet")], ids=lambda case: case.id
)
def test_a_near_twin_without_the_fault_is_quiet(case: Case) -> None:
    answers = {one.rule for one in case.findings("inputs") if case.answers(one)}
    ceiling = case.row.get("quiet_ceiling")
    loudest = -1 if ceiling is None else LOUDNESS.index(ceiling)
    loud = [
        (one.rule, one.path, one.severity)
        for one in case.findings("quiet")
        if one.rule in answers and LOUDNESS.index(one.severity) > loudest
    ]
    assert not loud


@pytest.mark.parametrize(
    "case",
    [case for case in FOUND if not case.row["certain_without_context"]],
    ids=lambda case: case.id,
)
def test_what_cannot_be_known_without_a_profile_is_at_most_a_warning(case: Case) -> None:
    loud = [
        (one.rule, one.severity)
        for one in case.findings("inputs", context=False)
        if case.answers(one) and one.severity == "error"
    ]
    assert not loud
