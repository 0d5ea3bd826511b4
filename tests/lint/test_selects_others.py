"""GPU026: who shares a selector, and what for."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

SHARED = {"app": "vllm"}


def _workload(
    name: str,
    *args: str,
    port: int | str | None = 8000,
    kind: str = "Deployment",
    labels: dict[str, str] | None = None,
    **spec: Any,
) -> dict[str, Any]:
    """A workload whose pods carry the shared label and their own, and which selects them by these."""
    carried = {**SHARED, "model": name} if labels is None else labels
    container = {
        "name": "main",
        "image": "vllm/vllm-openai:v0.19.1",
        "args": list(args),
        "resources": {"limits": {"nvidia.com/gpu": 1}},
        "ports": [] if port is None else [{"name": "http", "containerPort": port}],
    }
    template = {"metadata": {"labels": carried}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": carried}, "template": template, **spec}
    return an("apps/v1", kind, name, spec=spec)


def _model(name: str, served: str, **more: Any) -> dict[str, Any]:
    return _workload(name, "--served-model-name", served, **more)


def _service(**spec: Any) -> dict[str, Any]:
    ports = [{"port": 80, "targetPort": 8000}]
    return an("v1", "Service", "vllm", spec={"selector": SHARED, "ports": ports, **spec})


def _said(*objects: dict[str, Any]) -> list[Finding]:
    return of("GPU026", text(*objects))


class TestModels:
    def test_a_service_before_two_models(self) -> None:
        (found,) = _said(_service(), _model("qwen", "qwen3-8b"), _model("mistral", "mistral-7b"))
        assert "serve `qwen3-8b` and `mistral-7b`" in found.message
        assert found.note is not None
        assert "`model: qwen` selects only the pods of Deployment `qwen`" in found.note

    def test_a_pool_before_two_models(self) -> None:
        pool = an(
            "inference.networking.x-k8s.io/v1alpha2",
            "InferencePool",
            spec={"selector": SHARED, "targetPortNumber": 8000},
        )
        assert _said(pool, _model("qwen", "qwen3-8b"), _model("mistral", "mistral-7b"))

    def test_the_model_is_the_name_where_no_other_is_given(self) -> None:
        one, other = _workload("a", "--model=org/a"), _workload("b", "--model", "org/b")
        assert len(_said(_service(), one, other)) == 1

    @pytest.mark.parametrize(
        "other",
        [
            _model("canary", "chat"),
            _workload("canary", "--served-model-name", "chat-next", "chat"),
            _model("canary", "$(MODEL)"),
            _model("canary", "other", replicas=0),
            _model("canary", "other", labels={"app": "other"}),
            _workload("canary"),
        ],
    )
    def test_what_answers_the_same_or_may(self, other: dict[str, Any]) -> None:
        assert not _said(_service(), _model("chat", "chat"), other)

    def test_a_headless_service(self) -> None:
        models = _model("qwen", "qwen3-8b"), _model("mistral", "mistral-7b")
        assert not _said(_service(clusterIP="None"), *models)

    def test_another_namespace(self) -> None:
        other = _model("mistral", "mistral-7b")
        other["metadata"]["namespace"] = "elsewhere"
        assert not _said(_service(), _model("qwen", "qwen3-8b"), other)


class TestPorts:
    def test_a_router_that_listens_elsewhere(self) -> None:
        (found,) = _said(_service(), _workload("server"), _workload("router", port=8080))
        assert "lists port 8080, not 8000" in found.message

    @pytest.mark.parametrize(
        ("ports", "port"),
        [
            ([{"port": 80, "targetPort": 8000}], None),
            ([{"port": 8000}], 8000),
            ([{"port": 8000}], "${PORT}"),
            ([{"port": 80, "targetPort": "http"}], 8080),
            ([{"name": "a", "port": 8000}, {"name": "b", "port": 8080}], 8080),
            ([{"port": 80, "targetPort": "${PORT}"}, {"port": 8000}], 8080),
        ],
    )
    def test_what_answers_or_may(self, ports: list[dict[str, Any]], port: int | str | None) -> None:
        assert not _said(_service(ports=ports), _workload("server"), _workload("b", port=port))


class TestControllers:
    @pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
    def test_equal_selectors(self, kind: str) -> None:
        first = _workload("first", labels=SHARED)
        (found,) = _said(first, _workload("second", kind=kind, labels=SHARED))
        assert "Deployment `first` has the same selector" in found.message
        assert found.path.endswith("spec.selector.matchLabels")

    def test_the_same_object_twice(self) -> None:
        assert not _said(_workload("first", labels=SHARED), _workload("first", labels=SHARED))

    def test_selectors_that_differ(self) -> None:
        assert not _said(_workload("first"), _workload("second"))

    def test_expressions(self) -> None:
        told = {"matchLabels": SHARED, "matchExpressions": [{"key": "a", "operator": "Exists"}]}
        first, second = (_workload(name, labels=SHARED, selector=told) for name in ("a", "b"))
        assert not _said(first, second)
