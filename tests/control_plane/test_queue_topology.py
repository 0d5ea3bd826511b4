"""Topology: a gang lies inside one rack, waits until it can, or takes as few racks as there are."""

import pytest

from tests.control_plane.client import Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
RACK = "example.com/rack"
HOST = "kubernetes.io/hostname"
LEVELS = [{"name": "rack", "label": RACK}, {"name": "host", "label": HOST}]


@pytest.fixture
def racks(world: Worlds) -> World:
    """Two racks of two nodes each, eight GPUs a node."""
    return world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        topology={"levels": LEVELS},
    )


def test_a_gang_that_requires_a_rack_waits_until_one_has_room(racks: World) -> None:
    """C-37: two nodes are free, in two racks: enough quota, and not the place that was asked for."""
    singles = fill(racks)
    first, *others = sorted(singles, key=singles.__getitem__)
    apart = next(one for one in others if rack(racks, singles[one]) != rack(racks, singles[first]))
    for job in (first, apart):
        racks.finish(job)
    gang = racks.submit(gang_of_two(required=True))
    assert "topology" in racks.held(gang)
    smaller = racks.submit(training("smaller", gpus=4, queue="research"))
    racks.started(smaller)
    assert racks.waits(gang)
    beside = next(one for one in others if rack(racks, singles[one]) == rack(racks, singles[first]))
    racks.finish(beside)
    racks.finish(smaller)
    places = racks.started(gang, 2)
    assert len({rack(racks, place) for place in places}) == 1


def test_a_gang_that_prefers_a_rack_takes_two_where_none_has_room(racks: World) -> None:
    """C-37: the same two nodes in two racks are taken at once."""
    singles = fill(racks)
    first, *others = sorted(singles, key=singles.__getitem__)
    apart = next(one for one in others if rack(racks, singles[one]) != rack(racks, singles[first]))
    for job in (first, apart):
        racks.finish(job)
    gang = racks.submit(gang_of_two(required=False))
    assert racks.started(gang, 2) == sorted([singles[first], singles[apart]])


@pytest.mark.parametrize("required", [True, False])
def test_a_gang_lies_in_one_rack_where_there_is_room(racks: World, required: bool) -> None:
    """C-37: and the second gang in the other, whatever the scheduler would have preferred."""
    for name in ("one", "two"):
        gang = gang_of_two(required=required, name=name)
        places = racks.started(racks.submit(gang), 2)
        assert len({rack(racks, place) for place in places}) == 1


def test_pods_are_as_rendered_but_for_their_place(racks: World) -> None:
    """Kueue says the place in the pods, and leaves the Job's immutable template alone."""
    spec = gang_of_two(required=True)
    (made,) = (each for each in racks.render(spec) if each["kind"] == "Job")
    gang = racks.submit(spec)
    racks.started(gang, 2)
    template = racks.get(gang)["spec"]["template"]
    kept = template["metadata"]["annotations"]
    assert kept["kueue.x-k8s.io/podset-required-topology"] == RACK
    assert template["spec"]["tolerations"] == made["spec"]["template"]["spec"]["tolerations"]
    for pod in racks.pods(gang):
        assert pod["spec"]["nodeSelector"][HOST] == pod["spec"]["nodeName"]
        assert not pod["spec"].get("schedulingGates")


def fill(here: World) -> dict[Ref, str]:
    """A Job on each node; which is where."""
    jobs = [here.submit(training(f"single-{n}", queue="research")) for n in range(4)]
    return {job: here.started(job)[0] for job in jobs}


def gang_of_two(*, required: bool, name: str = "gang") -> dict[str, object]:
    near = {"level": "rack", "required": required}
    return training(name, queue="research", workers=2, topology=near)


def rack(here: World, node: str) -> str:
    """The rack that a node stands in."""
    return str(here.get(Ref("v1", "Node", node))["metadata"]["labels"][RACK])
