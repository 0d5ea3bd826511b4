"""Our filters say of pods what kube-scheduler says: whether they fit, and why not, in its words.

A dozen random fleets, with each kind of filter as the one that decides, both ways. Many more are
asked about by `make agreement`, of which the page of results is made.
"""

import json
import os
from collections.abc import Iterator

import pytest

from tests.control_plane import agreement, binaries, kinds
from tests.control_plane.agreement import Tally
from tests.control_plane.cluster import ControlPlane

pytestmark = pytest.mark.control_plane

MINOR = os.environ.get("GPUSPEC_MINOR") or binaries.NEWEST
FLEETS, SEED = 12, 7


@pytest.fixture(scope="module")
def tally() -> Iterator[Tally]:
    """What came out, on a control plane that nobody else puts nodes into."""
    try:
        plane = ControlPlane(MINOR)
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    with plane:
        yield agreement.run(plane.client(), MINOR, SEED, FLEETS)


def test_all_is_said_as_the_scheduler_says_it(tally: Tally) -> None:
    assert not tally.faults, json.dumps(tally.faults[:3], indent=1)


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_each_kind_has_decided_both_ways(tally: Tally, kind: str) -> None:
    assert tally.fits[kind] > 2
    assert tally.kept[kind] > 2


def test_preemption_was_asked_about_and_helped(tally: Tally) -> None:
    assert tally.words["words of preemption, the same"] > 100
    assert tally.words["victims, the same"] > 2
