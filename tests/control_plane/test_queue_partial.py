"""A smaller start: `shards.minParallelism` lets the queue begin a batch with fewer shards at a time."""

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Refused
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, batch, pool, queue
from tests.control_plane.stories import GPU, World

pytestmark = pytest.mark.control_plane


@pytest.fixture
def here(world: Worlds) -> World:
    """One node of eight GPUs, all of them a queue's."""
    return world(pool("a100", A100, nodes=1), queues=[queue("research", {"a100": 8})])


def test_a_batch_starts_with_as_many_shards_as_there_is_room_for(here: World) -> None:
    """C-37: of eight at a time five start, since three GPUs are used; all eight shards are scored."""
    other = here.submit(batch("other", A100, 1, queue="research", shards={"count": 3}))
    here.started(other, 3)
    shards = {"count": 8, "parallelism": 8, "minParallelism": 2}
    job = here.submit(batch("scores", A100, 1, queue="research", shards=shards))
    here.started(job, 5)
    assert here.get(job)["spec"]["parallelism"] == 5
    for pod in here.pods(job, "Running"):
        kubelet.succeed(here.client, pod)
    here.started(job, 3)
    here.finish(job)
    assert here.get(job)["status"]["completedIndexes"] == "0-7"


def test_fewer_than_the_least_do_not_start(here: World) -> None:
    """C-37: room for one, and two are the least; without `minParallelism` all wait for all."""
    other = here.submit(batch("other", A100, 1, queue="research", shards={"count": 7}))
    here.started(other, 7)
    shards = {"count": 8, "parallelism": 8, "minParallelism": 2}
    least = here.submit(batch("least", A100, 1, queue="research", shards=shards))
    whole = here.submit(batch("whole", A100, 1, queue="research", shards={"count": 8}))
    assert f"insufficient unused quota for {GPU}" in here.held(least)
    here.held(whole)
    for pod in here.pods(other)[:1]:
        kubelet.succeed(here.client, pod)
    here.started(least, 2)
    assert here.waits(whole)


def test_what_the_queue_made_smaller_cannot_be_made_larger_again(here: World) -> None:
    """What `docs/queues.md` says of hosts that sync the Job: the field is Kueue's while it runs."""
    other = here.submit(batch("other", A100, 1, queue="research", shards={"count": 4}))
    here.started(other, 4)
    shards = {"count": 8, "parallelism": 8, "minParallelism": 2}
    job = here.submit(batch("scores", A100, 1, queue="research", shards=shards))
    here.started(job, 4)
    with pytest.raises(Refused, match="parallelism"):
        here.client.patch(job, {"spec": {"parallelism": 8}})
    assert len(here.places(job)) == 4
