"""What the linter calls an error is refused, or it is accepted and the rule's page says why it is one.

The manifests are those of the rules' pages: their *wrong* ones as `refusals.py` says, their *right*
ones accepted.
"""

import re
import time
from collections.abc import Callable
from typing import Literal

import pytest

from gpuspec.lint.registry import load
from gpuspec.lint.rows import ROWS
from tests.control_plane import crds
from tests.control_plane.client import Client
from tests.control_plane.refusals import (
    SENT,
    TABLE,
    Accepted,
    Refused,
    is_sent,
    manifests,
    outcomes,
)
from tests.control_plane.sending import documents
from tests.control_plane.verdicts import Level, Verdict, judge, refused_by
from tests.lint.pages import Block, page

# Admission looks quotas up in a copy that lags a little behind what has been written.
PATIENCE = 5


def test_every_rule_of_severity_error_is_in_the_table() -> None:
    assert list(TABLE) == [row.code for row in ROWS if load(row).rule.severity == "error"]


@pytest.mark.parametrize("code", TABLE)
def test_the_page_says_why_what_is_accepted_is_an_error(code: str) -> None:
    """And there is an entry for each of its manifests."""
    assert len(outcomes(code)) == len(manifests(code, "Wrong"))
    (module,) = (row.module for row in ROWS if row.code == code)
    sections = page(module).sections
    text = " ".join((sections["What"] + sections["Why on a GPU cluster"]).split())
    unsaid = [one.why for one in TABLE[code] if isinstance(one, Accepted) and one.why not in text]
    assert unsaid == []


def cases(section: Literal["Wrong", "Right"]) -> list[object]:
    """The manifests that are sent: what is said of them, and they themselves."""
    return [
        pytest.param(outcome, block, id=f"{code}-{number}")
        for code in SENT
        for number, (outcome, block) in enumerate(
            zip(outcomes(code), manifests(code, section), strict=True)
        )
        if is_sent(outcome)
    ]


def settled(
    client: Client, block: Block, level: Level, so: Callable[[list[Verdict]], bool]
) -> list[Verdict]:
    """The verdicts on a manifest, once they are so, or what they still are after a while."""
    kinds = {(one.object["apiVersion"], one.object["kind"]) for one in documents(block.text)}
    lacking = [one for one in kinds if "." in one[0] and not crds.served(client, *one)]
    crds.skip_without(lacking)
    end = time.monotonic() + PATIENCE
    while True:
        verdicts = judge(client, block.text, level)
        if so(verdicts) or time.monotonic() > end:
            return verdicts


def level_of(outcome: Refused | Accepted) -> Level:
    return outcome.level if isinstance(outcome, Refused) else "privileged"


@pytest.mark.control_plane
@pytest.mark.parametrize(("told", "block"), cases("Wrong"))
def test_wrong_is_refused_or_accepted_as_the_table_says(
    client: Client, told: Refused | Accepted, block: Block
) -> None:
    by = told.by if isinstance(told, Refused) else None
    verdicts = settled(client, block, level_of(told), lambda said: refused_by(said) == by)
    text = "\n".join(map(str, verdicts))
    assert refused_by(verdicts) == by, text
    if isinstance(told, Refused):
        assert re.search(told.said, text), text


@pytest.mark.control_plane
@pytest.mark.parametrize(("told", "block"), cases("Right"))
def test_right_is_accepted(client: Client, told: Refused | Accepted, block: Block) -> None:
    verdicts = settled(client, block, level_of(told), lambda said: not said)
    assert list(map(str, verdicts)) == []
