"""Commands on narrow terminals: the page shows what they print, and nothing in it is broken."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from gpuspec.report.columns import columns

ROOT = Path(__file__).parent.parent.parent
Captures = dict[tuple[str, int], str]


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "docs"))
    yield import_module("make_terminal")
    sys.path.remove(str(ROOT / "docs"))


@pytest.fixture(scope="module")
def captures(page: ModuleType) -> Captures:
    found: Captures = page.captures()
    return found


def test_page_shows_what_commands_print(page: ModuleType, captures: Captures) -> None:
    assert page.PAGE.read_text() == page.text(captures), "stale: python docs/make_terminal.py"


def test_no_line_is_wider_than_its_terminal(captures: Captures) -> None:
    """Unless it is one word, which a person may want to copy."""
    wide = [
        (command, at, line)
        for (command, at), text in captures.items()
        for line in text.splitlines()
        if columns(line) > at and len(line.split()) > 1
    ]
    assert wide == []
