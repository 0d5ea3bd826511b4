"""The control plane that the tests of this folder share."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane import binaries, results, specs
from tests.control_plane.client import Client, Object
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.namespaces import restricted
from tests.control_plane.operators import OPERATORS
from tests.control_plane.stories import World

Worlds = Callable[..., World]
Namespaces = Callable[[], str]
NUMBERS = count()


def pytest_configure(config: pytest.Config) -> None:
    """Have what the tests find written to a file, where `GPUSPEC_RESULTS` names one."""
    results.collect(config)


@pytest.fixture(scope="session")
def plane() -> Iterator[ControlPlane]:
    """A running control plane with Kueue, JobSet and LeaderWorkerSet; a test that wants one is skipped
    if it is not built.

    `GPUSPEC_MINOR` names the Kubernetes minor, the newest unless set.
    """
    minor = os.environ.get("GPUSPEC_MINOR") or binaries.NEWEST
    try:
        made = ControlPlane(minor, kueue={}, operators=tuple(OPERATORS))
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    with made as running:
        yield running


@pytest.fixture(scope="session")
def client(plane: ControlPlane) -> Client:
    return plane.client()


@pytest.fixture
def namespace(client: Client) -> Namespaces:
    """Makes a namespace that no other test has, at Pod Security's level `restricted`."""

    def make() -> str:
        return restricted(client, f"test-{next(NUMBERS)}")

    return make


@pytest.fixture
def world(client: Client, namespace: Namespaces, tmp_path: Path) -> Iterator[Worlds]:
    """Makes the world of a story from pools, `queues`, and what else its profile says."""
    with ExitStack() as ends:

        def make(*pools: Object, queues: list[Object] | None = None, **more: Any) -> World:
            space = namespace()
            profile = specs.profile(space, pools, queues or [], more)
            return ends.enter_context(World(client, space, profile, tmp_path))

        yield make
