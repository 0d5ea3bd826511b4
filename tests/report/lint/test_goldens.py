"""Every format of one set of findings, whole, as people and programs get it.

After a change that is meant: `GPUSPEC_WRITE_GOLDENS=1 pytest tests/report/lint/test_goldens.py`, and
read the difference.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuspec.lint.result import Result
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


TERMINALS: dict[str, Callable[[Result], str]] = {
    "terminal": lambda result: lint_report(result, "text", width=80),
    "narrow": lambda result: lint_report(result, "text", width=48),
    "colour": lambda result: lint_report(result, "text", width=80, color=True),
    "concise-colour": lambda result: lint_report(result, "concise", width=80, color=True),
}


@pytest.mark.parametrize("name", TERMINALS)
def test_a_report_on_a_terminal(name: str) -> None:
    held(f"{name}.txt", TERMINALS[name](RESULT))


def test_a_long_list_stays_readable() -> None:
    """What says the same is shown three times, then listed; rules are counted."""
    held("many.txt", lint_report(MANY, "text", width=80))


def test_a_summary_where_nothing_was_found() -> None:
    assert summary_text(CLEAN) == "no findings in 14 documents of 3 files; 1 suppressed\n"
