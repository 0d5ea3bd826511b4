"""Priority: who goes first, and who gives way, as `priorities.queued` and `preemption` say."""

from functools import partial
from typing import Any

import pytest

from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
NODES = pool("h100", H100, nodes=2)
PRIORITIES = {"queued": {"urgent": 20000, "preemptible": 1000}}


def job(name: str, priority: str, **more: Any) -> dict[str, Any]:
    return training(name, queue="research", priority=priority, **more)


def test_the_higher_priority_goes_first_though_it_came_later(world: Worlds) -> None:
    """C-37: two wait; the one that was made last is admitted when there is room."""
    queues = [queue("research", {"h100": 8}, preemption="never")]
    here = world(NODES, queues=queues, priorities=PRIORITIES)
    running = here.submit(job("running", "preemptible"))
    here.started(running)
    low = here.submit(job("low", "preemptible"))
    here.held(low)
    high = here.submit(job("high", "urgent"))
    here.held(high)
    here.finish(running)
    here.started(high)
    assert here.waits(low)
    here.finish(high)
    here.started(low)


def test_lower_priority_gives_way(world: Worlds) -> None:
    """C-37: its pods end, all of them, before the other's start; then it waits its turn again."""
    here = world(NODES, queues=[queue("research", {"h100": 16})], priorities=PRIORITIES)
    low = here.submit(job("low", "preemptible", workers=2))
    here.started(low, 2)
    high = here.submit(job("high", "urgent"))
    here.started(high)
    here.until(partial(here.waits, low), "the lower waits")
    evicted = here.condition(workload_ref(here, low), "Evicted")
    assert evicted is not None
    assert evicted["reason"] == "Preempted"
    # What it lost was a disruption: no retry of its own is spent.
    assert not here.get(low)["status"].get("failed")
    here.finish(high)
    here.started(low, 2)


def test_equal_priority_does_not_give_way(world: Worlds) -> None:
    """The same as above but for the priority; what waits says what it waits for."""
    here = world(NODES, queues=[queue("research", {"h100": 16})], priorities=PRIORITIES)
    first = here.submit(job("first", "urgent", workers=2))
    here.started(first, 2)
    second = here.submit(job("second", "urgent"))
    assert "insufficient unused quota" in here.held(second)
    assert len(here.places(first)) == 2


def test_preemption_never(world: Worlds) -> None:
    """`preemption: never`: the higher waits; where it is allowed, it would not."""
    queues = [queue("research", {"h100": 16}, preemption="never")]
    here = world(NODES, queues=queues, priorities=PRIORITIES)
    low = here.submit(job("low", "preemptible", workers=2))
    here.started(low, 2)
    high = here.submit(job("high", "urgent"))
    assert "insufficient unused quota" in here.held(high)
    assert len(here.places(low)) == 2
    here.finish(low)
    here.started(high)


def test_without_a_class_of_its_own_the_priority_class_counts(world: Worlds) -> None:
    """Work that names no priority counts in queues with its PriorityClass."""
    priorities = PRIORITIES | {"training": "gpu-training", "values": {"gpu-training": 10000}}
    here = world(NODES, queues=[queue("research", {"h100": 8})], priorities=priorities)
    low = here.submit(job("low", "preemptible"))
    here.started(low)
    plain = here.submit(training("plain", queue="research"))
    here.started(plain)
    assert here.workload(plain)["spec"]["priority"] == 10000
    here.until(partial(here.waits, low), "the lower waits")
    here.started(here.submit(job("high", "urgent")))
    here.until(partial(here.waits, plain), "the one in the middle waits")


def workload_ref(here: World, job: Ref) -> Ref:
    return Ref.of(here.workload(job))
