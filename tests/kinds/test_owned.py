"""What controllers set: the record of a kind against definitions, and against what Argo CD makes of it."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuspec.kinds import Kind, kind_of, kinds
from tests.outside import CRDS

SCRIPT = Path(__file__).parents[2] / "docs" / "make_controllers.py"
OWNERS = [kind for kind in kinds() if kind.owned]


def expressions(kind: Kind) -> list[str]:
    spec = importlib.util.spec_from_file_location("make_controllers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    said: list[str] = module.expressions(kind)
    return said


def put(value: dict[str, Any], steps: list[str], what: object) -> None:
    """Put something where a pattern leads, in one item of each list."""
    for step, after in zip(steps, [*steps[1:], ""], strict=True):
        if step == "*":
            continue
        if not after:
            value[step] = what
        elif after == "*":
            value = value.setdefault(step, [{}])[0]
        else:
            value = value.setdefault(step, {})


def test_no_field_has_two_switches_that_contradict() -> None:
    for kind in OWNERS:
        for owned in kind.owned:
            assert owned.by or not (owned.on or owned.off), kind.name
            bare: dict[str, Any] = {}
            for path in owned.on:
                put(bare, list(map(str, path)), "true")
            assert owned.holds(bare) is bool(owned.by), kind.name


@pytest.mark.parametrize("kind", OWNERS, ids=lambda kind: f"{kind.group}/{kind.name}")
def test_argo_cd_leaves_these_fields_alone_and_nothing_else(kind: Kind) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed: Argo CD's expressions are jq's")
    value: dict[str, Any] = {"kind": kind.name, "spec": {"other": 1}}
    for owned in kind.owned:
        for path in owned.on:
            put(value, list(map(str, path)), "true")
    before = json.dumps(value, sort_keys=True)
    for owned in kind.owned:
        put(value, owned.field.split("."), 7)
    told = expressions(kind)
    left = subprocess.run(
        ["jq", "-S", f"del({', '.join(f'({one})' for one in told)})"],
        input=json.dumps(value),
        capture_output=True,
        text=True,
        check=True,
    )
    assert _without_empty(json.loads(left.stdout)) == _without_empty(json.loads(before))


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {key: _without_empty(each) for key, each in value.items()}
        return {key: each for key, each in inner.items() if each not in ({}, [{}])}
    return [_without_empty(each) for each in value] if isinstance(value, list) else value


@pytest.mark.outside(CRDS)
def test_the_scale_subresource_is_that_of_the_definitions() -> None:
    compared = []
    for file in sorted(CRDS.glob("*/*.yaml")):
        crd = yaml.load(file.read_bytes(), yaml.CSafeLoader)["spec"]
        kind = kind_of(crd["group"], crd["names"]["kind"])
        for version in crd["versions"]:
            scale = version.get("subresources", {}).get("scale", {})
            path = scale.get("specReplicasPath", "").lstrip(".")
            if kind is not None and version["served"]:
                assert kind.scaled == path, (kind.name, version["name"])
                compared += [kind.name] if path else []
    assert {"LeaderWorkerSet", "PyTorchJob", "JAXJob", "NodePool"} <= set(compared)
