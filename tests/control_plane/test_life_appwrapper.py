"""Runs in an AppWrapper: it is queued, its pods are made anew where one is lost, and it ends with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
INSTALLED = {"kueue": "0.19", "jobset": "0.12", "training-operator": "1.9", "appwrapper": "1.2"}
TARGETS = ("job", "jobset", "pytorchjob")
LOOKS = 150
"""Seconds in which it has looked at its pods: it does so once a minute."""


class Wrapped(NamedTuple):
    """An AppWrapper, and the object in it that carries the pods."""

    around: Ref
    inner: Ref


@pytest.fixture(params=TARGETS)
def here(request: pytest.FixtureRequest, wrapping_world: Worlds) -> World:
    """Three nodes, a queue of all of them, and gangs carried by each target in turn."""
    return wrapping_world(
        pool("h100", H100, nodes=3),
        queues=[queue("research", {"h100": 24})],
        targets={"gang": request.param},
        installed=INSTALLED,
    )


def submit(here: World, name: str, **more: Any) -> Wrapped:
    made = here.render(
        training(
            name,
            workers=2,
            command=["python", "-m", "train"],
            wrap="appwrapper",
            queue="research",
            **more,
        )
    )
    (around,) = (each for each in made if each["kind"] == "AppWrapper")
    here.create(made)
    (component,) = around["spec"]["components"]
    inner = component["template"]
    assert "kueue.x-k8s.io/queue-name" not in inner["metadata"]["labels"]
    return Wrapped(Ref.of(around), main([inner]))


def waiting(here: World, run: Wrapped) -> str:
    """Why Kueue holds it back; empty while it does not say."""
    conditions = here.workload(run.around).get("status", {}).get("conditions", ())
    return next(
        (str(each["message"]) for each in conditions if each["type"] == "QuotaReserved"), ""
    )


def phase(here: World, run: Wrapped) -> str:
    return str(here.get(run.around).get("status", {}).get("phase"))


def reaches(here: World, run: Wrapped, wanted: str) -> None:
    here.until(lambda: phase(here, run) == wanted, f"{run.around.name} is {wanted}", LOOKS)


def uids(here: World, run: Wrapped) -> set[str]:
    return {pod["metadata"]["uid"] for pod in here.pods(run.inner)}


def fail_one(here: World, run: Wrapped, code: int) -> None:
    """A worker fails: its pod, or, of a PyTorchJob, whose pods start it again, its container."""
    pod = here.pods(run.inner, "Running")[-1]
    if run.inner.kind == "PyTorchJob":
        kubelet.restart(here.client, pod)
    else:
        kubelet.fail(here.client, pod, code)


def test_an_appwrapper_waits_in_its_queue_starts_whole_and_ends_well(here: World) -> None:
    """Nothing in it is there while the queue has no room; it has ended when all of its pods have."""
    first = submit(here, "first")
    here.started(first.inner, 2)
    second = submit(here, "second")
    here.until(lambda: "8 more needed" in waiting(here, second), "the second waits for a node")
    assert here.get(second.around)["spec"]["suspend"] is True
    assert here.client.find(second.inner) is None
    for pod in here.pods(first.inner):
        labels = pod["metadata"]["labels"]
        assert labels["workload.codeflare.dev/appwrapper"] == first.around.name
    finish(here, first)
    here.until(lambda: here.client.find(second.inner), "the second is made")
    here.started(second.inner, 2)


def test_all_pods_are_made_anew_as_often_as_the_spec_says(here: World) -> None:
    """`retries.limit: 1`: a worker fails and both start anew, once; then the AppWrapper has failed."""
    run = submit(here, "gang", retries={"limit": 1})
    here.started(run.inner, 2)
    old = uids(here, run)
    fail_one(here, run, 1)

    def anew() -> bool:
        found = here.client.find(run.inner) is not None
        return found and len(here.places(run.inner)) == 2 and uids(here, run).isdisjoint(old)

    here.until(anew, "both workers are new", LOOKS)
    fail_one(here, run, 1)
    reaches(here, run, "Failed")


def test_a_code_that_no_retry_can_mend_ends_the_run(here: World) -> None:
    """Exit code 127, with three retries left."""
    if here.profile.spec.targets.gang == "pytorchjob":
        pytest.skip("its operator starts the container again: nobody sees the code")
    run = submit(here, "gang")
    here.started(run.inner, 2)
    fail_one(here, run, 127)
    reaches(here, run, "Failed")
    assert not here.get(run.around)["status"].get("resettingCount")


def finish(here: World, run: Wrapped) -> None:
    """Its pods end well, and so does it."""
    for pod in here.pods(run.inner, "Running"):
        kubelet.succeed(here.client, pod)
    reaches(here, run, "Succeeded")
