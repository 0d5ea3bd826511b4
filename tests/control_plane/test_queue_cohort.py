"""Cohorts: queues lend each other what they do not use, within `borrow` and `lend`."""

from functools import partial

import pytest

import gpuspec
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue, training

pytestmark = pytest.mark.control_plane
NODES = pool("h100", H100, nodes=3)


def test_a_queue_borrows_what_another_does_not_use(world: Worlds) -> None:
    """C-37: a gang larger than its queue's own quota."""
    here = world(NODES, queues=[cohort("research", 8), cohort("others", 16)])
    gang = here.submit(training("gang", queue="research", workers=3))
    here.started(gang, 3)


def test_what_was_lent_is_taken_back(world: Worlds) -> None:
    """C-37: the owner's Job starts, whatever the priorities, and the borrower waits."""
    here = world(NODES, queues=[cohort("research", 8), cohort("others", 16)])
    gang = here.submit(training("gang", queue="research", workers=3))
    here.started(gang, 3)
    owner = here.submit(training("owner", queue="others", workers=2))
    here.started(owner, 2)
    here.until(partial(here.waits, gang), "the borrower waits")
    here.started(here.submit(training("own", queue="research")))
    assert here.waits(gang)


@pytest.mark.parametrize("limits", [{"borrow": 8}, {"lend": 8}])
def test_limits_hold_to_the_gpu(world: Worlds, limits: dict[str, int]) -> None:
    """C-37: `borrow` of the one or `lend` of the other; two nodes are admitted, three refused here."""
    mine, others = ({"gpus": 8}, {"gpus": 16})
    (mine if "borrow" in limits else others).update(limits)
    queues = [cohort("research", mine), cohort("others", others)]
    here = world(NODES, queues=queues)
    with pytest.raises(gpuspec.Refusal, match=r"may use only 16 \(8 its own, 8 borrowed\)"):
        here.render(training("gang", queue="research", workers=3))
    here.started(here.submit(training("gang", queue="research", workers=2)), 2)
    more = here.submit(training("more", queue="research"))
    said = here.held(more)
    assert "in flavor h100" in said
    here.started(here.submit(training("owner", queue="others")))
    assert here.waits(more)


def test_a_tree_lends_to_the_gpu_that_is_counted_here(world: Worlds) -> None:
    """Of the cohort above eight may be borrowed; a gang of one more node is refused here."""
    above = [
        {"name": "gpu", "parent": "all", "pools": [{"pool": "h100", "gpus": 0, "borrow": 8}]},
        {"name": "all", "pools": [{"pool": "h100", "gpus": 16}]},
    ]
    here = world(NODES, queues=[cohort("research", 8)], cohorts=above)
    with pytest.raises(gpuspec.Refusal, match=r"may use only 16 \(8 its own, 8 borrowed\)"):
        here.render(training("gang", queue="research", workers=3))
    here.started(here.submit(training("gang", queue="research", workers=2)), 2)
    more = here.submit(training("more", queue="research"))
    assert "in flavor h100" in here.held(more)


def cohort(name: str, h100: int | dict[str, int]) -> dict[str, object]:
    return queue(name, {"h100": h100}, cohort="gpu")
