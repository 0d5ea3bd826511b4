"""Every format of one set of findings, whole, as people and programs get it.

After a change that is meant: `GPUSPEC_WRITE_GOLDENS=1 pytest tests/report/lint/test_goldens.py`, and
read the difference.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from gpuspec.lint.result import LintResult
from gpuspec.report.lint import FORMATS, Format, lint_report
from gpuspec.report.lint.summary import summary_text
from gpuspec.version import __version__
from tests.report.lint.samples import CLEAN, MANY, RESULT

HERE = Path(__file__).parent / "goldens"


def held(name: str, made: str) -> None:
    made = made.replace(__version__, "VERSION")
    path = HERE / name
    if os.environ.get("GPUSPEC_WRITE_GOLDENS"):
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("format", FORMATS)
def test_a_report_without_a_terminal(format: Format) -> None:
    held(f"findings.{format}", lint_report(RESULT, format))


@pytest.mark.parametrize("format", FORMATS)
def test_a_report_of_nothing(format: Format) -> None:
    held(f"clean.{format}", lint_report(CLEAN, format))


TERMINALS: dict[str, Callable[[LintResult], str]] = {
    "terminal": lambda result: lint_report(result, "text", width=80),
    "narrow": lambda result: lint_report(result, "text", width=48),
    "infos": lambda result: lint_report(result, "text", width=80, least="info"),
    "colour": lambda result: lint_report(result, "text", width=80, color=True),
    "concise-colour": lambda result: lint_report(result, "concise", width=80, color=True),
}


@pytest.mark.parametrize("name", TERMINALS)
def test_a_report_on_a_terminal(name: str) -> None:
    held(f"{name}.txt", TERMINALS[name](RESULT))


def test_a_long_list_stays_readable() -> None:
    """What says the same is shown once, with its places; rules are counted."""
    held("many.txt", lint_report(MANY, "text", width=80))


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_says_whether_it_shows_fixes(format: Format) -> None:
    bare = tuple(replace(one, fix=None) for one in RESULT.findings)
    without = lint_report(replace(RESULT, findings=bare), format)
    assert (lint_report(RESULT, format) != without) == FORMATS[format]


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        ((2, 3), "; up to 2 can be fixed with --fix, up to 3 more with --unsafe-fixes"),
        ((2, 0), "; up to 2 can be fixed with --fix"),
        ((0, 3), "; up to 3 can be fixed with --unsafe-fixes"),
        ((0, 0), ""),
    ],
)
def test_of_fixes_that_were_not_made_the_summary_claims_none(
    offered: tuple[int, int], said: str
) -> None:
    bare = tuple(replace(one, fix=None) for one in RESULT.findings)
    told = summary_text(replace(RESULT, findings=bare, offered=offered))
    assert told.endswith(f"1 suppressed, 3 in the baseline{said}\n")


def test_a_summary_where_nothing_was_found() -> None:
    assert summary_text(CLEAN) == "no findings in 14 documents of 3 files; 1 suppressed\n"
