"""The page on agreement with kube-scheduler is of the pinned versions, and of no bad results."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane import binaries, claims_agreement, kinds

ROOT = Path(__file__).parent.parent.parent
MAKER = runpy.run_path(str(ROOT / "docs" / "make_agreement.py"))
PAGE = ROOT / "docs" / "scheduler-agreement.md"


def results(**more: Any) -> dict[str, dict[str, Any]]:
    told = {kind: {"fits": 100, "kept": 100} for kind in kinds.KINDS}
    one = {"version": "v1.0.0", "seed": 1, "fleets": 2, "pods": 3, "kinds": told}
    words = {"words of the filters, the same": 7, "victims, differs": 1}
    one |= {"words": words, "faults": []}
    return dict.fromkeys(MAKER["MINORS"], one | more)


def claims() -> dict[str, dict[str, Any]]:
    one = {"version": "v1.0.0", "seed": 1, "fleets": 2, "pods": 3, "faults": []}
    words = {"words, the same": 5, "devices, others": 4}
    made = {}
    for minor in MAKER["MINORS"]:
        told = {kind: {"fits": 60, "kept": 60} for kind in claims_agreement.kinds(minor)}
        made[minor] = one | {"kinds": told, "words": words}
    return made


def test_what_a_minor_has_off_has_no_figures() -> None:
    text = MAKER["text"](results(), claims())
    assert "| partitions | 60 / 60 | – |" in text
    assert "| words: the same / not | 5 / 0 | 5 / 0 |" in text
    assert "| devices: the same / others | 0 / 4 | 0 / 4 |" in text


def test_the_page_is_of_the_versions_that_are_pinned() -> None:
    text = PAGE.read_text()
    for minor in MAKER["MINORS"]:
        assert f"| {binaries.version('kube-scheduler', minor)} |" in text


def test_the_page_has_a_line_for_every_kind() -> None:
    text = PAGE.read_text()
    for kind in (*kinds.KINDS, *claims_agreement.kinds(binaries.NEWEST)):
        assert f"\n| {kind} | " in text


def test_what_is_the_same_and_what_is_not_stand_apart() -> None:
    text = MAKER["text"](results(), claims())
    assert "| words of the filters: the same / not | 7 / 0 | 7 / 0 |" in text
    assert "| victims and their node: the same / not | 0 / 1 | 0 / 1 |" in text


def test_a_kind_that_decided_too_seldom_makes_no_page() -> None:
    MAKER["check"](results())
    told = {kind: {"fits": 100, "kept": 99} for kind in kinds.KINDS}
    with pytest.raises(SystemExit, match="fewer than 100"):
        MAKER["check"](results(kinds=told))


def test_a_disagreement_makes_no_page() -> None:
    with pytest.raises(SystemExit, match="placed or not"):
        MAKER["check"](results(faults=[{"what": "placed or not"}]))
