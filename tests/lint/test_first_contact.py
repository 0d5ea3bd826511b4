"""What is found of the reports that no rule was made for stays found, and what is not found is listed."""

import pytest
import yaml

from tests.lint.contacts import FOLDER, Contact, contacts

ALL = contacts()


@pytest.mark.parametrize("contact", ALL, ids=lambda contact: contact.id)
def test_what_is_said_is_what_is_listed(contact: Contact) -> None:
    """A row that is open and is found comes off the list of those that are open."""
    assert contact.answers() - contact.listed("beside") == contact.listed("now")


@pytest.mark.parametrize("contact", ALL, ids=lambda contact: contact.id)
def test_of_a_clean_twin_only_what_is_listed_is_said(contact: Contact) -> None:
    assert contact.said_of_twin() == contact.listed("twin") | contact.listed("alarm")


@pytest.mark.parametrize("contact", ALL, ids=lambda contact: contact.id)
def test_what_was_found_at_first_contact_stays_found(contact: Contact) -> None:
    assert contact.listed("now") or contact.verdict["first"] != "found"


def test_each_report_is_met_once_by_a_query_that_was_fixed() -> None:
    queries = {row["id"] for row in yaml.safe_load((FOLDER / "queries.yaml").read_text())}
    sources = [contact.case.row["source"] for contact in ALL]
    assert len(set(sources)) == len(sources) == 50
    assert {contact.case.row["query"] for contact in ALL} <= queries | {0}
    passed_over = yaml.safe_load((FOLDER / "exclusions.yaml").read_text()).values()
    assert not set(sources) & {source for some in passed_over for source in some}
