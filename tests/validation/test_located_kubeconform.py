"""Verdicts on a folder of added schemas, against kubeconform's on the same folder."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.validation import SchemaViolation, validate
from gpuspec.validation.located.locations import Locations
from gpuspec.validation.located.places import LAYOUT, template_of
from tests.conftest import Tool
from tests.outside import CRDS, is_defined
from tests.validation.conftest import _cases, _changes

pytestmark = pytest.mark.binaries

DEFINITION = Path(__file__).parent / "definitions.yaml"
INNER = "spec", "inner"
RUN: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Run",
    "metadata": {"name": "a", "labels": {"b": "c"}},
    "spec": {
        "image": "i",
        "mode": "Slow",
        "size": "10%",
        "least": 1,
        "most": 2,
        "start": "2026-01-01T00:00:00Z",
        "address": "10.0.0.1",
        "step": 1.5,
        "tags": ["a", "b"],
        "labels": {"a": "b"},
        "anything": {"a": 1, "b": {}},
        "from": {"url": "u"},
        "steps": [{"name": "a", "retry": True}, {"name": "b"}],
        "inner": {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "m"},
            "data": {"k": "v"},
        },
    },
}
Judge = Callable[[list[Any], Path], list[str]]


@pytest.fixture
def kubeconform(tool: Tool) -> Judge:
    program = tool("kubeconform")

    def verdicts(values: list[Any], folder: Path) -> list[str]:
        options = ["-strict", "-verbose", "-output", "json", "-n", "1"]
        run = subprocess.run(
            [program, *options, "-schema-location", f"{folder}/{LAYOUT}", "-"],
            input="\n---\n".join(map(json.dumps, values)),
            capture_output=True,
            text=True,
            check=False,  # 1 says that something was not valid
        )
        return [result["status"] for result in json.loads(run.stdout)["resources"]]

    return verdicts


def _differences(values: list[Any], folder: Path, kubeconform: Judge) -> tuple[set[str], list[Any]]:
    """The verdicts that there were, and where they differ."""
    locations = Locations((template_of(str(folder)),))
    seen: set[str] = set()
    differ = []
    for value, theirs in zip(values, kubeconform(values, folder), strict=True):
        found = list(filter(_is_looked_at, validate(value, "1.37", locations)))
        reasons = {one.reason for one in found} - {"refused"}
        seen.add(theirs)
        # It knows no rules in CEL, and no operators.
        if not found if theirs == "statusInvalid" else reasons:
            differ.append((theirs, found, value))
    return seen, differ


def _is_looked_at(found: SchemaViolation) -> bool:
    """Whether kubeconform looks at it: not at objects in others, nor at the keys of lists."""
    is_inside = found.path[: len(INNER)] == INNER and len(found.path) > len(INNER)
    is_of_list = "another item of the list" in found.message
    return not (is_inside or is_of_list or found.reason == "no-schema")


def _comparable(value: Any) -> bool:
    """Whether kubeconform reads the object, which has no null: a server drops those first."""
    names = [value.get(field) for field in ("apiVersion", "kind")]
    metadata = value.get("metadata")
    is_named = isinstance(metadata, dict) and all(
        isinstance(metadata.get(field, ""), str) for field in ("name", "namespace", "generateName")
    )
    return (
        is_named and all(isinstance(one, str) for one in names) and "null" not in json.dumps(value)
    )


def test_verdicts_on_a_definition_of_our_own(tmp_path: Path, kubeconform: Judge) -> None:
    gpuspec.add_schemas(str(DEFINITION), folder=str(tmp_path))
    same = (RUN["apiVersion"], RUN["kind"])
    values = [
        value
        for value in (RUN, *_changes(RUN))
        if _comparable(value) and (value["apiVersion"], value["kind"]) == same
    ]
    assert len(values) > 300
    seen, differ = _differences(values, tmp_path, kubeconform)
    assert seen == {"statusValid", "statusInvalid"}
    assert differ == []


@pytest.mark.outside(CRDS)
def test_verdicts_on_the_definitions_of_projects(tmp_path: Path, kubeconform: Judge) -> None:
    gpuspec.add_schemas(str(CRDS), folder=str(tmp_path))
    values: list[Any] = []
    for right, wrong, _, _ in _cases():
        if right["kind"] != "AppWrapper" and is_defined(right):
            same = [
                value
                for value in list(_changes(right))[::11]
                if (value.get("apiVersion"), value.get("kind"))
                == (right["apiVersion"], right["kind"])
            ]
            values += filter(_comparable, (right, wrong, *same))
    assert len(values) > 1000
    assert _differences(values, tmp_path, kubeconform)[1] == []
