"""Rules and dashboards of a cluster on which everything is counted, as promtool reads them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from tests.conftest import Tool
from tests.plan.conftest import make
from tests.render.goldens import GOLDENS

__all__ = ["make"]

HERE = Path(__file__).parent
Values = dict[str, Any]
Promtool = Callable[..., str]


def profile() -> gpuspec.Profile:
    (found,) = gpuspec.load_profiles(str(HERE / "profile.yaml"))
    return found


def rendered() -> dict[str, list[Values]]:
    """The objects of each workload, and as `cluster` the platform's."""
    on = profile()
    made = {
        workload.name: gpuspec.render(workload, on).objects
        for workload in gpuspec.load(str(HERE / "specs.yaml"))
    }
    return {**made, "cluster": gpuspec.platform(on).objects}


def examples() -> dict[str, list[Values]]:
    """The objects of all examples that are rendered with rules of alerts, by their file."""
    files = sorted(GOLDENS.glob("*/*.yaml"))
    texts = {str(file.relative_to(GOLDENS)): file.read_text(encoding="utf-8") for file in files}
    found = {
        name: [one for one in yaml.safe_load_all(text) if one]
        for name, text in texts.items()
        if "kind: PrometheusRule" in text
    }
    assert len(found) > 5
    return found


def rules_of(objects: list[Values]) -> list[Values]:
    return [
        rule
        for made in objects
        if made["kind"] == "PrometheusRule"
        for group in made["spec"]["groups"]
        for rule in group["rules"]
    ]


def dashboards_of(objects: list[Values]) -> list[Values]:
    return [
        json.loads(text)
        for made in objects
        if made["kind"] == "ConfigMap"
        for name, text in made["data"].items()
        if name.endswith(".json")
    ]


def expressions(objects: list[Values]) -> list[str]:
    """All of rules and of dashboards."""
    shown = [
        target["expr"]
        for board in dashboards_of(objects)
        for panel in board["panels"]
        for target in panel["targets"]
    ]
    return [*(rule["expr"] for rule in rules_of(objects)), *shown]


@pytest.fixture(scope="session")
def made() -> dict[str, list[Values]]:
    return rendered()


@pytest.fixture
def promtool(tool: Tool, tmp_path: Path) -> Promtool:
    """Runs promtool on a document that it reads, with rules beside it; says what it says of a fault."""

    def run(*words: str, document: Values, rules: list[Values] | None = None) -> str:
        group = {"name": "all", "rules": rules}
        (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": [group]}))
        (tmp_path / "it.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
        told = [str(tool("promtool")), *words, "it.yaml"]
        done = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    return run
