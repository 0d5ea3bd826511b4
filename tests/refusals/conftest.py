"""The judge that the tests of this folder ask."""

from collections.abc import Iterable
from typing import Protocol

import pytest

from tests.control_plane import binaries
from tests.refusals import judge as wrapper
from tests.refusals.judge import MINORS, Minor, Object, Verdict


class Judge(Protocol):
    """`judge.judge`, of a program that is there."""

    def __call__(self, objects: Iterable[Object | str], minor: Minor = ...) -> list[Verdict]: ...


@pytest.fixture(scope="session")
def judge() -> Judge:
    """The judge of every minor; a test that wants one is skipped if it is not built."""
    try:
        for minor in MINORS:
            wrapper.program(minor)
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    return wrapper.judge
