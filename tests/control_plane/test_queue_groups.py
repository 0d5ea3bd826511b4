"""Groups of pods that other operators carry, in a queue: all of a group are admitted, or none."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, spanning, training
from tests.control_plane.stories import GPU, World

pytestmark = pytest.mark.control_plane
GROUP = "leaderworkerset.sigs.k8s.io/group-index"
TARGETS = {"gang": "jobset", "service": "lws"}


def test_a_jobset_waits_and_starts_whole(world: Worlds) -> None:
    """C-36: not one pod of it exists while two of its three nodes are free; then all start."""
    here = world(
        pool("h100", H100, nodes=3), queues=[queue("research", {"h100": 24})], targets=TARGETS
    )
    first = here.submit(training("first", queue="research"))
    here.started(first)
    gang = here.submit(training("gang", workers=3, queue="research"))
    assert f"{GPU} in flavor h100, 8 more needed" in here.held(gang)
    here.finish(first)
    assert here.started(gang, 3) == ["h100-0", "h100-1", "h100-2"]
    here.finish(gang)


def test_a_jobset_gives_way_whole_and_spends_no_restart(world: Worlds) -> None:
    """It ends with all its pods before the other starts, and comes back without a restart counted."""
    here = world(
        pool("h100", H100, nodes=2),
        queues=[queue("research", {"h100": 16})],
        targets=TARGETS,
        priorities={"queued": {"urgent": 20000, "preemptible": 1000}},
    )
    gang = here.submit(
        training("gang", workers=2, priority="preemptible", retries={"limit": 0}, queue="research")
    )
    here.started(gang, 2)
    urgent = here.submit(training("urgent", priority="urgent", queue="research"))
    here.started(urgent)
    assert here.waits(gang)
    here.finish(urgent)
    here.started(gang, 2)
    assert not here.get(gang)["status"].get("restarts")
    here.finish(gang)


def test_a_jobset_lies_in_the_rack_that_it_requires(world: Worlds) -> None:
    """Two racks of two nodes: each of two JobSets has a rack of its own."""
    rack, host = "example.com/rack", "kubernetes.io/hostname"
    here = world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        targets=TARGETS,
        topology={"levels": [{"name": "rack", "label": rack}, {"name": "host", "label": host}]},
    )
    near = {"level": "rack", "required": True}
    found = []
    for name in ("one", "two"):
        gang = here.submit(training(name, workers=2, topology=near, queue="research"))
        nodes = [here.get(Ref("v1", "Node", each)) for each in here.started(gang, 2)]
        found.append({each["metadata"]["labels"][rack] for each in nodes})
    assert [len(each) for each in found] == [1, 1]
    assert found[0].isdisjoint(found[1])


def test_a_group_of_servers_is_admitted_whole(world: Worlds) -> None:
    """Two groups of two, and room for three pods: one group runs, and of the other no pod starts."""
    here = world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        targets=TARGETS,
        bandwidth={"default": "1Gi"},
    )
    before = here.submit(training("before", queue="research"))
    here.started(before)
    servers = here.submit(spanning("chat", replicas=2, queue="research"))
    here.started(servers, 2)
    assert sorted(groups(here, servers).values()) == [2]
    waiting = here.pods(servers, "Pending")
    gates = [gate["name"] for pod in waiting for gate in pod["spec"]["schedulingGates"]]
    assert gates.count("kueue.x-k8s.io/admission") == len(waiting)
    here.finish(before)
    here.started(servers, 4)
    assert groups(here, servers) == {"0": 2, "1": 2}


def test_a_group_of_servers_that_starts_anew_keeps_its_place_in_the_queue(world: Worlds) -> None:
    """Its quota is used while it is replaced, by a restart and by a rollout: what waits does not pass."""
    here = world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        targets=TARGETS,
        bandwidth={"default": "1Gi"},
    )
    servers = here.submit(spanning("chat", replicas=2, queue="research"))
    here.started(servers, 4)
    other = here.submit(training("other", queue="research"))
    here.held(other)
    old = uids(here, servers)
    worker = next(each for each in here.pods(servers) if each["metadata"]["name"] == "chat-1-1")
    kubelet.restart(here.client, worker)

    def anew(left: int) -> bool:
        return len(here.places(servers)) == 4 and len(uids(here, servers) & old) == left

    here.until(lambda: anew(2), "both pods of one group are new")
    changed = here.render(spanning("chat", replicas=2, env={"NEW": "1"}, queue="research"))
    (new,) = (each["spec"] for each in changed if Ref.of(each) == servers)
    here.client.patch(servers, {"spec": new})
    here.until(lambda: anew(0), "all groups are new")
    assert here.waits(other)


def test_a_group_of_servers_lies_in_the_rack_that_it_requires(world: Worlds) -> None:
    """Two racks of two nodes: each of two groups of two has a rack of its own, its first pod too."""
    rack, host = "example.com/rack", "kubernetes.io/hostname"
    here = world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        targets=TARGETS,
        bandwidth={"default": "1Gi"},
        topology={"levels": [{"name": "rack", "label": rack}, {"name": "host", "label": host}]},
    )
    near = {"level": "rack", "required": True}
    servers = here.submit(spanning("chat", replicas=2, topology=near, queue="research"))
    here.started(servers, 4)
    found: dict[str, set[str]] = {"0": set(), "1": set()}
    for pod in here.pods(servers):
        node = here.get(Ref("v1", "Node", pod["spec"]["nodeName"]))
        found[pod["metadata"]["labels"][GROUP]].add(node["metadata"]["labels"][rack])
    assert [len(racks) for racks in found.values()] == [1, 1]
    assert found["0"].isdisjoint(found["1"])


def groups(here: World, servers: Ref) -> dict[str, int]:
    """How many pods of each group run."""
    running = here.pods(servers, "Running")
    return dict(Counter(str(pod["metadata"]["labels"][GROUP]) for pod in running))


def uids(here: World, ref: Ref) -> set[str]:
    return {pod["metadata"]["uid"] for pod in here.pods(ref)}
