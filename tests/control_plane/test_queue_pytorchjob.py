"""PyTorchJobs in a queue: all workers are admitted, or none, and placed as near as they ask."""

from __future__ import annotations

import pytest

from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, training

pytestmark = pytest.mark.control_plane
KUBEFLOW = {"installed": {"kueue": "0.19", "training-operator": "1.9"}}


def test_a_pytorchjob_waits_in_its_queue_and_starts_whole(training_world: Worlds) -> None:
    """Not one pod of it exists while two of its three nodes are free; then all start."""
    here = training_world(
        pool("h100", H100, nodes=3),
        queues=[queue("research", {"h100": 24})],
        targets={"gang": "pytorchjob"},
        **KUBEFLOW,
    )
    first = here.submit(training("first", queue="research"))
    here.started(first)
    job = here.submit(training("gang", workers=3, queue="research"))
    assert "nvidia.com/gpu in flavor h100, 8 more needed" in here.held(job)
    here.finish(first)
    assert here.started(job, 3) == ["h100-0", "h100-1", "h100-2"]
    here.finish(job)


def test_a_pytorchjob_gives_way_whole_and_comes_back(training_world: Worlds) -> None:
    """It ends with all its pods before the other starts; no retry is left, and none is spent."""
    here = training_world(
        pool("h100", H100, nodes=2),
        queues=[queue("research", {"h100": 16})],
        targets={"gang": "pytorchjob"},
        priorities={"queued": {"urgent": 20000, "preemptible": 1000}},
        **KUBEFLOW,
    )
    job = here.submit(
        training("gang", workers=2, priority="preemptible", retries={"limit": 0}, queue="research")
    )
    here.started(job, 2)
    urgent = here.submit(training("urgent", priority="urgent", queue="research"))
    here.started(urgent)
    assert here.waits(job)
    here.finish(urgent)
    here.started(job, 2)
    assert not here.condition(job, "Failed")
    here.finish(job)


def test_a_pytorchjob_lies_in_the_rack_that_it_requires(training_world: Worlds) -> None:
    """Two racks of two nodes: each of two PyTorchJobs has a rack of its own."""
    rack, host = "example.com/rack", "kubernetes.io/hostname"
    here = training_world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        targets={"gang": "pytorchjob"},
        topology={"levels": [{"name": "rack", "label": rack}, {"name": "host", "label": host}]},
        **KUBEFLOW,
    )
    near = {"level": "rack", "required": True}
    found = []
    for name in ("one", "two"):
        job = here.submit(training(name, workers=2, topology=near, queue="research"))
        nodes = [here.get(Ref("v1", "Node", each)) for each in here.started(job, 2)]
        found.append({each["metadata"]["labels"][rack] for each in nodes})
    assert [len(each) for each in found] == [1, 1]
    assert found[0].isdisjoint(found[1])
