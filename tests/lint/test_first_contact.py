"""What is found of the reports that no rule was made for stays found, and what is not found is listed."""

import re
from pathlib import Path

import pytest

from gpuspec.manifests import read
from tests.lint.cases import Case, cases
from tests.lint.contacts import GATHERINGS, Contact, Gathering

JUDGED = [contact for gathering in GATHERINGS for contact in gathering.contacts()]
RULES = Path(__file__).parents[2] / "gpuspec" / "lint" / "rules"
every_report = pytest.mark.parametrize("contact", JUDGED, ids=lambda contact: contact.id)
every_list = pytest.mark.parametrize("gathering", GATHERINGS, ids=lambda one: one.name)


def page(case: Case) -> str:
    """The address of a report without what tells several faults of one page apart."""
    return str(case.row["source"]).split("#")[0]


@every_report
def test_what_is_said_is_what_is_listed(contact: Contact) -> None:
    """A row that is open and is found comes off the list of those that are open."""
    assert contact.answers() - contact.listed("beside") == contact.listed("now")


@every_report
def test_of_a_clean_twin_only_what_is_listed_is_said(contact: Contact) -> None:
    assert contact.said_of_twin() == contact.listed("twin") | contact.listed("alarm")


@every_report
def test_what_was_found_at_first_contact_stays_found(contact: Contact) -> None:
    assert contact.listed("now") or contact.verdict["first"] != "found"


@every_list
def test_each_report_is_met_by_a_query_that_was_fixed(gathering: Gathering) -> None:
    queries = {row["id"] for row in gathering.queries()}
    assert {case.row["query"] for case in gathering.cases} <= queries | {0}


@every_list
def test_a_list_is_judged_whole_or_not_at_all(gathering: Gathering) -> None:
    assert set(gathering.verdicts()) in ({case.id for case in gathering.cases}, set())


@every_list
def test_each_report_has_an_input_and_a_twin_that_differs(gathering: Gathering) -> None:
    for case in gathering.cases:
        wrong, right = case.text("inputs"), case.text("fixed")
        assert wrong and right and wrong != right, case.id
        assert read(wrong, case.id) and read(right, case.id)


def test_a_report_that_is_marked_as_known_was_taken_or_cited_before() -> None:
    before = {page(case) for case in cases()}
    cited = "\n".join(path.read_text() for path in sorted(RULES.rglob("*.md")))
    for gathering in GATHERINGS:
        for case in gathering.cases:
            address = re.escape(case.row["source"])
            assert (
                not case.row.get("known")
                or page(case) in before
                or re.search(rf"{address}\b", cited)
            )
        before |= {page(case) for case in gathering.cases}


def test_no_report_is_taken_twice_or_passed_over_as_well() -> None:
    new = [
        case for gathering in GATHERINGS for case in gathering.cases if not case.row.get("known")
    ]
    taken = [case.row["source"] for case in new]
    assert len(set(taken)) == len(taken)
    for gathering in GATHERINGS:
        passed_over = [source for some in gathering.exclusions().values() for source in some]
        own = {case.row["source"] for case in gathering.cases}
        assert not own & set(passed_over)
