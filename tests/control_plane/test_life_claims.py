"""Pods whose GPUs are had by claims: allocated by the scheduler, over slices as NVIDIA's driver writes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, H100, pool, server, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
CLAIM: Object = {"by": "claim"}


def claimed(name: str, model: str, nodes: int, gpus: int = 8, **more: Any) -> Object:
    """A pool whose GPUs are had by claims."""
    made = pool(name, model, nodes, gpus, **more)
    return made | {"gpu": made["gpu"] | {"dra": CLAIM}}


def allocated(here: World, pod: Object) -> list[str]:
    """The devices of a pod's claims."""
    found: list[str] = []
    for status in pod["status"]["resourceClaimStatuses"]:
        ref = Ref(
            "resource.k8s.io/v1", "ResourceClaim", status["resourceClaimName"], here.namespace
        )
        results = here.get(ref)["status"]["allocation"]["devices"]["results"]
        found += [f"{one['pool']} {one['device']} {one['request']}" for one in results]
    return found


def refused(here: World, job: Ref) -> str:
    """What the scheduler says of the pod that it places nowhere."""

    def said() -> str | None:
        for pod in here.pods(job):
            for each in pod["status"].get("conditions") or ():
                if each["type"] == "PodScheduled" and each["status"] == "False":
                    return str(each["message"])
        return None

    return here.until(said, f"the scheduler says why {job.name} waits")


def test_a_run_gets_the_gpus_that_its_claim_chooses(claiming_world: Worlds) -> None:
    """C-56: of two pools the one with the product that the spec names; all eight of one node."""
    here = claiming_world(claimed("h100", H100, 1), claimed("a100", A100, 1))
    job = here.submit(training("one", A100))
    assert here.started(job) == ["a100-0"]
    (pod,) = here.pods(job)
    assert allocated(here, pod) == [f"a100-0 gpu-{at} gpu" for at in range(8)]
    assert "nvidia.com/gpu" not in pod["spec"]["containers"][0]["resources"]["limits"]


def test_the_second_model_is_taken_when_the_first_is_gone(claiming_world: Worlds) -> None:
    """`gpu.models` is an order: alternatives are tried one after another."""
    here = claiming_world(claimed("h100", H100, 1), claimed("a100", A100, 1))
    first = here.submit(training("first", [H100, A100]))
    assert here.started(first) == ["h100-0"]
    second = here.submit(training("second", [H100, A100]))
    assert here.started(second) == ["a100-0"]
    (pod,) = here.pods(second)
    assert allocated(here, pod)[0] == "a100-0 gpu-0 gpu/second"


def test_a_claim_that_no_slice_can_meet_waits(claiming_world: Worlds) -> None:
    """Seven of eight are taken: the scheduler says that it cannot allocate, and the pod pends."""
    here = claiming_world(claimed("h100", H100, 1))
    first = here.submit(training("first", H100, gpus=7, resources=SMALL))
    here.started(first)
    second = here.submit(training("second", H100, gpus=2, resources=SMALL))
    assert "cannot allocate all claims" in refused(here, second)
    here.finish(first)
    assert here.started(second) == ["h100-0"]


def test_a_server_gets_a_mig_partition(claiming_world: Worlds) -> None:
    """The smallest profile with the memory; both classes of the driver are there."""
    sharing = {"mode": "mig", "profiles": {"1g.10gb": 2, "2g.20gb": 1}}
    here = claiming_world(claimed("mig", A100, 1, 2, sharing=sharing))
    one = here.submit(server("one", A100, gpu={"models": [A100], "count": 1, "memory": "15Gi"}))
    assert here.started(one) == ["mig-0"]
    (pod,) = here.pods(one)
    assert "mig-2g20gb" in allocated(here, pod)[0]


def test_a_gang_of_two_nodes(claiming_world: Worlds) -> None:
    """Each worker has a claim of its own, on a node of its own."""
    here = claiming_world(claimed("h100", H100, 2))
    job = here.submit(training("gang", workers=2, command=["python", "-m", "train"]))
    assert here.started(job, 2) == ["h100-0", "h100-1"]
    assert {each.split()[0] for pod in here.pods(job) for each in allocated(here, pod)} == {
        "h100-0",
        "h100-1",
    }


SMALL: Object = {"cpu": 4, "memory": "16Gi", "ephemeralStorage": "20Gi"}
