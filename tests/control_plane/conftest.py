"""The control plane that the tests of this folder share."""

import os
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.control_plane import binaries
from tests.control_plane.client import Client
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.namespaces import restricted

NUMBERS = count()


@pytest.fixture(scope="session")
def plane() -> Iterator[ControlPlane]:
    """A running control plane with Kueue; a test that wants one is skipped if it is not built.

    `GPUSPEC_MINOR` names the Kubernetes minor, the newest unless set.
    """
    try:
        made = ControlPlane(os.environ.get("GPUSPEC_MINOR") or binaries.NEWEST, kueue={})
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    with made as running:
        yield running


@pytest.fixture(scope="session")
def client(plane: ControlPlane) -> Client:
    return plane.client()


@pytest.fixture
def namespace(client: Client) -> Callable[[], str]:
    """Makes a namespace that no other test has, at Pod Security's level `restricted`."""

    def make() -> str:
        return restricted(client, f"test-{next(NUMBERS)}")

    return make
