"""A copy of the checkout, to add something to and see what follows from it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("gpuspec", "templates", "schemas", "docs", "examples")
IGNORED = shutil.ignore_patterns("__pycache__")
# Those of `make docs` that write what a runtime or a version stands in.
GENERATORS = (
    "docs/make_startup.py",
    "schemas/make_gpuspec.py",
    "schemas/make_apiserver.py",
    "schemas/make_configurations.py",
    "docs/make_reference.py",
    "docs/make_servers.py",
    "docs/make_signals.py",
)


class Checkout:
    """A copy of the checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.take(*FOLDERS)

    def take(self, *names: str) -> None:
        """Copy more of the checkout."""
        for name in names:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.folder / name, ignore=IGNORED)
            else:
                shutil.copy(ROOT / name, self.folder / name)

    def write(self, name: str, text: str) -> None:
        """Write a file of it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        """The text of a file of it."""
        return (self.folder / name).read_text(encoding="utf-8")

    def generate(self) -> None:
        """Write anew what is generated."""
        for script in GENERATORS:
            self.python(script).check_returncode()

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run its `gpuspec`."""
        return self.python("-m", "gpuspec", *words)

    def python(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run its Python, in its folder."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy for the tests of one module."""
    return Checkout(tmp_path_factory.mktemp("checkout"))
