"""The judge does to a create what the request handler does: decodes, fills in, refuses, warns."""

import json

import pytest

from gpuspec.manifests import Path
from tests.refusals import judge as wrapper
from tests.refusals.conftest import Judge
from tests.refusals.judge import MINORS, Minor, Object

pytestmark = pytest.mark.binaries


def pod(**spec: object) -> Object:
    container = {"name": "main", "image": "registry.example.com/train:1"}
    meta = {"name": "train"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": {"containers": [container], **spec},
    }


BAD: dict[str, tuple[Object | str, str, Path]] = {
    "a field that is not known": (
        pod(priorityclass="x"),
        "UnknownField",
        ("spec", "priorityclass"),
    ),
    "a key twice": (
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a.b":"","a.b":""}}',
        "DuplicateField",
        ("data", "a.b"),
    ),
    "another type": (pod(nodeName=3), "Undecodable", ("spec", "nodeName")),
    "a value": (
        pod(restartPolicy="Sometimes"),
        "FieldValueNotSupported",
        ("spec", "restartPolicy"),
    ),
    "metadata": (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A_b"}},
        "FieldValueInvalid",
        ("metadata", "name"),
    ),
    "no kind of this version": (
        {"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": {"name": "a"}},
        "NotServed",
        ("apiVersion",),
    ),
    "no object": ("[]", "Undecodable", ()),
}


@pytest.mark.parametrize("minor", MINORS)
def test_what_is_good_is_accepted(judge: Judge, minor: Minor) -> None:
    generated = pod()
    generated["metadata"] = {"generateName": "train-", "creationTimestamp": None}
    generated["status"] = {"phase": "Running"}  # taken, and dropped
    (plain, named) = judge([pod(), generated], minor)
    assert plain.accepted, plain
    assert named.accepted, named


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("case", BAD)
def test_what_is_bad_is_refused(judge: Judge, minor: Minor, case: str) -> None:
    value, kind, path = BAD[case]
    (verdict,) = judge([value], minor)
    assert [(said.type, said.path) for said in verdict.errors] == [(kind, path)]


def test_everything_wrong_is_said_at_once_and_in_order(judge: Judge) -> None:
    bad = pod(restartPolicy="Sometimes", dnsPolicy="None")
    good = pod()
    verdicts = judge([good, bad, json.dumps(good)])
    assert [len(verdict.errors) for verdict in verdicts] == [0, 2, 0]
    assert verdicts[1].errors[1].message.startswith("Required value: must provide")
    assert verdicts[1].errors[1].detail.startswith("must provide")


def test_the_server_warns(judge: Judge) -> None:
    old = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "a"}}
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    twice = pod(containers=[{"name": "main", "image": "a", "env": env}])
    (deprecated, hidden) = judge([old, twice])
    assert "Endpoints is deprecated" in deprecated.warnings[0]
    assert "hides previous definition" in hidden.warnings[0]


def test_the_minors_serve_what_they_serve(judge: Judge) -> None:
    served = {
        minor: {(one.api_version, one.kind) for one in wrapper.kinds(minor)} for minor in MINORS
    }
    rule = ("resource.k8s.io/v1", "DeviceTaintRule")
    assert rule in served["1.37"]
    assert rule not in served["1.35"]
    assert served["1.35"] < served["1.37"]
    scopes = {one.kind: one.namespaced for one in wrapper.kinds()}
    assert (scopes["Pod"], scopes["Node"]) == (True, False)
