"""`docs/control-plane.md` says what the table of refusals says, for every rule of severity error."""

import json
import re
from pathlib import Path

import pytest

from tests.control_plane import binaries
from tests.control_plane.refusals import TABLE, Accepted, Refused
from tests.docs.test_coverage import load

page = load("make_control_plane")
TEXT: str = page.PAGE.read_text() if page.PAGE.exists() else ""


def test_the_page_has_a_line_for_every_rule_of_the_table() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| [GPU")]
    assert rows == list(page.refusals()), "stale: python docs/make_control_plane.py"
    named = [re.match(r"\| \[(GPU\d{3})\]\(rules\.md#gpu\d{3}\)", row) for row in rows]
    assert [match and match[1] for match in named] == list(TABLE)


def test_the_page_is_of_the_versions_that_are_pinned() -> None:
    for minor in page.MINORS:
        assert f"| {binaries.version('kube-apiserver', minor)} " in TEXT
    for name, called in (("kueue", "Kueue"), ("jobset", "JobSet"), ("lws", "LeaderWorkerSet")):
        assert f"| {called} | {binaries.version(name)} " in TEXT


def counts(tests: dict[str, dict[str, object]]) -> dict[str, int]:
    return {title: count(tests) for title, count in page.COUNTS.items() if count(tests)}


def test_what_was_judged_is_counted_by_test() -> None:
    wrong = (
        "tests/control_plane/test_refusals.py::test_wrong_is_refused_or_accepted_as_the_table_says"
    )
    code = next(code for code, told in TABLE.items() if len(set(map(type, told))) == 2)
    kinds = [type(one) for one in TABLE[code]]
    found = counts(
        {
            "tests/control_plane/test_admission.py::test_example_is_admitted[a]": {"objects": 3},
            "tests/control_plane/test_admission.py::test_example_is_admitted[b]": {"objects": 4},
            "tests/control_plane/test_queue_gang.py::test_all_or_nothing": {},
            **{f"{wrong}[{code}-{number}]": {} for number in range(len(kinds))},
        }
    )
    assert sorted(found.values()) == sorted([7, 1, kinds.count(Refused), kinds.count(Accepted)])


def test_a_story_is_told_once_and_without_its_rows() -> None:
    tests = {
        f"tests/control_plane/test_queue_gang.py::test_all_or_nothing[{number}]": {
            "shows": "C-36, GPU703: not one pod\n    of it.\n\n    More."
        }
        for number in range(2)
    }
    told = list(page._stories({"tests": tests}, "queue"))
    assert told == ["- **All or nothing.** Not one pod of it."]


def test_what_did_not_pass_makes_no_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    monkeypatch.setattr(page, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=rf"make control-plane-test MINOR={binaries.NEWEST}"):
        page.results()
    for minor in page.MINORS:
        file = tmp_path / "build" / f"control-plane-{minor}.json"
        file.write_text(json.dumps({"tests": {"one": {"outcome": "failed"}}}))
    with pytest.raises(SystemExit, match=f"{binaries.NEWEST}: not passed: one"):
        page.results()
