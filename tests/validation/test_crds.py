"""The committed schemas of custom kinds are what the script makes, are whole, and are read late."""

import hashlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest

from gpuspec.locate import shipped
from gpuspec.validation.custom import bundle_of, custom_kinds
from gpuspec.validation.limits import SchemaLimits
from tests.outside import CRDS

SCHEMAS = Path(__file__).parents[2] / "schemas"
BIG = 500_000
"""Bytes of a project's definitions."""
PROJECTS = sorted({known.project for known in custom_kinds()})


@pytest.fixture(scope="module")
def script() -> ModuleType:
    sys.path.insert(0, str(SCHEMAS))  # as Python does for a script
    try:
        spec = importlib.util.spec_from_file_location("make_crds", SCHEMAS / "make_crds.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(SCHEMAS))
    return module


def committed() -> dict[str, str]:
    files = (shipped("schemas") / "crds").glob("*.json")
    return {file.name: file.read_text(encoding="utf-8") for file in files}


@pytest.mark.outside(CRDS)
def test_files_are_what_the_script_makes(script: ModuleType) -> None:
    files, small = committed(), 0
    kinds = json.loads(files["index.json"])["kinds"]
    for project, sources in script.index(CRDS).items():
        digests = {file.stem: hashlib.sha256(file.read_bytes()).hexdigest() for file, _ in sources}
        if json.loads(files[f"{project}.json"])["source"]["sha256"] != digests:
            continue  # another release, or more of it
        # Reading the others takes many seconds, and they are made by the same code.
        if sum(file.stat().st_size for file, _ in sources) < BIG:
            small += 1
            _, entries, text = script.made(project, sources)
            assert files[f"{project}.json"] == text
            assert entries.items() <= kinds.items()
    assert small >= 10


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"multipleOf": 2}, "multipleOf"),
        ({"type": "string", "format": "ipv4"}, "ipv4"),
        ({"anyOf": [{"required": ["a"]}]}, "anyOf"),
        ({"allOf": [{"pattern": "^a$"}, {"pattern": "^b$"}]}, "allOf"),
    ],
)
def test_the_script_stops_at_what_it_does_not_know(
    script: ModuleType, schema: dict[str, Any], named: str
) -> None:
    with pytest.raises(SystemExit, match=named):
        script.Compactor().schema({"type": "object", "properties": {"a": schema}}, "")
    with pytest.raises(SystemExit, match="metadata"):
        script.Compactor().root({"type": "object", "properties": {"metadata": schema}})


def test_the_script_makes_a_schema_compact(script: ModuleType) -> None:
    port = {"type": "integer", "format": "int32", "minimum": 1}
    rules = [
        {"rule": "self == oldSelf", "message": "it stays"},
        {"rule": "self > 79", "message": "a port", "reason": "FieldValueInvalid"},
    ]
    port["x-kubernetes-validations"] = rules
    protocol = {"type": "string", "default": "TCP"}
    compactor = script.Compactor()
    source = {
        "type": "object",
        "description": "Prose.",
        "required": ["ports", "size"],
        "properties": {
            "size": {"x-kubernetes-int-or-string": True, "default": 1},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "embedded": {"type": "object", "x-kubernetes-embedded-resource": True},
            "ports": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["port", "protocol"],
                "items": {"type": "object", "properties": {"port": port, "protocol": protocol}},
            },
        },
    }
    number, about = compactor.root(source)
    kinds, _ = compactor.written({"it": number})
    assert about == {"rules": 1, "unchecked": {"transitions": 1}, "objects": ["embedded"]}
    assert kinds["it"]["required"] == ["ports"]
    assert kinds["it"]["additionalProperties"] is False
    fields = kinds["it"]["properties"]
    assert fields["size"] == {"type": ["integer", "string"]}
    assert fields["free"] == {"type": "object"}
    assert fields["ports"]["uniqueBy"] == {"port": None, "protocol": "TCP"}
    assert fields["ports"]["items"] == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "port": {
                "type": "integer",
                "minimum": 1,
                "maximum": 2**31 - 1,
                "rules": [{"rule": "self > 79", "message": "a port"}],
            },
            "protocol": {"type": "string"},
        },
    }


QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
CHOICE = {"anyOf": [{"properties": {"path": {"maxLength": 0}}}]}


@pytest.mark.parametrize(
    ("parts", "left"),
    [
        ([{"pattern": QUANTITY}, {"pattern": "^[1-9]Gi$"}], {"pattern": "^[1-9]Gi$"}),
        ([{"enum": ["a"]}, {"enum": ["a"]}], {"enum": ["a"]}),
        ([CHOICE, CHOICE], {}),
    ],
)
def test_limits_said_several_times_are_written_once(
    script: ModuleType, parts: list[dict[str, Any]], left: dict[str, Any]
) -> None:
    compactor = script.Compactor()
    number = compactor.schema({"type": "string", "allOf": parts}, "")
    kinds, _ = compactor.written({"it": number})
    assert kinds["it"] == {"type": "string", **left}


