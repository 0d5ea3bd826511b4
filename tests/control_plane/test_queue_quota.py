"""Quotas: what `cluster render` gives a queue is what rendered Jobs can use of it, to the last GPU."""

import pytest

import gpuspec
from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, H100, batch, pool, queue, training
from tests.control_plane.stories import GPU

pytestmark = pytest.mark.control_plane


def test_a_job_waits_for_quota_and_starts_when_it_frees(world: Worlds) -> None:
    """C-37: held while the quota is used, though nodes are free; admitted when the first ends."""
    here = world(pool("h100", H100, nodes=2), queues=[queue("research", {"h100": 8})])
    first = here.submit(training("first", queue="research"))
    here.started(first)
    second = here.submit(training("second", queue="research"))
    assert f"insufficient unused quota for {GPU} in flavor h100, 8 more needed" in here.held(second)
    here.finish(first)
    here.started(second)


def test_a_queue_may_have_dots_in_its_name(world: Worlds) -> None:
    """A LocalQueue is named as any object, and what waits in it by a label."""
    name = "gpu-mi355x-v1.8"
    here = world(pool("h100", H100, nodes=1), queues=[queue(name, {"h100": 8})])
    here.started(here.submit(training("first", queue=name)))


def test_a_queue_gives_all_that_it_has_and_no_more(world: Worlds) -> None:
    """The largest Job that we render is admitted; what we refuse would wait for ever."""
    here = world(pool("h100", H100, nodes=4), queues=[queue("research", {"h100": 24})])
    with pytest.raises(
        gpuspec.Refusal, match=r"= 32, but queue research may use only 24 of pool h100"
    ):
        here.render(training("larger", queue="research", workers=4))
    (larger,) = (
        made
        for made in here.render(training("larger", queue="research", workers=3))
        if made["kind"] == "Job"
    )
    larger["metadata"]["name"] = "larger"
    larger["spec"] |= {"parallelism": 4, "completions": 4}
    here.create([larger])
    assert "maximum capacity (24)" in here.held(Ref.of(larger))
    largest = here.submit(training("largest", queue="research", workers=3))
    here.started(largest, 3)
    assert here.waits(Ref.of(larger))


def test_quota_of_every_resource_follows_from_the_gpus(world: Worlds) -> None:
    """Pods of the shares that we give fill a queue: no CPU, memory or disk runs out before."""
    here = world(pool("a100", A100, nodes=2), queues=[queue("research", {"a100": 16})])
    jobs = [here.submit(training(f"of-{gpus}", A100, gpus, queue="research")) for gpus in (8, 4, 2)]
    jobs.append(here.submit(batch("shards", A100, 1, queue="research", shards={"count": 2})))
    for job, pods in zip(jobs, (1, 1, 1, 2), strict=True):
        here.started(job, pods)
    late = here.submit(training("late", A100, 1, queue="research"))
    assert f"insufficient unused quota for {GPU}" in here.held(late)


def test_a_quota_by_hand_holds_in_place_of_what_follows(world: Worlds) -> None:
    """So many pods and no more, though GPUs are left; the LocalQueue is called as specs say it."""
    part = {"gpus": 8, "quotas": {"pods": 1}}
    queues = [queue("default", {"h100": part}, clusterQueue="research")]
    here = world(pool("h100", H100, nodes=1), queues=queues)
    here.started(here.submit(training("first", gpus=4, queue="default")))
    second = here.submit(training("second", gpus=4, queue="default"))
    assert "insufficient unused quota for pods in flavor h100" in here.held(second)


def test_what_asks_for_more_than_its_share_may_fit_a_node_and_not_the_queue(world: Worlds) -> None:
    """Each resource counts, as `docs/queues.md` says: memory beyond the share of 4 of 8 GPUs."""
    pools = pool("h100", H100, nodes=1)
    here = world(pools, queues=[queue("research", {"h100": 4})])
    greedy = training("greedy", gpus=4, queue="research", resources={"memory": "300Gi"})
    with pytest.raises(gpuspec.Refusal, match=r"memory"):
        here.render(greedy)
    del greedy["spec"]["queue"]
    here.started(here.submit(greedy))
