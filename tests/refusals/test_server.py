"""The judge says what a real API server does, of clean objects and of mutants.

The server looks things up that the judge does not have: what it refuses for a cluster's sake is not
compared (`of_the_cluster`), and what its plugins look for is made first.
"""

import json
import os
from collections.abc import Iterator
from urllib.parse import quote

import pytest
import yaml

from tests.control_plane import binaries
from tests.control_plane.client import Client, Ref, Refused
from tests.control_plane.cluster import ControlPlane
from tests.refusals.conftest import Judge
from tests.refusals.contest.bases import full, rendered
from tests.refusals.contest.mutants import mutant
from tests.refusals.judge import MINORS, NEWEST, Minor, Verdict

pytestmark = pytest.mark.control_plane

MUTANTS = 2500
STRICT = {"fieldValidation": "Strict", "dryRun": "All"}
MOST_WARNED = 4096
"""Characters of warnings that fit into a response: of more, the server says a part."""
UNNAMED = "must not be specified when serviceAccountName is not set"
"""What is not said to a server: a plugin of admission has named the account before."""
THERE = """
{apiVersion: v1, kind: Namespace, metadata: {name: research, labels: {resource.kubernetes.io/admin-access: "true"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: serving}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: bookstore-ml}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: trainer, namespace: research}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: research}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: default}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 0}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
overhead: {podFixed: {cpu: 100m, memory: 64Mi}}
"""


class Server:
    """A real API server of a minor."""

    def __init__(self, minor: Minor, client: Client) -> None:
        self.minor = minor
        self._client = client

    def answer(self, text: str) -> Refused | tuple[str, ...]:
        """What it says to a create of a text in JSON: its warnings, or what it refuses."""
        value = json.loads(text)
        meta = value.get("metadata")
        space = meta.get("namespace") if isinstance(meta, dict) else None
        space = quote(space, safe="") if isinstance(space, str) and space else "default"
        ref = Ref(value["apiVersion"], value["kind"], "", space)
        try:
            path = self._client.path(ref, named=False)
            return self._client.request("POST", path, text, "application/json", STRICT).warnings
        except Refused as refused:
            return refused


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """The server of `GPUSPEC_MINOR`, with what its plugins look for."""
    asked = os.environ.get("GPUSPEC_MINOR") or NEWEST
    minors = [one for one in MINORS if one == asked]
    assert minors, f"GPUSPEC_MINOR is {asked}, and there are judges of {', '.join(MINORS)}"
    (minor,) = minors
    try:
        plane = ControlPlane(minor)
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    with plane as running:
        client = running.client()
        for value in yaml.safe_load_all(THERE):
            try:
                client.create(value)
            except Refused as refused:
                assert refused.reason == "AlreadyExists", refused
        yield Server(minor, client)


def of_the_cluster(verdict: Verdict, said: Refused | tuple[str, ...]) -> bool:
    """Whether it is refused for what the cluster has, or by a plugin of admission."""
    known = not any(one.type == "NotServed" for one in verdict.errors)
    return isinstance(said, Refused) and known and said.code in (403, 404, 409)


def differences(verdict: Verdict, said: Refused | tuple[str, ...]) -> list[str]:
    """In what the judge and the server differ."""
    ours = {
        (one.type, one.field, one.message)
        for one in verdict.errors
        if not one.message.endswith(UNNAMED)
    }
    if not isinstance(said, Refused):
        if ours:
            return [f"only the judge refuses: {one}" for one in sorted(ours)]
        if {*verdict.warnings} == {*said} or sum(map(len, verdict.warnings)) > MOST_WARNED:
            return []
        return [f"one warns: {one}" for one in sorted({*verdict.warnings} ^ {*said})]
    if any(one.type == "NotServed" for one in verdict.errors) and said.code == 404:
        return []
    if said.causes:
        theirs = {(c["reason"], c.get("field", ""), c["message"]) for c in said.causes}
        return [f"one says: {one}" for one in sorted(theirs ^ ours)]
    if not ours or not all(message in said.message for _, _, message in ours):
        return [f"the server says: {said.message}; the judge: {sorted(ours)}"]
    return []


def compare(judge: Judge, server: Server, texts: list[str]) -> tuple[list[str], int]:
    """What differs, and how many were compared."""
    found, compared = [], 0
    for text, verdict in zip(texts, judge(texts, server.minor), strict=True):
        said = server.answer(text)
        if not of_the_cluster(verdict, said):
            compared += 1
            found += [f"{one}\n{text}" for one in differences(verdict, said)]
    return found, compared


def test_of_clean_objects(judge: Judge, server: Server) -> None:
    found, compared = compare(
        judge, server, [json.dumps(one.value) for one in (*full(), *rendered())]
    )
    assert found == []
    assert compared > 100


def test_of_mutants(judge: Judge, server: Server) -> None:
    found, compared = compare(judge, server, [mutant(0, n).text for n in range(MUTANTS)])
    assert found == []
    assert compared > MUTANTS * 0.9
