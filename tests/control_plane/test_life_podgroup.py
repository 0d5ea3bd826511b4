"""Workers in a PodGroup of Kubernetes: its own scheduler starts all of them, or none."""

from __future__ import annotations

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import POD_GROUPS, Worlds
from tests.control_plane.specs import H100, pool, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
NEWEST = {"kubernetes": "1.37", "installed": {"generic-workload": "1.37"}}


@pytest.fixture
def here(grouping_world: Worlds) -> World:
    """Three nodes of eight GPUs, and no queue."""
    return grouping_world(pool("h100", H100, nodes=3), **NEWEST)


def gang(name: str, workers: int) -> Object:
    return training(name, workers=workers, command=["python", "-m", "train"])


def test_workers_start_all_together_or_not_at_all(here: World) -> None:
    """One node of three is taken: none of three workers gets one of the two, until all can start."""
    first = here.submit(training("first"))
    here.started(first)
    job = here.submit(gang("gang", 3))
    here.until(lambda: len(here.pods(job)) == 3, "its pods are made")
    groups = {pod["spec"]["schedulingGroup"]["podGroupName"] for pod in here.pods(job)}
    assert groups == {job.name}
    # What comes later and fits is placed meanwhile: the scheduler has looked at the gang by then.
    later = here.submit(training("later"))
    here.started(later)
    assert not any(pod["spec"].get("nodeName") for pod in here.pods(job))
    for each in (first, later):
        here.finish(each)
    assert here.started(job, 3) == ["h100-0", "h100-1", "h100-2"]
    here.finish(job)


def test_a_pod_group_is_stored_as_it_is_rendered(here: World) -> None:
    job = here.submit(gang("gang", 2))
    group = here.get(Ref(POD_GROUPS, "PodGroup", job.name, here.namespace))
    assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 2}}
    here.started(job, 2)


def test_a_single_worker_is_in_no_group(here: World) -> None:
    job = here.submit(training("one"))
    here.started(job)
    (pod,) = here.pods(job)
    assert "schedulingGroup" not in pod["spec"]
