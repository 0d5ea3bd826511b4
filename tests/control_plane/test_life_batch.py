"""The life of a batch: shards with an index each, retried each on its own."""

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, batch, pool
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
INDEX = "batch.kubernetes.io/job-completion-index"


@pytest.fixture
def here(world: Worlds) -> World:
    """One node of eight GPUs."""
    return world(pool("a100", A100, nodes=1))


def test_each_shard_is_scored_once(here: World) -> None:
    """Five shards, two at a time: never more run, and each index is done once."""
    job = here.submit(batch("scores", A100, 1, shards={"count": 5, "parallelism": 2}))
    seen: list[int] = []
    for expected in (2, 2, 1):
        here.started(job, expected)
        for pod in here.pods(job, "Running"):
            seen.append(index(pod))
            kubelet.succeed(here.client, pod)
    here.finish(job)
    assert sorted(seen) == [0, 1, 2, 3, 4]
    assert here.get(job)["status"]["completedIndexes"] == "0-4"
    (pod, *_) = here.pods(job)
    env = {each["name"]: each for each in pod["spec"]["containers"][0]["env"]}
    assert env["SHARD_COUNT"]["value"] == "5"
    assert INDEX in env["JOB_COMPLETION_INDEX"]["valueFrom"]["fieldRef"]["fieldPath"]


def test_a_bad_shard_is_retried_on_its_own_and_the_others_go_on(here: World) -> None:
    """`retries: 1, maxFailed: 1`: shard 0 fails twice and is given up; the Job scores the rest."""
    shards = {"count": 3, "parallelism": 3, "retries": 1, "maxFailed": 1}
    job = here.submit(batch("scores", A100, 1, shards=shards))
    here.started(job, 3)
    for attempt in range(2):
        (bad,) = here.until(lambda: of(here, job, 0), "shard 0 runs")
        assert bad["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] == str(
            attempt
        )
        kubelet.fail(here.client, bad)
    here.until(lambda: here.get(job)["status"].get("failedIndexes") == "0", "shard 0 is given up")
    assert len(here.places(job)) == 2
    for pod in here.pods(job, "Running"):
        kubelet.succeed(here.client, pod)
    failed = here.until(lambda: here.condition(job, "Failed"), "the Job has ended")
    assert failed["reason"] == "FailedIndexes"
    assert here.get(job)["status"]["completedIndexes"] == "1,2"


def test_more_bad_shards_than_may_be_stop_the_rest(here: World) -> None:
    """`maxFailed: 0`, as it is unless it is said: one shard that is given up ends the others."""
    job = here.submit(batch("scores", A100, 1, shards={"count": 3, "retries": 0}))
    here.started(job, 3)
    (bad,) = of(here, job, 1)
    kubelet.fail(here.client, bad)
    failed = here.until(lambda: here.condition(job, "Failed"), "the Job has failed")
    assert failed["reason"] == "MaxFailedIndexesExceeded"
    here.until(lambda: not here.pods(job, "Running"), "the others are ended")


def test_a_command_that_cannot_run_fails_all_shards_at_once(here: World) -> None:
    """Exit code 127 of one: no retry, though each shard has two."""
    job = here.submit(batch("scores", A100, 1, shards={"count": 3, "maxFailed": 2}))
    here.started(job, 3)
    kubelet.fail(here.client, here.pods(job)[0], 127)
    failed = here.until(lambda: here.condition(job, "Failed"), "the Job has failed")
    assert failed["reason"] == "PodFailurePolicy"


def test_a_disruption_counts_for_no_shard(here: World) -> None:
    """With no retry at all, a shard whose node was taken away is scored again."""
    job = here.submit(batch("scores", A100, 1, shards={"count": 2, "retries": 0}))
    here.started(job, 2)
    (gone,) = of(here, job, 0)
    kubelet.fail(here.client, gone, 143, disrupted=True)
    (again,) = here.until(lambda: of(here, job, 0), "shard 0 runs again")
    assert again["metadata"]["uid"] != gone["metadata"]["uid"]
    here.started(job, 2)
    here.finish(job)


def of(here: World, job: Ref, shard: int) -> list[Object]:
    """The pod that runs for a shard."""
    return [pod for pod in here.pods(job, "Running") if index(pod) == shard]


def index(pod: Object) -> int:
    return int(pod["metadata"]["annotations"][INDEX])
