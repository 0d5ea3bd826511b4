"""Every format of comparisons, whole, as people and programs get it.

After a change that is meant: `GPUSPEC_WRITE_GOLDENS=1 pytest tests/report/diff/test_goldens.py`, and
read the difference.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuspec.report.columns import columns
from gpuspec.report.diff import diff_report
from gpuspec.version import __version__
from tests.report.diff import comparisons

HERE = Path(__file__).parent / "goldens"

OUTPUTS: dict[str, Callable[[], str]] = {
    "story.txt": lambda: diff_report(comparisons.story(), "text", width=80),
    "story-narrow.txt": lambda: diff_report(comparisons.story(), "text", width=40),
    "story-piped.txt": lambda: diff_report(comparisons.story(), "text"),
    "story-colour.txt": lambda: diff_report(comparisons.story(), "text", width=80, color=True),
    "story.md": lambda: diff_report(comparisons.story(), "markdown"),
    "story.json": lambda: diff_report(comparisons.story(), "json"),
    "spec.txt": lambda: diff_report(comparisons.spec(), "text", width=80),
    "spec.md": lambda: diff_report(comparisons.spec(), "markdown"),
    "spec.json": lambda: diff_report(comparisons.spec(), "json"),
    "nothing.txt": lambda: diff_report(comparisons.nothing(), "text", width=80),
    "nothing.md": lambda: diff_report(comparisons.nothing(), "markdown"),
    "nothing.json": lambda: diff_report(comparisons.nothing(), "json"),
    "hostile.txt": lambda: diff_report(comparisons.hostile(), "text", width=80, color=True),
    "hostile.md": lambda: diff_report(comparisons.hostile(), "markdown"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_report_as_it_is_read(name: str) -> None:
    made = re.sub(r"sha256:[0-9a-f]{60,}", "sha256:DIGEST", OUTPUTS[name]())
    made = made.replace(__version__, "VERSION")
    path = HERE / name
    if os.environ.get("GPUSPEC_WRITE_GOLDENS"):
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")
    assert made.endswith("\n")


def test_only_what_cannot_be_broken_is_wider_than_the_terminal() -> None:
    for line in OUTPUTS["story.txt"]().splitlines():
        assert columns(line) <= 80 or max(map(len, line.split())) > 70, line


def test_what_a_comment_cannot_hold_is_counted() -> None:
    text = diff_report(comparisons.large(), "markdown")
    assert len(text) < 65_536
    assert re.search(r"… and \d+ more", text)
    assert re.search(r"Fields: \d+ objects, \d+ more omitted as too long", text)
    assert text.count("<details>") == text.count("</details>")
    assert text.startswith("**gpuspec diff**: 700 changed")


def test_nothing_steers_a_terminal_or_leaves_its_fold() -> None:
    shown = diff_report(comparisons.hostile(), "text")
    assert "\x1b" not in shown
    assert "\x07" not in shown
    comment = diff_report(comparisons.hostile(), "markdown")
    body = comment.partition("<summary>")[0]
    assert "</details>" not in body
    # Between the fences nothing is Markdown; the fence is longer than any in it.
    fences = re.findall(r"^`{3,}", comment, re.MULTILINE)
    assert fences[0] == fences[-1]
    assert len(fences[0]) > 4


def test_the_fields_of_json_are_these() -> None:
    made = json.loads(diff_report(comparisons.story(), "json"))
    assert [*made] == [
        *("old", "new", "level", "changes", "specs", "origins", "alike", "totals", "notes"),
    ]
    assert [*made["changes"][0]] == [
        *("change", "object", "effect", "level", "was", "file", "old_file", "spec", "remarks"),
        *("fields", "amounts"),
    ]
    assert "hunter" not in json.dumps(made)
