"""Admission checks: a workload that has its quota waits until whoever is asked agrees."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.control_plane.client import Client, Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import QUEUES, World

pytestmark = pytest.mark.control_plane
CHECK = "budget"


@pytest.fixture
def check(client: Client) -> Iterator[Ref]:
    """An AdmissionCheck whose controller is the test."""
    made: Object = {
        "apiVersion": QUEUES,
        "kind": "AdmissionCheck",
        "metadata": {"name": CHECK},
        "spec": {"controllerName": "example.com/test"},
    }
    client.create(made)
    ref = Ref.of(made)
    client.patch(ref, {"status": {"conditions": [condition()]}}, part="status")
    yield ref
    client.delete(ref)


def test_a_workload_starts_once_the_check_agrees(check: Ref, world: Worlds) -> None:
    queues = [queue("research", {"h100": 8}, admissionChecks=[{"name": check.name}])]
    here = world(pool("h100", H100, nodes=1), queues=queues)
    job = here.submit(training("first", queue="research"))
    here.until(partial(asked, here, job), "Kueue asks the check")
    assert here.waits(job)
    agree(here, job)
    here.started(job)


def condition() -> Object:
    return {
        "type": "Active",
        "status": "True",
        "reason": "Active",
        "message": "ready",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }


def asked(here: World, job: Ref) -> bool:
    return [one["name"] for one in states(here, job)] == [CHECK]


def states(here: World, job: Ref) -> list[Object]:
    return list(here.workload(job).get("status", {}).get("admissionChecks", ()))


def agree(here: World, job: Ref) -> None:
    (state,) = states(here, job)
    ready = {**state, "state": "Ready", "message": "within budget"}
    found = Ref.of(here.workload(job))
    here.client.patch(found, {"status": {"admissionChecks": [ready]}}, part="status")
