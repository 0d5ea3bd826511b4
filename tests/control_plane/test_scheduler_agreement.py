"""Our filters say of pods what kube-scheduler says: whether they fit, and why not, in its words.

A dozen random fleets, with each kind of filter as the one that decides, both ways, and some with
devices that pods claim. Many more are asked about by `make agreement`, of which the page of results
is made.
"""

import json
import os
from collections.abc import Iterator

import pytest

from tests.control_plane import agreement, binaries, claims_agreement, kinds
from tests.control_plane.agreement import Tally
from tests.control_plane.cluster import ControlPlane

pytestmark = pytest.mark.control_plane

MINOR = os.environ.get("GPUSPEC_MINOR") or binaries.NEWEST
FLEETS, SEED, DEVICE_FLEETS = 12, 7, 4
FAILS = "selectors that fail"


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


@pytest.fixture(scope="module")
def claims() -> Iterator[claims_agreement.Tally]:
    """What came out of pods with claims, on a control plane of their own."""
    try:
        plane = ControlPlane(MINOR)
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    with plane:
        yield claims_agreement.run(plane.client(), MINOR, SEED, DEVICE_FLEETS)


def test_of_claims_all_is_said_as_the_scheduler_says_it(claims: claims_agreement.Tally) -> None:
    assert not claims.faults, json.dumps(claims.faults[:3], indent=1)


def test_each_kind_of_claim_has_decided_both_ways(claims: claims_agreement.Tally) -> None:
    for kind in claims_agreement.kinds(MINOR):
        assert claims.fits[kind] > 1, kind
        # Where the oldest version leaves it to chance nothing is asked.
        assert claims.kept[kind] > 1 or (kind, MINOR) == (FAILS, binaries.OLDEST), kind
