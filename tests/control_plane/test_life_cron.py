"""The life of a batch by schedule: the CronJob controller makes its Jobs.

No test waits for the clock: told in the CronJob's status that it ran hours ago, the controller finds
that a run is due.
"""

from datetime import UTC, datetime, timedelta

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, batch, pool, queue
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
SHARDS = {"count": 2, "retries": 1}


@pytest.fixture
def here(world: Worlds) -> World:
    """One node of eight GPUs, four of them a queue's."""
    return world(pool("a100", A100, nodes=1), queues=[queue("research", {"a100": 4})])


def test_a_run_is_the_job_that_was_specified(here: World) -> None:
    """Its shards run and finish; the next run is made when it is due."""
    cron = here.submit(scheduled())
    first = due(here, cron)
    spec = here.get(cron)["spec"]["jobTemplate"]["spec"]
    made = here.get(first)["spec"]
    assert {key: made[key] for key in spec if key != "template"} == {
        key: value for key, value in spec.items() if key != "template"
    }
    here.started(first, 2)
    here.finish(first)
    assert here.get(first)["metadata"]["ownerReferences"][0]["name"] == cron.name


def test_a_run_that_still_goes_on_keeps_the_next_from_starting(here: World) -> None:
    """`Forbid`: the controller says so, and makes the next once the first is done."""
    cron = here.submit(scheduled(minutes=20))
    first = due(here, cron)
    here.started(first, 2)
    here.client.patch(cron, {"spec": {"schedule": ago(minutes=10)}})

    def forbidden() -> bool:
        events = here.client.objects(Ref("v1", "Event", namespace=here.namespace))
        return any(event["reason"] == "JobAlreadyActive" for event in events)

    here.until(forbidden, "the controller says that the first still runs")
    assert jobs(here) == [first]
    here.finish(first)
    here.until(lambda: len(jobs(here)) == 2, "the next run is made")


def test_what_is_later_than_its_deadline_does_not_start(here: World) -> None:
    """`startingDeadline`: a run missed by hours is passed over; one of minutes is not."""
    late = here.submit(scheduled(minutes=180, name="late"))
    rewind(here, late)
    first = due(here, here.submit(scheduled()))
    here.started(first, 2)
    assert jobs(here) == [first]


def test_a_queued_run_waits_for_its_queue(here: World) -> None:
    """C-37: the label is on the CronJob's Jobs, where Kueue looks for it."""
    other = here.submit(batch("other", A100, 1, queue="research", shards={"count": 3}))
    here.started(other, 3)
    cron = here.submit(scheduled(queue="research"))
    run = due(here, cron)
    assert "insufficient unused quota" in here.held(run)
    here.finish(other)
    here.started(run, 2)


def scheduled(*, minutes: int = 10, name: str = "nightly", **more: object) -> Object:
    """A batch that was due some minutes ago, and is again tomorrow."""
    when = {"cron": ago(minutes=minutes), "startingDeadline": "1h"}
    return batch(name, A100, 1, shards=SHARDS, schedule=when, **more)


def ago(*, minutes: int) -> str:
    """The schedule of each day at that minute."""
    then = datetime.now(UTC) - timedelta(minutes=minutes)
    return f"{then.minute} {then.hour} * * *"


def rewind(here: World, cron: Ref) -> None:
    """Tell the controller that the last run was 23 hours ago."""
    last = (datetime.now(UTC) - timedelta(hours=23)).strftime("%Y-%m-%dT%H:%M:%SZ")
    here.client.patch(cron, {"status": {"lastScheduleTime": last}}, part="status")


def due(here: World, cron: Ref) -> Ref:
    """The one Job of a CronJob, once it is made."""
    rewind(here, cron)

    def own() -> list[Ref]:
        return [job for job in jobs(here) if job.name.startswith(f"{cron.name}-")]

    (job,) = here.until(own, f"{cron.name} has a run")
    return job


def jobs(here: World) -> list[Ref]:
    """All Jobs of the story."""
    every = Ref("batch/v1", "Job", namespace=here.namespace)
    return [Ref.of(job) for job in here.client.objects(every)]
