"""What the tests of this folder found, for the page that `docs/make_control_plane.py` makes.

A JSON file with the versions, and for each test its outcome, what it says that it shows, and the
numbers that it recorded. Written when `GPUSPEC_RESULTS` names the file.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane import binaries

HERE = "tests/control_plane/"


class Results:
    """Collects outcomes, and writes them when all tests have run."""

    def __init__(self, file: Path, minor: str) -> None:
        self._file = file
        self._minor = minor
        self._tests: dict[str, dict[str, Any]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note what each test shows, in its own words."""
        for item in items:
            if item.nodeid.startswith(HERE) and isinstance(item, pytest.Function):
                self._tests[item.nodeid] = {"shows": item.function.__doc__ or ""}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note an outcome: of the test itself, or of what kept it from running."""
        told = self._tests.get(report.nodeid)
        if told is not None and (report.when == "call" or report.outcome != "passed"):
            told |= {"outcome": report.outcome} | dict(report.user_properties)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        versions = {"kube-apiserver": binaries.version("kube-apiserver", self._minor)}
        self._file.parent.mkdir(exist_ok=True)
        found = {"minor": self._minor, "versions": versions, "tests": self._tests}
        self._file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def collect(config: pytest.Config) -> None:
    """Have the results written, where somebody wants them."""
    if file := os.environ.get("GPUSPEC_RESULTS"):
        minor = os.environ.get("GPUSPEC_MINOR") or binaries.NEWEST
        config.pluginmanager.register(Results(config.rootpath / file, minor))
