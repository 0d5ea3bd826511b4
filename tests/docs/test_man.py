"""The manual page: made of what the commands say, whole, and readable where `man` shows it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
COMMANDS = ("gpuspec render [OPTIONS] SPEC...", "gpuspec fleet drift [OPTIONS] [PATH...]")
OPTIONS = ("--skip-refused", "-c, --cluster PROFILE", "--suppress REASON", "-h, --help")


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "docs"))
    yield import_module("make_man")
    sys.path.remove(str(ROOT / "docs"))


def test_the_page_is_of_this_program(page: ModuleType) -> None:
    assert page.PAGE.read_text() == page.text(), "stale: python docs/make_man.py"


@pytest.mark.skipif(not shutil.which("man"), reason="needs man (apt-get install man-db)")
@pytest.mark.parametrize("columns", [60, 80])
def test_man_shows_it(columns: int) -> None:
    done = subprocess.run(
        ["man", "--warnings", "-l", str(ROOT / "docs/man/gpuspec.1")],
        env={
            **os.environ,
            "MANWIDTH": str(columns),
            "LC_ALL": "C.UTF-8",
            "MAN_KEEP_FORMATTING": "",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert all(one in " ".join(done.stdout.split()) for one in (*COMMANDS, *OPTIONS))
    widest = max(done.stdout.splitlines(), key=len)
    assert len(widest) <= 80, widest
