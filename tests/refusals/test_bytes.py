"""A server's decoder takes bytes one by one where its schema has text in base64."""

import json

import pytest

from tests.lint.pages import raised
from tests.refusals.conftest import Judge

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
