"""Gangs: workers start together or not at all (C-36)."""

import pytest

from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, L4, pool, queue, training
from tests.control_plane.stories import GPU

pytestmark = pytest.mark.control_plane


def test_a_gang_that_does_not_fit_starts_nothing_and_later_starts_whole(world: Worlds) -> None:
    """C-36: not one pod of it exists while two of its three nodes are free; others may pass it."""
    here = world(pool("h100", H100, nodes=3), queues=[queue("research", {"h100": 24})])
    first = here.submit(training("first", queue="research"))
    here.started(first)
    gang = here.submit(training("gang", queue="research", workers=3))
    assert f"{GPU} in flavor h100, 8 more needed" in here.held(gang)
    small = here.submit(training("small", queue="research", gpus=4))
    here.started(small)
    assert here.waits(gang)
    here.finish(first)
    here.finish(small)
    assert here.started(gang, 3) == ["h100-0", "h100-1", "h100-2"]


def test_in_a_strict_queue_nothing_passes_a_gang(world: Worlds) -> None:
    """C-36: `order: strict`; meanwhile another queue admits, so the controller is at work."""
    queues = [
        queue("research", {"h100": 16}, order="strict"),
        queue("other", {"l4": 4}, order="strict"),
    ]
    here = world(pool("h100", H100, nodes=2), pool("l4", L4, nodes=1, gpus=4), queues=queues)
    first = here.submit(training("first", queue="research"))
    here.started(first)
    gang = here.submit(training("gang", queue="research", workers=2))
    here.held(gang)
    here.a_second_after(Ref.of(here.workload(gang)))
    small = here.submit(training("small", queue="research", gpus=4))
    here.workload(small)
    here.started(here.submit(training("elsewhere", L4, 4, queue="other")))
    assert here.waits(small)
    here.finish(first)
    here.started(gang, 2)
    assert here.waits(small)
    here.finish(gang)
    here.started(small)


def test_without_a_queue_two_gangs_hold_half_of_the_nodes_each(world: Worlds) -> None:
    """C-36: what the note of `render`, and GPU701, warn of. Neither gang is whole, neither gives way."""
    here = world(pool("h100", H100, nodes=3))
    gangs = [here.submit(training(name, workers=2)) for name in ("one", "two")]

    def stuck() -> bool:
        running = sum(len(here.places(gang)) for gang in gangs)
        waiting = [pod for gang in gangs for pod in here.pods(gang, "Pending")]
        said = [each for pod in waiting for each in pod["status"].get("conditions", ())]
        return running == 3 and [each.get("reason") for each in said] == ["Unschedulable"]

    here.until(stuck, "three of the four workers run, and the last finds no node")
    assert sorted(len(here.places(gang)) for gang in gangs) == [1, 2]


def test_workers_know_their_rank_and_where_the_first_is(world: Worlds) -> None:
    """The address that each is told is that of the pod of index 0, under the Job's Service."""
    here = world(pool("h100", H100, nodes=2), queues=[queue("research", {"h100": 16})])
    gang = here.submit(training("gang", queue="research", workers=2))
    here.started(gang, 2)
    pods = here.pods(gang)
    hosts = [f"{pod['spec']['hostname']}.{pod['spec']['subdomain']}" for pod in pods]
    ranks = [pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] for pod in pods]
    told = [
        {each["name"]: each.get("value") for each in pod["spec"]["containers"][0]["env"]}
        for pod in pods
    ]
    assert ranks == ["0", "1"]
    assert [each["MASTER_ADDR"] for each in told] == [hosts[0]] * 2
    service = here.get(gang._replace(api_version="v1", kind="Service"))
    assert service["metadata"]["name"] == pods[0]["spec"]["subdomain"]
    labels = pods[0]["metadata"]["labels"].items()
    assert service["spec"]["selector"].items() <= labels
