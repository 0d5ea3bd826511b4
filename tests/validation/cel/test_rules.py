"""Custom objects are held to the rules of their definitions as a server holds them at a create."""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

import gpuspec
from gpuspec.validation import SchemaViolation, validate
from gpuspec.validation.cel import rules
from gpuspec.validation.custom import CustomBundle

Object = dict[str, Any]
KIND = ("a.example/v1", "Thing")


def broken(
    api_version: str, kind: str, spec: Object, **metadata: Any
) -> tuple[SchemaViolation, ...]:
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", **metadata}}
    return validate({**value, "spec": spec}, "1.37")


def route(*rules: Object) -> tuple[SchemaViolation, ...]:
    spec = {"parentRefs": [{"name": "gateway"}], "rules": list(rules)}
    return broken("gateway.networking.k8s.io/v1", "HTTPRoute", spec)


def test_the_message_of_the_definition_is_shown_at_the_field() -> None:
    (found,) = route({"matches": [{"path": {"type": "Exact", "value": "/a//b"}}]})
    assert found.path == ("spec", "rules", 0, "matches", 0, "path")
    assert found.message.startswith("must not contain '//'")
    assert found.reason == "refused"


def test_defaults_are_there_before_rules_are_asked() -> None:
    assert route({"backendRefs": [{"name": "a", "port": 80}]}) == ()
    (found,) = route({"backendRefs": [{"name": "a"}]})  # of the group "" and the kind Service
    assert found.message == "Must have port for Service reference"
    (found,) = route({"matches": [{"path": {"value": "a"}}]})  # of the type PathPrefix
    assert found.path[-1] == "path"


def test_two_rules_of_a_route_have_two_names() -> None:
    retried = {"name": "chat", "retry": {"attempts": 2, "codes": [503]}}
    assert route(retried, {"name": "models"}, {}, {}) == ()
    (found,) = route(retried, {"name": "chat"})
    assert found.path == ("spec", "rules")
    assert found.message == "Rule name must be unique within the route"


def test_null_is_as_good_as_no_field() -> None:
    assert [one.message for one in route({"backendRefs": [{"name": "a", "port": None}]})] == [
        "Must have port for Service reference"
    ]


def test_rules_are_not_asked_where_the_schema_is_not_kept() -> None:
    said = route({"backendRefs": [{"name": "a", "porty": 80}]})
    assert [one.reason for one in said] == ["unknown-field"]
    said = route({"backendRefs": [{"name": "a"}], "matches": [{"path": {"value": "a" * 1025}}]})
    assert [one.reason for one in said] == ["wrong-value"]


def test_rules_are_asked_beside_what_is_out_of_range() -> None:
    said = route({"backendRefs": [{"name": "a", "weight": -1}]})
    assert sorted(one.reason for one in said) == ["refused", "wrong-value"]


def test_a_rule_about_what_was_there_before_is_not_asked() -> None:
    spec = {"numNodes": 1, "channel": {"resourceClaimTemplate": {"name": "a"}}}
    assert broken("resource.nvidia.com/v1beta1", "ComputeDomain", spec) == ()


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"name": "a1"}, False),
        ({"name": "1a"}, True),
        ({"name": None, "generateName": "a-"}, False),
        ({"name": None, "generateName": "1-"}, True),
    ],
)
def test_a_name_is_made_before_rules_are_asked(metadata: Object, said: bool) -> None:
    found = broken(
        "trainer.kubeflow.org/v1alpha1", "TrainJob", {"runtimeRef": {"name": "a"}}, **metadata
    )
    assert bool(found) is said
    assert all(one.path == () for one in found)


def test_the_linter_says_it_of_the_object_and_with_the_rule() -> None:
    text = json.dumps(
        {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": "GPUCluster",
            "metadata": {"name": "gpus"},
            "spec": {"draDriver": {}},
        }
    )
    (found,) = gpuspec.lint_text(text, "object.json", severity="error").findings
    assert found.rule == "GPU017"
    assert found.message == (
        "the object: GPUCluster is a singleton, metadata.name must be 'gpu-cluster', "
        "so the API server rejects the object"
    )
    assert (
        found.note
        == "change the values so that this rule of the CustomResourceDefinition is true: `self.metadata.name == 'gpu-cluster'`"
    )


# What no definition that is bundled has: definitions of the test's own.

Made = Callable[[Object], CustomBundle]


@pytest.fixture
def definition() -> Made:
    """A function: the bundle of a definition with some fields in `spec`."""
    from tests.validation.test_crds import SCHEMAS

    sys.path.insert(0, str(SCHEMAS))
    try:
        from compacting import Compactor, as_json  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(SCHEMAS))

    def make(spec: Object) -> CustomBundle:
        compactor = Compactor()
        number, _ = compactor.root({"type": "object", "properties": {"spec": spec}})
        kinds, definitions = compactor.written({" ".join(KIND): number})

        def lines(entries: Object) -> str:
            return ",\n".join(f"{as_json(name)}:{as_json(one)}" for name, one in entries.items())

        return CustomBundle(
            "a", f'{{\n"kinds":{{\n{lines(kinds)}\n}},\n"$defs":{{\n{lines(definitions)}\n}}}}\n'
        )

    return make


def held(bundle: CustomBundle, spec: Object) -> list[tuple[str, str]]:
    value = {"apiVersion": KIND[0], "kind": KIND[1], "metadata": {"name": "a"}, "spec": spec}
    return [
        (one.message, ".".join(map(str, one.path))) for one in rules.broken(bundle, KIND, value)
    ]


