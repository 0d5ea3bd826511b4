"""The longest run, counted by the queue over all admissions of a Job."""

from datetime import UTC, datetime

import pytest

from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane


@pytest.fixture
def here(world: Worlds) -> World:
    """One node, and who gives way on it."""
    return world(
        pool("h100", H100, nodes=1),
        queues=[queue("research", {"h100": 8})],
        priorities={"queued": {"urgent": 20000, "preemptible": 1000}},
    )


def test_a_run_that_is_too_long_fails(here: World) -> None:
    """C-37: its own deadline comes before the queue's, so that it does not look like one that waits.

    The next in the queue starts.
    """
    long = here.submit(training("long", queue="research", duration={"max": "1s"}))
    assert here.workload(long)["spec"]["maximumExecutionTimeSeconds"] == 61
    following = here.submit(training("following", queue="research"))
    here.started(following)
    failed = here.until(lambda: here.condition(long, "Failed"), "the first has failed")
    assert failed["reason"] == "DeadlineExceeded"
    assert here.condition(Ref.of(here.workload(long)), "Finished")


def test_the_queue_ends_what_is_too_long_over_all_admissions(here: World) -> None:
    """C-37: what the label that we write does, with no deadline of the Job before it.

    Its pods end, it is not tried again, and the next in the queue starts.
    """
    made = here.render(training("long", queue="research", duration={"max": "1s"}))
    for each in made:
        each["metadata"]["labels"]["kueue.x-k8s.io/max-exec-time-seconds"] = "1"
        del each["spec"]["activeDeadlineSeconds"]
    here.create(made)
    long = main(made)
    workload = Ref.of(here.workload(long))
    # One second is too short to be seen running on a busy machine: what lasts is asked for.
    evicted = here.until(lambda: here.condition(workload, "Evicted"), "the queue has ended it")
    following = here.submit(training("following", queue="research"))
    here.started(following)
    assert here.waits(long)
    assert evicted["reason"] == "DeactivatedDueToMaximumExecutionTimeExceeded"
    here.finish(following)
    here.started(here.submit(training("later", queue="research")))
    assert here.waits(long)


def test_time_adds_up_over_preemptions(here: World) -> None:
    """C-37: kept by the queue over admissions, while the Job's own deadline starts over with each."""
    low = training("low", queue="research", priority="preemptible", duration={"max": "8h"})
    job = here.submit(low)
    here.started(job)
    began = here.get(job)["status"]["startTime"]
    workload = Ref.of(here.workload(job))
    since = here.condition(workload, "Admitted")
    assert since is not None
    begin = datetime.fromisoformat(since["lastTransitionTime"])
    here.until(lambda: (datetime.now(UTC) - begin).seconds >= 2, "there is time to count")
    high = here.submit(training("high", queue="research", priority="urgent"))
    here.started(high)
    kept = "accumulatedPastExecutionTimeSeconds"
    here.until(lambda: here.get(workload)["status"].get(kept, 0) >= 1, "its time is kept")
    here.finish(high)
    here.started(job)
    assert here.get(workload)["status"][kept] >= 1
    assert here.get(workload)["spec"]["maximumExecutionTimeSeconds"] == 8 * 3600 + 60
    assert here.get(job)["status"]["startTime"] > began
