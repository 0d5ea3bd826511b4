"""Fixtures that tests of several rooms share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.control_plane import binaries

Tool = Callable[[str], Path]

# How fast a machine is decides nothing.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out what reads data that are not here, and say so."""
    for mark in item.iter_markers("outside"):
        if not mark.args[0].is_dir():
            pytest.skip("not run: no data; see `make outside-test`")


@pytest.fixture(scope="session")
def tool() -> Tool:
    """Path of a real program of `make tools` by name; a test that wants a missing one is skipped."""

    def find(name: str) -> Path:
        program = binaries.cache() / "bin" / name
        if not program.exists():
            pytest.skip(f"{name} is not installed; to install it: make tools")
        return program

    return find