STRING: Object = {"type": "string"}


@pytest.mark.parametrize(
    ("fields", "rule", "spec", "said"),
    [
        (
            {"a": STRING},
            {"rule": "self.a == 'b'", "messageExpression": "'expected b, not ' + self.a"},
            {"a": "c"},
            [("expected b, not c", "spec")],
        ),
        (
            {"a": STRING},
            {"rule": "self.a == 'b'", "messageExpression": "self.a[0]", "message": "it is no b"},
            {"a": "c"},
            [("it is no b", "spec")],
        ),
        (
            {"a": STRING, "b-c": {"type": "array", "items": STRING}},
            {"rule": "!has(self.b__dash__c)", "message": "no", "fieldPath": ".b-c"},
            {"b-c": ["x"]},
            [("no", "spec.b-c")],
        ),
        (
            {"a": STRING},
            {"rule": "self.a == 'b'"},
            {"a": "c"},
            [("the value violates the rule `self.a == 'b'`", "spec")],
        ),
        (
            {"a": STRING, "b": {"type": "object", "additionalProperties": STRING}},
            {"rule": "self.b['x'] == self.a", "message": "b has an x like a"},
            {"a": "c", "b": {}},
            [("b has an x like a", "spec")],
        ),
        (
            {"a": {"type": "string", "format": "date-time"}},
            {"rule": "self.a > timestamp('2020-01-01T00:00:00Z')", "message": "late"},
            {"a": "2019-12-31T23:59:59Z"},
            [("late", "spec")],
        ),
        (
            {"a": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}},
            {"rule": "self.a == ['x', 'y']", "message": "order counts in no set"},
            {"a": ["y", "x"]},
            [],
        ),
        (
            {"a": {"type": "number"}},
            {"rule": "self.a / 2.0 == 1.5", "message": "a number is a double"},
            {"a": 3},
            [],
        ),
        (
            {
                "a": {
                    "type": "object",
                    "default": {},
                    "properties": {"b": {"type": "string", "default": "x"}},
                }
            },
            {"rule": "self.a.b == 'x'", "message": "defaults stand in defaults"},
            {},
            [],
        ),
        (
            {"a": {"type": "string", "nullable": True, "default": "x"}},
            {"rule": "!has(self.a)", "message": "null that may be there is none"},
            {"a": None},
            [],
        ),
        (
            {"a": {"x-kubernetes-int-or-string": True}},
            {"rule": "type(self.a) == int ? self.a > 1 : self.a == 'all'", "message": "few"},
            {"a": 1},
            [("few", "spec")],
        ),
        (
            {"a": STRING},
            {
                "rule": "oldSelf.hasValue() || self.a == 'b'",
                "message": "new",
                "optionalOldSelf": True,
            },
            {"a": "c"},
            [("new", "spec")],
        ),
        (
            {"namespace": STRING},
            {"rule": "self.__namespace__ == 'b'", "message": "b"},
            {"namespace": "c"},
            [("b", "spec")],
        ),
        (
            {"namespace": STRING},
            {"rule": "!has(self.namespace) || self.namespace == 'b'", "message": "b"},
            {"namespace": "c"},
            [("b", "spec")],
        ),
        (
            {"a": STRING},
            {"rule": "self.a.matches('\\\\pL')", "message": "we cannot tell"},
            {"a": "1"},
            [],
        ),
    ],
)
def test_a_rule(
    definition: Made, fields: Object, rule: Object, spec: Object, said: list[tuple[str, str]]
) -> None:
    schema = {"type": "object", "properties": fields, "x-kubernetes-validations": [rule]}
    assert held(definition(schema), spec) == said


def test_rules_are_asked_of_every_item_and_every_value(definition: Made) -> None:
    rule = [{"rule": "self != ''", "message": "empty"}]
    word = {"type": "string", "x-kubernetes-validations": rule}
    bundle = definition(
        {
            "type": "object",
            "properties": {
                "list": {"type": "array", "items": word},
                "map": {"type": "object", "additionalProperties": word},
            },
        }
    )
    spec = {"list": ["a", "", "b", ""], "map": {"x": "", "y": "c"}}
    assert held(bundle, spec) == [
        ("empty", "spec.list.1"),
        ("empty", "spec.list.3"),
        ("empty", "spec.map.x"),
    ]


def test_an_expression_that_does_not_compile_is_told_where_it_stands() -> None:
    text = """apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec:
  selectors:
    - cel:
        expression: |-
          device.driver == "gpu.example.com" &&
          device.atributes["gpu.example.com"].model == "h100"
"""
    (found,) = gpuspec.lint_text(text, "class.yaml", severity="error").findings
    assert (found.rule, found.line) == ("GPU017", 7)
    assert found.message == (
        "`expression`: the expression does not compile (there is no field `atributes`, "
        "at character 8 of its line 2), so the API server rejects the object"
    )


def test_rules_are_asked_beside_what_an_operator_refuses() -> None:
    spec = {"managedBy": "kueue", "ttlSecondsAfterFinished": -1, "rayClusterSpec": HEAD}
    said = broken("ray.io/v1", "RayJob", spec)
    assert {one.path[-1] for one in said} == {"managedBy", "ttlSecondsAfterFinished"}


HEAD: Object = {
    "headGroupSpec": {
        "rayStartParams": {},
        "template": {"spec": {"containers": [{"name": "head", "image": "rayproject/ray"}]}},
    }
}
