"""The rules of a CustomResourceDefinition are compiled as a server does when it is created."""

from typing import Any

import pytest
import yaml

from gpuspec.validation import validate
from tests.outside import CRDS

Object = dict[str, Any]


def definition(rule: Object) -> Object:
    spec: Object = {
        "type": "object",
        "x-kubernetes-validations": [rule],
        "properties": {
            "replicas": {"type": "integer"},
            "share": {"type": "number"},
            "at": {"type": "string", "format": "date-time"},
            "port": {"x-kubernetes-int-or-string": True},
            "the-name": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "items": {
                "type": "array",
                "items": {"type": "object", "properties": {"a": {"type": "boolean"}}},
            },
            "free": {"x-kubernetes-preserve-unknown-fields": True},
            "whole": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
            },
        },
    }
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    names = {"kind": "Thing", "plural": "things"}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": schema}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.a.example"},
        "spec": {"group": "a.example", "scope": "Namespaced", "names": names, "versions": versions},
    }


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("self.replicas > 1", None),
        ("self.replicas > 1.5 || self.share > 1", None),
        ("self.at > timestamp('2020-01-01T00:00:00Z')", None),
        ("self.port == 1 || self.port == 'a'", None),
        ("self.the__dash__name.startsWith('a')", None),
        ("self.labels['a'] == 'b' && self.labels.all(k, k != 'c')", None),
        ("self.items.exists(i, i.a)", None),
        ("self.whole.metadata.name == 'a' && self.whole.kind == 'Pod'", None),
        ("self.replicas >= oldSelf.replicas", None),
        ("self.replicas == ", "the expression ends too early"),
        ("self.replica > 1", "there is no field `replica`"),
        ("self.replicas == 'a'", "`==` does not accept an int and a string"),
        ("self.at == '2020-01-01T00:00:00Z'", "`==` does not accept a timestamp and a string"),
        ("self.free.a == 1", "there is no field `free`"),
        ("self.items.exists(i, i.b)", "there is no field `b`"),
        ("self.whole.spec.a == 1", "there is no field `spec`"),
        ("object.replicas > 1", "there is no variable `object`"),
        ("self.replicas", "returns an int, not a bool"),
        ("self.port", "returns a dyn, not a bool"),
    ],
)
def test_a_rule_compiles_or_is_refused(rule: str, said: str | None) -> None:
    found = validate(definition({"rule": rule, "message": "a"}), "1.37")
    if said is None:
        assert found == ()
        return
    (one,) = found
    assert one.reason == "refused"
    assert said in one.message
    assert one.path[-3:] == ("x-kubernetes-validations", 0, "rule")


def test_the_message_of_a_rule_is_a_text() -> None:
    rule = {"rule": "true", "messageExpression": "self.replicas"}
    (one,) = validate(definition(rule), "1.37")
    assert one.path[-1] == "messageExpression"
    assert one.message == "the expression returns an int, not a string"


def test_what_was_there_before_may_be_optional() -> None:
    rule = {"rule": "oldSelf.hasValue() || self.replicas > 1", "optionalOldSelf": True}
    assert validate(definition(rule), "1.37") == ()


@pytest.mark.outside(CRDS)
def test_every_rule_of_the_projects_compiles() -> None:
    files = sorted(CRDS.glob("*/*.yaml"))
    assert len(files) > 50
    for file in files:
        found = validate(yaml.load(file.read_bytes(), yaml.CSafeLoader), "1.37")
        assert [one for one in found if one.reason == "refused"] == [], file.name
