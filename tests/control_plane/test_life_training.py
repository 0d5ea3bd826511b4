"""The life of a training Job: retried within its limit, failed at once, disrupted, ended, finished."""

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane


@pytest.fixture
def here(world: Worlds) -> World:
    """Two nodes, and no queue."""
    return world(pool("h100", H100, nodes=2))


def test_a_run_is_finished_when_its_pod_ends_well(here: World) -> None:
    """No TTL: the Job stays, done."""
    job = here.submit(training("one"))
    here.started(job)
    here.finish(job)
    assert here.get(job)["status"]["succeeded"] == 1
    assert "ttlSecondsAfterFinished" not in here.get(job)["spec"]


def test_a_failed_pod_is_replaced_within_the_limit(here: World) -> None:
    """`retries.limit: 2`: three pods, one after another; then the Job has failed."""
    job = here.submit(training("one", retries={"limit": 2}))
    for attempt in range(3):
        (place,) = here.started(job)
        assert place
        assert here.get(job)["status"].get("failed", 0) == attempt
        fail(here, job, 1)
    assert reason(here, job) == "BackoffLimitExceeded"
    assert len(here.pods(job)) == 3


def test_workers_fail_together_and_the_limit_counts_all_of_them(here: World) -> None:
    """C-36: one retry of a gang of two is two failed pods; the second time the gang is lost."""
    job = here.submit(training("gang", workers=2, retries={"limit": 1}))
    here.started(job, 2)
    fail(here, job, 1)
    here.started(job, 2)
    assert here.get(job)["status"]["failed"] == 2
    fail(here, job, 1)
    assert reason(here, job) == "BackoffLimitExceeded"


def test_a_command_that_cannot_run_fails_the_job_at_once(here: World) -> None:
    """Exit code 127. Its other worker is ended, which would wait for it; three retries are left."""
    job = here.submit(training("gang", workers=2))
    here.started(job, 2)
    kubelet.fail(here.client, here.pods(job)[0], 127)
    assert reason(here, job) == "PodFailurePolicy"
    here.until(lambda: not here.pods(job, "Running"), "the other worker is ended")
    assert len(here.pods(job)) <= 2


def test_exit_codes_that_the_spec_names_fail_it_at_once(here: World) -> None:
    """`retries.failOnExitCodes`: 3 as well; 4 is a failure like any other."""
    job = here.submit(training("one", retries={"failOnExitCodes": [3]}))
    here.started(job)
    fail(here, job, 4)
    here.started(job)
    fail(here, job, 3)
    assert reason(here, job) == "PodFailurePolicy"


def test_a_disruption_spends_no_retry(here: World) -> None:
    """Without any retry left, a pod whose node was taken away is replaced all the same."""
    job = here.submit(training("one", retries={"limit": 0}))
    for _ in range(2):
        here.started(job)
        fail(here, job, 143, disrupted=True)
    here.started(job)
    assert not here.get(job)["status"].get("failed")
    here.finish(job)


def test_a_new_pod_waits_until_the_old_one_has_let_go_of_its_gpus(here: World) -> None:
    """While it still saves its checkpoint the Job counts it as going, not as failed, and makes no other."""
    job = here.submit(training("one"))
    here.started(job)
    (old,) = here.pods(job)
    here.client.delete(Ref.of(old))

    def terminating() -> bool:
        # Not `here.until`: the kubelet would end it.
        return here.get(job)["status"].get("terminating") == 1

    here.wait(terminating, "the Job knows that its pod is going")
    other = here.submit(training("other"))
    here.wait(lambda: here.pods(other), "the Job controller goes on with others")
    assert not here.get(job)["status"].get("failed")
    assert [pod["metadata"]["uid"] for pod in here.pods(job)] == [old["metadata"]["uid"]]
    here.started(job)
    (new,) = here.pods(job, "Running")
    assert new["metadata"]["uid"] != old["metadata"]["uid"]


def test_a_hung_run_is_ended_by_its_deadline(here: World) -> None:
    """`duration.max`, without a queue: its pod is ended and its node is free."""
    job = here.submit(training("one", duration={"max": "1s"}))
    assert reason(here, job) == "DeadlineExceeded"
    here.until(lambda: not here.pods(job), "its pod is gone")


def fail(here: World, job: Ref, code: int, *, disrupted: bool = False) -> None:
    """All running pods of a Job end with an exit code, and the Job has counted each."""
    ended = [Ref.of(pod) for pod in here.pods(job, "Running")]
    for pod in here.pods(job, "Running"):
        kubelet.fail(here.client, pod, code, disrupted=disrupted)

    def counted() -> bool:
        waiting = here.get(job)["status"].get("uncountedTerminatedPods", {}).values()
        kept = [here.get(pod)["metadata"].get("finalizers") for pod in ended]
        return not any(waiting) and not any(kept)

    here.until(counted, f"{job.name} has counted what failed")


def reason(here: World, job: Ref) -> str:
    """Why a Job has failed, once it has."""
    failed = here.until(lambda: here.condition(job, "Failed"), f"{job.name} has failed")
    return str(failed["reason"])
