"""Schemas that others made, and definitions whose kinds are bundled too."""

import json
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.validation import validate
from gpuspec.validation.located.locations import Locations
from gpuspec.validation.located.places import place, template_of
from tests.outside import CRDS
from tests.validation.conftest import _cases, _changes

RUN = "example.com/v1", "Run"

# As converters of definitions write them for kubeconform: strict, with integer-or-string as `oneOf`.
CONVERTED: dict[str, Any] = {
    "$schema": "http://json-schema.org/schema#",
    "type": "object",
    "additionalProperties": False,
    "required": ["spec"],
    "definitions": {
        "node": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "name": {"type": ["string", "null"], "pattern": "^(?i)(left|right)$"},
                "child": {"$ref": "#/definitions/node"},
            },
        }
    },
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "port": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                "tree": {"$ref": "#/definitions/node"},
                "share": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
                "by": {"not": {"enum": ["nobody"]}, "type": "string"},
            },
        },
    },
}


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    template = template_of(str(tmp_path))
    file = Path(place(template, RUN, "1.37"))
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(CONVERTED))
    return Locations((template,))


def _said(spec: Any, locations: Locations) -> list[str]:
    value = {"apiVersion": RUN[0], "kind": RUN[1], "metadata": {"name": "a"}, "spec": spec}
    return [
        f"{'.'.join(map(str, one.path))}: {one.message}"
        for one in validate(value, "1.37", locations)
    ]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"port": 1, "tree": {"child": {"child": {"name": "LEFT"}}}, "share": 0.5}, []),
        ({"port": "a", "share": 1, "by": None}, []),
        ({"port": [1]}, ["spec.port: expected an integer or a string, not a list"]),
        ({"tree": {"child": {"nam": "a"}}}, ["spec.tree.child.nam: unknown field `nam`"]),
        ({"share": 0}, ["spec.share: `exclusiveMinimum` of its schema does not allow the value"]),
        ({"by": "nobody"}, ["spec.by: `not` of its schema does not allow the value"]),
    ],
)
def test_schemas_of_other_makers_are_read(spec: Any, said: list[str], locations: Locations) -> None:
    assert _said(spec, locations) == said


def test_a_pattern_with_a_flag_is_go_s(locations: Locations) -> None:
    (found,) = _said({"tree": {"name": "up"}}, locations)
    assert found.startswith("spec.tree.name: ")


def test_a_template_has_the_variables_of_kubeconform(tmp_path: Path) -> None:
    template = template_of(
        f"{tmp_path}/"
        "{{.Group}}/{{ .ResourceKind }}/{{- .ResourceAPIVersion -}}/a{{.KindSuffix}}"
        "/{{ .NormalizedKubernetesVersion }}{{ .StrictSuffix }}.json"
    )
    assert place(template, ("apps.example.com/v1", "Run"), "1.36") == (
        f"{tmp_path}/apps.example.com/run/v1/a-apps-v1/v1.36.0-strict.json"
    )


@pytest.mark.outside(CRDS)
def test_added_definitions_say_what_bundled_ones_say(tmp_path: Path) -> None:
    gpuspec.add_schemas(str(CRDS), folder=str(tmp_path))
    locations = Locations((template_of(str(tmp_path)),))
    count = 0
    for right, wrong, _, _ in _cases():
        for value in (right, wrong, *list(_changes(right))[::23]):
            assert validate(value, "1.37", locations) == validate(value, "1.37"), value
            count += 1
    assert count > 1000
