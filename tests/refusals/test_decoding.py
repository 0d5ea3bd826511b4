"""What a server's decoder takes that a schema does not: bytes one by one, blanks, whole numbers with a point."""

import json

import pytest

from gpuspec.manifests import parse_path
from gpuspec.validation import validate
from tests.lint.pages import raised
from tests.refusals.conftest import Judge
from tests.refusals.contest.trees import put
from tests.refusals.test_stories import BASES, REFUSES, errors

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\ndata: {token: VALUE}\n"
VALUES = [("[1, 2]", True), ("[]", True), ("[256]", False), ("[-1]", False), ('["a"]', False)]


@pytest.mark.parametrize(("value", "taken"), VALUES)
def test_bytes_one_by_one(value: str, taken: bool) -> None:
    codes = [one.rule.code for one in raised(SECRET.replace("VALUE", value))]
    assert ("GPU011" not in codes) is taken


@pytest.mark.binaries
def test_a_server_reads_them_so(judge: Judge) -> None:
    base = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "b"}}
    verdicts = judge({**base, "data": {"token": json.loads(value)}} for value, _ in VALUES)
    assert [verdict.accepted for verdict in verdicts] == [taken for _, taken in VALUES]


LEVEL = {
    "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
    "kind": "PriorityLevelConfiguration",
    "metadata": {"name": "a"},
}


@pytest.mark.parametrize(("hand", "taken"), [(8.0, True), (7, True), (80.0, False)])
def test_a_whole_number_with_a_point(hand: float, taken: bool) -> None:
    queuing = {"queues": 64.0, "handSize": hand, "queueLengthLimit": 50}
    limited = {"limitResponse": {"type": "Queue", "queuing": queuing}}
    level = {**LEVEL, "spec": {"type": "Limited", "limited": limited}}
    assert (not validate(level, "1.37")) is taken


def test_blanks_around_a_quantity() -> None:
    at = "spec.devices[0].capacity.memory.requestPolicy.default"
    for value, taken in ((" 10Gi", True), (None, False)):
        found = errors(put(BASES["ResourceSlice/node-1-gpus"], parse_path(at), value))
        assert (not [one for one in found if REFUSES in one[1]]) is taken
