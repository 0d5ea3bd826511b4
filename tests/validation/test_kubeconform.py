"""The judge of schema verdicts: kubeconform, strict, over the files that our bundles come from."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import InputError, SourceFile, read
from gpuspec.validation import supported_versions, validate
from gpuspec.validation.custom import custom_kinds
from tests.conftest import Tool

pytestmark = pytest.mark.binaries

kubernetes_validate = pytest.importorskip(
    "kubernetes_validate", reason="the judge's schemas are in the development dependencies"
)
SCHEMAS = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
CASES = Path(__file__).parents[1] / "field"

# What the schema files call the definitions that they share. It is no real address: kubeconform
# takes it from its cache, where a file is named by the digest of its address.
DEFINITIONS = "https://kubernetes.io/api/_definitions.json"

CUSTOM = [[known.api_version, known.kind] for known in custom_kinds()]

Verdicts = Callable[[list[Any], str], list[str]]


@pytest.fixture
def kubeconform(tool: Tool, tmp_path: Path) -> Verdicts:
    program = tool("kubeconform")

    def verdicts(values: list[Any], version: str) -> list[str]:
        folder = SCHEMAS / f"v{version}.0-local-strict"
        name = hashlib.sha256(DEFINITIONS.encode()).hexdigest()
        (tmp_path / version).mkdir()
        (tmp_path / version / name).write_bytes((folder / "_definitions.json").read_bytes())
        location = f"{folder}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
        options = [
            "-strict",
            "-verbose",
            "-output",
            "json",
            "-n",
            "1",
            "-schema-location",
            location,
        ]
        run = subprocess.run(
            [program, *options, "-cache", tmp_path / version, "-"],
            input="\n---\n".join(map(json.dumps, values)),
            capture_output=True,
            text=True,
            check=False,  # 1 says that something was not valid
        )
        return [_kubeconforms(result) for result in json.loads(run.stdout)["resources"]]

    return verdicts


def _kubeconforms(result: dict[str, str]) -> str:
    if result["status"] == "statusError":
        if "could not find schema" in result["msg"]:
            return "no schema"
        # It decodes apiVersion, kind and name before it validates, and stops when they do not.
        assert "error while parsing" in result["msg"], result
        return "unreadable"
    return {"statusValid": "valid", "statusInvalid": "invalid"}[result["status"]]


def _ours(value: Any, version: str) -> str:
    if [value.get("apiVersion"), value.get("kind")] in CUSTOM:
        return "no schema"  # the judge has only Kubernetes' own
    # What only the API server refuses, no schema does.
    reasons = {violation.reason for violation in validate(value, version)} - {"refused"}
    # Where apiVersion or kind is a number, kubeconform takes it for text, and knows no such kind.
    named = all(isinstance(value.get(field), str) for field in ("apiVersion", "kind"))
    if reasons & {"not-served", "no-schema"} or not named:
        return "no schema"
    return "invalid" if reasons else "valid"


def _agree(ours: str, theirs: str) -> bool:
    return ours != "valid" if theirs == "unreadable" else ours == theirs


def _differences(values: list[Any], version: str, kubeconform: Verdicts) -> list[Any]:
    verdicts = kubeconform(values, version)
    assert len(verdicts) == len(values)
    return [
        (ours, theirs, value)
        for value, theirs in zip(values, verdicts, strict=True)
        if not _agree(ours := _ours(value, version), theirs)
    ]


@pytest.mark.parametrize("version", supported_versions())
def test_verdicts_on_objects_with_one_change(
    version: str,
    objects: list[dict[str, Any]],
    broken: list[dict[str, Any]],
    kubeconform: Verdicts,
) -> None:
    # The newest version judges every change, the others take turns.
    turn = supported_versions()[::-1].index(version)
    values = objects + (broken[turn::7] if turn else broken)
    assert _differences(values, version, kubeconform) == []


SCHEMA = ("GPU001", "GPU010", "GPU011", "GPU012", "GPU015")


def _linted(value: Any) -> str:
    """The verdict of the linter's schema rules: those of the table in docs/validation.md."""
    feed = TextLoader([SourceFile("object.json", json.dumps(value))])
    engine = Engine(lambda code: code in (*SCHEMA, "GPU013"))
    found = [one.finding() for one in engine.run(feed)]
    codes = {one.rule for one in found if one.rule == "GPU013" or one.severity == "error"}
    if engine.unvalidated or "GPU013" in codes or not feed.objects:
        return "no schema"
    return "invalid" if codes else "valid"


def _is_taken(value: Any) -> bool:
    """Whether a server takes an object that its schema does not allow."""
    found = [one for one in validate(value, "1.37") if one.reason != "refused"]
    return bool(found) and all(one.taken for one in found)


def test_the_linter_says_the_same_but_of_what_a_server_takes(
    objects: list[dict[str, Any]], broken: list[dict[str, Any]], kubeconform: Verdicts
) -> None:
    values = objects + broken[::3]
    named = [
        value
        for value in values
        # An object that does not say what it is, is none to the linter; a list is its items.
        if all(isinstance(value.get(field), str) for field in ("apiVersion", "kind"))
        and not value["kind"].endswith("List")
        and [value["apiVersion"], value["kind"]] not in CUSTOM
    ]
    assert len(named) > 1000
    differences = [
        (ours, theirs, value)
        for value, theirs in zip(named, kubeconform(named, "1.37"), strict=True)
        if not _agree(ours := _linted(value), "valid" if _is_taken(value) else theirs)
    ]
    assert differences == []


def test_verdicts_on_cases_from_the_field(kubeconform: Verdicts) -> None:
    values = []
    for file in sorted(CASES.rglob("*.yaml")):
        try:
            values += [document.value for document in read(file.read_bytes(), str(file))]
        except InputError:
            continue
    values = [value for value in values if isinstance(value, dict) and value.get("kind") != "List"]
    assert len(values) > 100
    assert _differences(values, "1.37", kubeconform) == []
