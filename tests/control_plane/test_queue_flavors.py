"""Flavors: the queue's pools are tried in order, and pods land on the pool that they are admitted to."""

import pytest

from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, H100, L4, pool, queue, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane


def test_models_that_are_asked_for_choose_the_flavor(world: Worlds) -> None:
    """C-37: the queue tries `h100` first, and gives `a100` to what asks for A100."""
    here = world(
        pool("h100", H100, nodes=1),
        pool("a100", A100, nodes=1),
        queues=[queue("research", {"h100": 8, "a100": 8})],
    )
    job = here.submit(training("older", A100, queue="research"))
    assert here.started(job) == ["a100-0"]
    assert flavor(here, job) == "a100"
    again = here.submit(training("again", A100, queue="research"))
    assert "insufficient unused quota" in here.held(again)
    assert here.started(here.submit(training("newer", H100, queue="research"))) == ["h100-0"]
    assert here.waits(again)


def test_of_several_models_the_queue_gives_the_first_that_has_room(world: Worlds) -> None:
    """C-37: one pool at a time, though the pod itself would take either."""
    here = world(
        pool("h100", H100, nodes=2),
        pool("a100", A100, nodes=1),
        queues=[queue("research", {"h100": 8, "a100": 8})],
    )
    jobs = [here.submit(training(f"job-{n}", [H100, A100], queue="research")) for n in range(1)]
    here.started(jobs[0])
    jobs.append(here.submit(training("job-1", [H100, A100], queue="research")))
    here.started(jobs[1])
    assert [flavor(here, job) for job in jobs] == ["h100", "a100"]
    # A node with H100 is free, and the pod would tolerate it: its flavor keeps it away.
    assert here.places(jobs[1]) == ["a100-0"]


def test_a_gang_lies_in_one_pool(world: Worlds) -> None:
    """Quotas of two pools do not add up: as many GPUs as both have are more than either."""
    here = world(
        pool("h100", H100, nodes=1),
        pool("a100", A100, nodes=2),
        queues=[queue("research", {"h100": 8, "a100": 16})],
    )
    gang = here.submit(training("gang", [H100, A100], queue="research", workers=2))
    assert here.started(gang, 2) == ["a100-0", "a100-1"]
    more = here.submit(training("more", [H100, A100], queue="research", workers=2))
    assert "in flavor h100" in here.held(more)


def test_spot_nodes_are_given_to_none_that_did_not_ask(world: Worlds) -> None:
    """The taint of the pool is its flavor's: spot has room and comes first, and is passed over."""
    taints = [
        {"key": "nvidia.com/gpu", "value": "present"},
        {"key": "example.com/spot", "value": "true"},
    ]
    here = world(
        pool("cheap", L4, nodes=1, gpus=4, capacity="spot", taints=taints),
        pool("steady", L4, nodes=1, gpus=4),
        queues=[queue("research", {"cheap": 4, "steady": 4})],
    )
    first = here.submit(training("first", L4, 4, queue="research"))
    assert here.started(first) == ["steady-0"]
    second = here.submit(training("second", L4, 4, queue="research"))
    assert "example.com/spot" in here.held(second)
    asked = here.submit(training("asked", L4, 4, queue="research", capacity="spot"))
    assert here.started(asked) == ["cheap-0"]
    assert here.waits(second)


def flavor(here: World, job: object) -> str:
    """The flavor that a Job was given, the same for each of its resources."""
    (assigned,) = here.workload(job)["status"]["admission"]["podSetAssignments"]  # type: ignore[arg-type]
    (name,) = set(assigned["flavors"].values())
    return str(name)
