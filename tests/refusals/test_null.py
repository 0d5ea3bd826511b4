"""A quantity that is null is 0 to a server, where the name of it stands."""

import pytest

from gpuspec.manifests import parse_path
from tests.refusals.conftest import Judge
from tests.refusals.contest.trees import put
from tests.refusals.test_stories import BASES, REFUSES, errors

NULLS = [
    ("Pod/full", "spec.containers[0].resources.limits.cpu", "spec.containers[0].resources.requests"),
    ("Pod/full", 'spec.containers[0].resources.requests["hugepages-2Mi"]', "spec.containers[0].resources.requests"),
    ("LimitRange/limits", "spec.limits[0].max.memory", "spec.limits[0].min.memory"),
    ("LimitRange/limits", "spec.limits[0].maxLimitRequestRatio.cpu", "spec.limits[0].maxLimitRequestRatio.cpu"),
    ("PersistentVolume/share", "spec.capacity.storage", "spec.capacity.storage"),
    ("PersistentVolumeClaim/copy", "spec.resources.requests.storage", "spec.resources.requests.storage"),
    ("ResourceSlice/node-1-gpus", "spec.devices[0].capacity.memory.value", "spec.devices[0].capacity.memory.requestPolicy.validRange.max"),
]  # fmt: skip


@pytest.mark.parametrize(("of", "null", "at"), NULLS)
def test_null_is_too_little(of: str, null: str, at: str) -> None:
    found = errors(put(BASES[of], parse_path(null), None))
    assert [path for path, message in found if REFUSES in message and path == at], found


def test_null_asks_for_nothing() -> None:
    asked = "spec.containers[0].resources.requests.cpu"
    found = errors(put(BASES["Pod/full"], parse_path(asked), None))
    assert not [one for one in found if REFUSES in one[1]]


@pytest.mark.binaries
def test_a_server_says_so_of_null_too(judge: Judge) -> None:
    verdicts = judge(put(BASES[of], parse_path(null), None) for of, null, _ in NULLS)
    assert not any(verdict.accepted for verdict in verdicts)
