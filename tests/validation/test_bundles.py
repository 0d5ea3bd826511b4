"""The committed bundles are what the script makes, and are whole."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest

from gpuspec.locate import shipped
from gpuspec.validation import supported_versions
from gpuspec.validation.bundle import load

SCRIPT = Path(__file__).parents[2] / "schemas" / "make_kubernetes.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_kubernetes", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def committed(version: str) -> str:
    return (shipped("schemas") / "kubernetes" / f"{version}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", supported_versions())
def test_bundle_is_what_the_script_makes(version: str, script: ModuleType) -> None:
    pytest.importorskip(
        "kubernetes_validate", reason="the schemas' source is in the development dependencies"
    )
    assert committed(version) == script.bundle(version)
    assert script.bundle_path(version).read_text(encoding="utf-8") == committed(version)


def test_the_script_stops_at_a_keyword_that_it_does_not_know(script: ModuleType) -> None:
    with pytest.raises(SystemExit, match="minLength"):
        script._compact({"properties": {"a": {"items": {"minLength": 3}}}})
    with pytest.raises(SystemExit, match="oneOf"):
        script._compact({"oneOf": [{"type": "string", "items": {}}]})


@pytest.mark.parametrize("version", supported_versions())
def test_bundle_says_where_it_comes_from(version: str) -> None:
    source = json.loads(committed(version))["source"]
    assert source["package"] == "kubernetes-validate"
    assert source["folder"] == f"v{version}.0-local-strict"
    assert len(source["sha256"]) == 64


@pytest.mark.parametrize("version", supported_versions())
def test_every_kind_is_strict_and_refers_to_nothing_that_is_not_there(version: str) -> None:
    bundle, whole = load(version), json.loads(committed(version))
    kinds = bundle.kinds()
    assert len(kinds) == len(whole["kinds"]) > 160
    used: set[str] = set()
    for api_version, kind in kinds:
        schema = bundle.closed((api_version, kind))
        assert bundle.root((api_version, kind)) == whole["kinds"][f"{api_version} {kind}"]
        assert schema["additionalProperties"] is False
        assert schema["properties"]["kind"]["enum"] == [kind]
        assert schema["properties"]["apiVersion"]["enum"] == [api_version]
        used |= schema["$defs"].keys()
    assert used == whole["$defs"].keys()


@pytest.mark.parametrize("version", supported_versions())
def test_every_definition_is_good_json_schema(version: str) -> None:
    whole: dict[str, Any] = json.loads(committed(version))
    roots = {"properties": whole["kinds"], "$defs": whole["$defs"]}
    assert jsonschema_rs.meta.is_valid({**roots, "$schema": whole["$schema"]})
    assert jsonschema_rs.Draft202012Validator(roots).is_valid({})
