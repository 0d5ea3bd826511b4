"""The judges that the tests of this folder ask."""

from collections.abc import Iterable
from typing import Protocol

import pytest

from tests.control_plane import binaries
from tests.refusals.judge import Object
from tests.refusals.operators import judge as wrapper
from tests.refusals.operators.judge import OPERATORS, Verdict


class Judge(Protocol):
    """`judge.judge`, of programs that are there."""

    def __call__(self, objects: Iterable[Object | str]) -> list[Verdict]: ...


@pytest.fixture(scope="session")
def judge() -> Judge:
    """The judges of all operators; a test that wants them is skipped if one is not built."""
    try:
        for name in OPERATORS:
            wrapper.program(name)
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    return wrapper.judge
