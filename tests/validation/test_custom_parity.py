"""Verdicts on custom kinds against two others, over the definitions that our schemas come from.

One is jsonschema-rs, with the definitions put into JSON Schema here, by other code than ours. The
other is the API server's own code (`judge/`).
"""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from gpuspec.manifests import InputError, read
from gpuspec.validation import validate
from gpuspec.validation.custom import custom_kinds
from tests.conftest import Tool
from tests.outside import CRDS, is_defined

CASES = Path(__file__).parents[1] / "field"

pytestmark = [pytest.mark.outside(CRDS), pytest.mark.usefixtures("server_alone")]

Object = dict[str, Any]
Schema = dict[str, Any]


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "main"},
    "spec": {"containers": [{"name": "main", "image": "a"}]},
}

BIG = 250_000
"""Bytes of a definition that takes long to read and to compile."""


def _takes(value: Any) -> bool:
    """Whether a server takes an object, as we have it."""
    return not validate(value, "1.37")


def _comparable(values: list[Object]) -> list[Object]:
    """The same without what is inside an AppWrapper: a server takes it as it comes, we do not."""
    found = copy.deepcopy(values)
    for value in found:
        if value["kind"] == "AppWrapper" and isinstance(value.get("spec"), dict):
            for component in _maps(value["spec"].get("components")):
                if isinstance(component.get("template"), dict):
                    component["template"] = POD
    return found


def _maps(items: object) -> list[Object]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def test_verdicts_of_the_definitions_as_json_schema(broken_cases: list[Object]) -> None:
    definitions = _definitions()
    validators = {
        kind: jsonschema_rs.Draft202012Validator(_closed(schema))
        for kind, schema in definitions.items()
    }
    assert len(validators) > 60
    verdicts = {True: 0, False: 0}
    for value in _comparable(broken_cases[::4]):
        kind = value["apiVersion"], value["kind"]
        if kind in definitions:
            value["metadata"] = {"name": "a"}  # the definitions do not say what is in it
            # Rules (CEL) are no part of it.
            ours = {one.reason for one in validate(value, "1.37")} <= {"refused"}
            _drop_nulls(value, definitions[kind])
            theirs = validators[kind].is_valid(value)
            assert ours == theirs, value
            verdicts[theirs] += 1
    assert min(verdicts.values()) > 500


def _definitions() -> dict[tuple[str, str], Schema]:
    found = {}
    for file in CRDS.glob("*/*.yaml"):
        if file.stat().st_size > BIG:
            continue
        spec = yaml.load(file.read_bytes(), yaml.CSafeLoader)["spec"]
        for version in spec["versions"]:
            api_version = f"{spec['group']}/{version['name']}"
            found[api_version, spec["names"]["kind"]] = version["schema"]["openAPIV3Schema"]
    return found


def _closed(schema: Schema, *, root: bool = True) -> Schema:
    """A definition's schema as JSON Schema that refuses what a server would prune.

    Without `oneOf`, which only the Gateway's addresses have, and which ours leave out.
    """
    kept = {name: value for name, value in schema.items() if not name.startswith("x-")}
    for name in ("oneOf", "format", "default", "nullable"):
        kept.pop(name, None)
    if schema.get("format") == "int32":
        return {"allOf": [kept, {"minimum": -(2**31), "maximum": 2**31 - 1}]}
    if schema.get("nullable"):
        kept["type"] = [schema["type"], "null"]
    fields = schema.get("properties", {})
    if "properties" in schema:
        kept["properties"] = {
            name: _closed(child, root=False) if not (root and name == "metadata") else {}
            for name, child in fields.items()
        }
    if "required" in schema:
        kept["required"] = [
            name for name in schema["required"] if "default" not in fields.get(name, {})
        ]
    if "items" in schema:
        kept["items"] = _closed(schema["items"], root=False)
        kept["uniqueItems"] = schema.get("x-kubernetes-list-type") == "set"
    if "additionalProperties" in schema:
        kept["additionalProperties"] = _closed(schema["additionalProperties"], root=False)
    elif schema.get("type") == "object":
        kept["additionalProperties"] = "x-kubernetes-preserve-unknown-fields" in schema
    if schema.get("x-kubernetes-embedded-resource"):
        kept["required"] = ["apiVersion", "kind"]
    return kept


def _drop_nulls(value: Any, schema: Schema) -> None:
    """Do what a server does with nulls."""
    if isinstance(value, dict):
        for name in list(value):
            child = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if child is None:
                continue
            if value[name] is None and not child.get("nullable"):
                del value[name]
            else:
                _drop_nulls(value[name], child)
    elif isinstance(value, list):
        for item in value:
            _drop_nulls(item, schema.get("items", {}))


Judge = Callable[[list[Object]], list[list[str] | None]]


@pytest.fixture
def judge(tool: Tool) -> Judge:
    program = tool("crd-judge")

    def verdicts(values: list[Object]) -> list[list[str] | None]:
        run = subprocess.run(
            [program, CRDS],
            input="\n".join(map(json.dumps, values)),
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in run.stdout.splitlines()]

    return verdicts


def _differences(values: list[Object], judge: Judge) -> list[tuple[list[str] | None, Object]]:
    verdicts = judge(values)
    assert len(verdicts) == len(values)
    return [
        (theirs, value)
        for value, theirs in zip(values, verdicts, strict=True)
        if _takes(value) != (theirs == [])
    ]


@pytest.mark.binaries
def test_verdicts_of_the_servers_code(
    broken_cases: list[Object], wrong_cases: list[Object], judge: Judge
) -> None:
    values = _comparable([*filter(is_defined, broken_cases[::3] + wrong_cases)])
    assert len(values) > 5_000
    assert _differences(values, judge) == []


@pytest.mark.binaries
def test_verdicts_of_the_servers_code_on_cases_from_the_field(judge: Judge) -> None:
    values: list[Any] = []
    for file in sorted(CASES.rglob("*.yaml")):
        try:
            values += [document.value for document in read(file.read_bytes(), str(file))]
        except InputError:
            continue
    known = {(each.api_version, each.kind) for each in custom_kinds()}
    values = [
        value
        for value in values
        if isinstance(value, dict) and (value.get("apiVersion"), value.get("kind")) in known
    ]
    values = [*filter(is_defined, values)]
    assert len(values) > 50
    assert _differences(_comparable(values), judge) == []
