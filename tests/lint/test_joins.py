"""What belongs to a pod lies in its namespace; where one of the two names none, in its folder."""

from pathlib import Path
from typing import Any

import pytest

import gpuspec
from tests.lint.plain import an, text


def _in(namespace: str, one: dict[str, Any]) -> dict[str, Any]:
    if namespace:
        one["metadata"]["namespace"] = namespace
    return one


def _server() -> dict[str, Any]:
    container = {
        "name": "main",
        "image": "vllm/vllm-openai:v0.33.0",
        "ports": [{"containerPort": 8000}],
        "resources": {"limits": {"nvidia.com/gpu": 1}},
    }
    template = {"metadata": {"labels": {"app": "chat"}}, "spec": {"containers": [container]}}
    selector = {"matchLabels": {"app": "chat"}}
    spec = {"replicas": 2, "selector": selector, "template": template}
    return an("apps/v1", "Deployment", "chat", spec=spec)


def _service() -> dict[str, Any]:
    return an(
        "v1", "Service", "chat", spec={"selector": {"app": "chat"}, "ports": [{"port": 8000}]}
    )


def _scaled(kind: str) -> dict[str, Any]:
    target = {"kind": "Deployment", "name": "chat", "apiVersion": "apps/v1"}
    if kind == "ScaledObject":
        triggers = [{"type": "cron", "metadata": {"timezone": "UTC"}}]
        spec = {"scaleTargetRef": target, "triggers": triggers}
        return an("keda.sh/v1alpha1", kind, "chat-keda", spec=spec)
    return an("autoscaling/v2", kind, "chat", spec={"scaleTargetRef": target, "maxReplicas": 4})


def _said(tmp_path: Path, rule: str, files: dict[str, dict[str, Any]]) -> bool:
    for name, one in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(one))
    return bool(gpuspec.lint(str(tmp_path), select=[rule]).findings)


JOINS = pytest.mark.parametrize(
    ("ours", "folder", "theirs", "joined"),
    [
        ("", "a", "", True),
        ("ml", "a", "", True),
        ("", "a", "ml", True),
        ("ml", "b", "ml", True),
        ("ml", "a", "web", False),
        ("", "b", "web", False),
        ("ml", "b", "", False),
        ("", "b", "", False),
    ],
)


@JOINS
def test_a_service(tmp_path: Path, ours: str, folder: str, theirs: str, joined: bool) -> None:
    files = {"a/server.yaml": _in(ours, _server()), f"{folder}/it.yaml": _in(theirs, _service())}
    assert _said(tmp_path, "GPU517", files) is joined


@JOINS
def test_autoscalers(tmp_path: Path, ours: str, folder: str, theirs: str, joined: bool) -> None:
    files = {
        "a/server.yaml": _in(ours, _server()),
        f"{folder}/one.yaml": _in(theirs, _scaled("ScaledObject")),
        f"{folder}/other.yaml": _in(theirs, _scaled("HorizontalPodAutoscaler")),
    }
    assert _said(tmp_path, "GPU812", files) is joined
