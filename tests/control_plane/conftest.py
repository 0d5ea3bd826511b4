"""The control planes that the tests of this folder share.

Those that one file alone asks for end with it: each takes 2 GB of memory.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane import binaries, results, specs
from tests.control_plane.client import Client, Object
from tests.control_plane.cluster import ControlPlane, Switched
from tests.control_plane.kueue import FRAMEWORKS, TRAINING
from tests.control_plane.namespaces import restricted
from tests.control_plane.operators import (
    ALWAYS,
    OPERATORS,
    PROVISIONING,
    SCALING,
    SERVING,
    WRAPPING,
)
from tests.control_plane.stories import World

Worlds = Callable[..., World]
Namespaces = Callable[[], str]
POD_GROUPS = "scheduling.k8s.io/v1beta1"
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
    yield from _running(ALWAYS)


@pytest.fixture(scope="session")
def training_plane() -> Iterator[ControlPlane]:
    """One with the operators that carry training too, by which Kueue queues their kinds."""
    yield from _running(
        tuple(
            name for name in OPERATORS if name not in ("appwrapper", "karpenter", "keda", "llmisvc")
        ),
        {"integrations": {"frameworks": [*FRAMEWORKS, *TRAINING]}},
    )


@pytest.fixture(scope="module")
def wrapping_plane() -> Iterator[ControlPlane]:
    """One with AppWrapper, which Kueue queues, and with those whose objects it wraps."""
    frameworks = [*FRAMEWORKS, "workload.codeflare.dev/appwrapper"]
    yield from _running(WRAPPING, {"integrations": {"frameworks": frameworks}})


@pytest.fixture(scope="module")
def serving_plane() -> Iterator[ControlPlane]:
    """One with KServe's controller of LLMInferenceServices, and the kinds that it has beside."""
    yield from _running(SERVING)


@pytest.fixture(scope="module")
def grouping_plane() -> Iterator[ControlPlane]:
    """One whose scheduler starts the pods of a PodGroup together, of the newest Kubernetes."""
    switched = Switched(
        "GenericWorkload=true", f"{POD_GROUPS}=true", controllers=("podgroup-protection",)
    )
    yield from _running(ALWAYS, minor=binaries.NEWEST, switched=switched)


@pytest.fixture(scope="module")
def scaling_plane() -> Iterator[ControlPlane]:
    """One with HorizontalPodAutoscalers, KEDA, and those whose servers it scales."""
    switched = Switched(controllers=("horizontal-pod-autoscaler",))
    yield from _running(SCALING, switched=switched)


@pytest.fixture(scope="module")
def provisioning_plane() -> Iterator[ControlPlane]:
    """One whose nodes Karpenter makes, of machines that are simulated."""
    yield from _running(PROVISIONING)


@pytest.fixture(scope="module")
def measuring_plane() -> Iterator[ControlPlane]:
    """One with HorizontalPodAutoscalers alone."""
    switched = Switched(controllers=("horizontal-pod-autoscaler",))
    yield from _running((), switched=switched)


@pytest.fixture(scope="module")
def claiming_plane() -> Iterator[ControlPlane]:
    """One whose controller makes claims of templates, and whose Kueue knows of which resource they are."""
    switched = Switched(controllers=("resourceclaim",))
    mapped = {"name": "nvidia.com/gpu", "deviceClassNames": ["gpu.nvidia.com"]}
    resources = {"resources": {"deviceClassMappings": [mapped]}}
    operators = (*ALWAYS, "trainer", "training-operator", "mpi-operator")
    yield from _running(operators, resources, switched=switched)


@pytest.fixture(scope="module")
def guarded_plane() -> Iterator[ControlPlane]:
    """One where accounts may do what roles say, and nothing else."""
    yield from _running(ALWAYS, switched=Switched(authorization="RBAC"))


def _running(
    operators: tuple[str, ...],
    kueue: dict[str, Any] | None = None,
    minor: str = "",
    switched: Switched | None = None,
) -> Iterator[ControlPlane]:
    minor = minor or os.environ.get("GPUSPEC_MINOR") or binaries.NEWEST
    try:
        made = ControlPlane(minor, kueue=kueue or {}, operators=operators, switched=switched)
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

    return partial(_namespace, client)


def _namespace(client: Client) -> str:
    return restricted(client, f"test-{next(NUMBERS)}")


@pytest.fixture
def world(client: Client, tmp_path: Path) -> Iterator[Worlds]:
    """Makes the world of a story from pools, `queues`, and what else its profile says."""
    yield from _worlds(client, tmp_path)


def _worlds(client: Client, folder: Path) -> Iterator[Worlds]:
    with ExitStack() as ends:

        def make(*pools: Object, queues: list[Object] | None = None, **more: Any) -> World:
            space = _namespace(client)
            profile = specs.profile(space, pools, queues or [], more)
            return ends.enter_context(World(client, space, profile, folder))

        yield make


def _worlds_of(plane: str) -> Any:
    """Make a fixture that is `world` on another control plane."""

    @pytest.fixture
    def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Worlds]:
        """Makes the world of a story on the control plane that it is called by."""
        yield from _worlds(request.getfixturevalue(plane).client(), tmp_path)

    return world


training_world = _worlds_of("training_plane")
wrapping_world = _worlds_of("wrapping_plane")
serving_world = _worlds_of("serving_plane")
grouping_world = _worlds_of("grouping_plane")
scaling_world = _worlds_of("scaling_plane")
provisioning_world = _worlds_of("provisioning_plane")
measuring_world = _worlds_of("measuring_plane")
claiming_world = _worlds_of("claiming_plane")
guarded_world = _worlds_of("guarded_plane")