def test_bytes_are_base64_as_a_server_reads_it(script: ModuleType) -> None:
    compactor = script.Compactor()
    number = compactor.schema({"type": "string", "format": "byte"}, "")
    kinds, _ = compactor.written({"it": number})
    schema = jsonschema_rs.Draft202012Validator(kinds["it"])
    assert all(map(schema.is_valid, ("", "aGk=", "aGk\n=", "aGkh", "aA==")))
    assert not any(map(schema.is_valid, ("a", "aGk", "a-b_", "aGk=aGk=")))


def test_a_schema_that_occurs_twice_is_written_once(script: ModuleType) -> None:
    long = {"type": "string", "pattern": "^" + "a" * 80 + "$"}
    compactor = script.Compactor()
    source = {"type": "object", "properties": {"first": long, "second": long}}
    kinds, definitions = compactor.written({"it": compactor.schema(source, "")})
    assert kinds["it"]["properties"]["second"] == {"$ref": "#/$defs/first"}
    assert definitions == {"first": long}


@pytest.mark.parametrize("project", PROJECTS)
def test_a_file_is_whole_and_says_where_it_comes_from(project: str) -> None:
    whole = json.loads(committed()[f"{project}.json"])
    source = whole["source"]
    kinds = [known for known in custom_kinds() if known.project == project]
    assert {known.release for known in kinds} == {source["release"]}
    assert {known.repository for known in kinds} == {source["repository"]}
    assert len(source["commit"]) >= 12
    assert all(len(digest) == 64 for digest in source["sha256"].values())
    assert len(kinds) == len(whole["kinds"])
    used: set[str] = set()
    for known in kinds:
        schema = bundle_of(project).closed((known.api_version, known.kind))
        assert schema["additionalProperties"] is False
        used |= schema["$defs"].keys()
    assert used == whole["$defs"].keys()
    roots = {"properties": whole["kinds"], "$defs": whole["$defs"], "$schema": whole["$schema"]}
    assert jsonschema_rs.meta.is_valid(roots)
    assert jsonschema_rs.Draft202012Validator(roots).is_valid({})


def test_every_project_has_a_file_and_they_are_small() -> None:
    files = committed()
    assert set(files) == {"index.json", *(f"{project}.json" for project in PROJECTS)}
    assert sum(map(len, files.values())) < 1_500_000


def test_nothing_is_read_for_kubernetes_own_kinds() -> None:
    program = """
import sys
from gpuspec.validation import validate
from gpuspec.validation import custom
assert validate({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}, "1.37") == ()
assert not custom._kinds.cache_info().currsize
queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue"}
assert validate({**queue, "metadata": {"name": "a"}}, "1.37") == ()
assert custom._kinds.cache_info().currsize
assert custom.bundle_of.cache_info().currsize == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# Ends, flags and characters where dialects of patterns differ.
TEXTS = [
    "",
    "a",
    "A",
    "a\n",
    "\n",
    "a.b",
    "a/b",
    "a/b/c",
    "-",
    "é",
    "٣",
    "3",
    "3.5",
    "100%",
    "Abort",
]
TEXTS += ["Never", "5m", "5 m", "1h30m", "http://x", "1Gi", "*", "*.example.com", "2026-05-04"]
TEXTS += [
    "2026-05-04T03:02:01Z",
    "2026-05-04t03:02:01.5+02:00",
    "2026-13-04T03:02:01Z",
    "0 3 * * *",
]


def _patterns(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(_patterns, schema))
    if not isinstance(schema, dict):
        return set()
    found = set().union(*map(_patterns, schema.values()))
    pattern = schema.get("pattern")
    return found | {pattern} if isinstance(pattern, str) else found


def test_a_pattern_means_what_it_means_to_others() -> None:
    patterns = set().union(*(_patterns(json.loads(text)) for text in committed().values()))
    assert len(patterns) > 30
    for pattern in patterns:
        theirs = jsonschema_rs.Draft202012Validator({"pattern": pattern})
        ours = SchemaLimits({"pattern": pattern})
        for text in TEXTS:
            assert (ours.broken(text) is None) == theirs.is_valid(text), (pattern, text)


@pytest.mark.parametrize(
    ("limits", "values"),
    [
        ({"minimum": 1, "maximum": 3}, [0, 1, 3, 4, 0.5, 3.5]),
        ({"minLength": 1, "maxLength": 2}, ["", "é", "éé", "ééé"]),
        ({"minItems": 1, "maxItems": 2}, [[], [1], [1, 2], [1, 2, 3]]),
        ({"minProperties": 1, "maxProperties": 1}, [{}, {"a": 1}, {"a": 1, "b": 2}]),
        ({"uniqueItems": True}, [[], ["a", "b"], ["a", "b", "a"], [1, True], [[1], [1]]]),
    ],
)
def test_a_limit_means_what_it_means_to_others(limits: dict[str, Any], values: list[Any]) -> None:
    theirs = jsonschema_rs.Draft202012Validator(limits)
    ours = SchemaLimits(limits)
    for value in values:
        repeated = ours.unique and list(ours.repeated(value))
        assert (ours.broken(value) is None and not repeated) == theirs.is_valid(value), value
