"""How much is read for fixes and places: what changed, and not the document for each finding."""

import json
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.lint import Finding
from gpuspec.manifests import graph, write, yaml_loading


class Counted:
    """How much text was given to the parser."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.characters = 0
        parser = graph.CParser

        def counted(text: str) -> Any:
            self.characters += len(text)
            return parser(text)

        for module in (graph, yaml_loading):
            patch.setattr(module, "CParser", counted)


def container(index: int) -> dict[str, Any]:
    return {
        "name": f"c{index}",
        "image": "nvcr.io/nvidia/tritonserver:latest",
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}],
        "resources": {"requests": {"nvidia.com/gpu": 1}},
    }


def pod(index: int, containers: int = 1) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p{index}", "namespace": "serving"},
        "spec": {"containers": [container(number) for number in range(containers)]},
    }


def of_pods(count: int) -> dict[str, Any]:
    """What `kubectl get pods -o json` prints."""
    return {"apiVersion": "v1", "kind": "List", "items": [pod(index) for index in range(count)]}


def of_containers(count: int) -> dict[str, Any]:
    return pod(0, count)


def as_yaml(value: dict[str, Any]) -> str:
    return write([value])


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=4) + "\n"


def with_an_anchor(value: dict[str, Any]) -> str:
    """Whose labels are named in the one place and meant in another, far from what is mended."""
    marks = "metadata:\n  labels: &marks {a: b}\n  annotations: *marks\n"
    return write([value]).replace("metadata:\n", marks, 1)


FORMS = [
    pytest.param(of_pods, as_yaml, id="list.yaml"),
    pytest.param(of_pods, as_json, id="list.json"),
    pytest.param(of_containers, as_yaml, id="pod.yaml"),
    pytest.param(of_containers, as_json, id="pod.json"),
    pytest.param(of_containers, with_an_anchor, id="anchor.yaml"),
]


def linted(text: str, file: Path) -> tuple[Finding, ...]:
    file.write_text(text)
    return gpuspec.lint(str(file)).findings


@pytest.mark.parametrize(("value", "form"), FORMS)
def test_a_finding_costs_as_much_in_a_large_document_as_in_a_small_one(
    value: Any, form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    costs = []
    for size in (10, 40):
        counted.characters = 0
        text = form(value(size))
        found = linted(text, tmp_path / "a.yaml")
        assert sum(one.fix is not None for one in found) >= 2 * size
        costs.append(counted.characters / len(text))
    # Once for the places of all of it, and each part as often as there are fixes in it.
    assert costs[1] <= costs[0] * 1.1


@pytest.mark.parametrize("form", [as_yaml, as_json])
def test_an_object_of_a_list_is_found_as_it_would_be_by_itself(form: Any, tmp_path: Path) -> None:
    alone = linted(form(pod(0)), tmp_path / "alone")
    many = linted(form(of_pods(3)), tmp_path / "many")
    for index in range(3):
        inside = [one for one in many if one.path.startswith(f"items[{index}]")]
        assert [size(one) for one in inside] == [size(one) for one in alone]


def size(one: Finding) -> tuple[Any, ...]:
    """What a finding says, how many lines it is long and what its fix puts in."""
    edits = one.fix.edits if one.fix is not None else ()
    said = one.message.replace("p1", "p0").replace("p2", "p0")
    return one.rule, said, one.end_line - one.line, tuple(edit.text.split() for edit in edits)
