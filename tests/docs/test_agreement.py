"""The page on agreement with kube-scheduler is of the pinned versions, and of no bad results."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane import binaries, kinds

ROOT = Path(__file__).parent.parent.parent
MAKER = runpy.run_path(str(ROOT / "docs" / "make_agreement.py"))
PAGE = ROOT / "docs" / "scheduler-agreement.md"


def results(**more: Any) -> dict[str, dict[str, Any]]:
    told = {kind: {"fits": 100, "kept": 100} for kind in kinds.KINDS}
    one = {"version": "v1.0.0", "seed": 1, "fleets": 2, "pods": 3, "kinds": told}
    words = {"words of the filters, the same": 7, "victims, differs": 1}
    one |= {"words": words, "faults": []}
    return dict.fromkeys(MAKER["MINORS"], one | more)


def test_the_page_is_of_the_versions_that_are_pinned() -> None:
    text = PAGE.read_text()
    for minor in MAKER["MINORS"]:
        assert f"| {binaries.version('kube-scheduler', minor)} |" in text


def test_the_page_has_a_line_for_every_kind() -> None:
    text = PAGE.read_text()
    for kind in kinds.KINDS:
        assert f"\n| {kind} | " in text


def test_what_is_the_same_and_what_is_not_stand_apart() -> None:
    text = MAKER["text"](results())
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
