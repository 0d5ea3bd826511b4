"""GPU821: names of models, and what the servers of a pool answer to."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

GROUP = "inference.networking.x-k8s.io/v1alpha2"
ADAPTER = ["--lora-modules", '{"name": "reviews", "path": "/a"}', "mails=/b"]


def _server(*words: str, **env: str) -> dict[str, Any]:
    one: dict[str, Any] = {"name": "main", "image": "vllm/vllm-openai:v0.33.0", "args": list(words)}
    one["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    one["env"] = [{"name": key, "value": value} for key, value in env.items()]
    pod = an("v1", "Pod", "llama", spec={"containers": [one]})
    pod["metadata"]["labels"] = {"app": "llama"}
    return pod


def _said(server: dict[str, Any], kind: str = "InferenceModel", **spec: Any) -> list[Finding]:
    pool = an(GROUP, "InferencePool", "llama", spec={"selector": {"app": "llama"}})
    one = an(GROUP, kind, "x", spec={"poolRef": {"name": "llama"}, **spec})
    return of("GPU821", text(one, pool, server))


NAMED = _server("--served-model-name", "llama", "llama-8b", *ADAPTER)


@pytest.mark.parametrize(
    ("name", "count"), [("llama", 0), ("llama-8b", 0), ("reviews", 0), ("mails", 0), ("ads", 1)]
)
def test_names_of_models_and_adapters(name: str, count: int) -> None:
    assert len(_said(NAMED, modelName="any", targetModels=[{"name": name}])) == count
    assert len(_said(NAMED, modelName=name)) == count
    rules = [{"targets": [{"modelRewrite": name, "weight": 1}]}]
    assert len(_said(NAMED, "InferenceModelRewrite", rules=rules)) == count


def test_what_comes_near_is_meant() -> None:
    (found,) = _said(NAMED, modelName="any", targetModels=[{"name": "reviews-1"}])
    assert found.path == "spec.targetModels[0].name"
    assert "get status 404" in found.message


@pytest.mark.parametrize(
    "server",
    [
        _server("--port", "8000"),
        _server("--served-model-name", "$(NAME)"),
        _server("--served-model-name", "llama", VLLM_ALLOW_RUNTIME_LORA_UPDATING="true"),
        an("v1", "ConfigMap", "none"),
    ],
)
def test_what_nobody_knows(server: dict[str, Any]) -> None:
    assert _said(server, modelName="ads") == []


def test_pieces_of_json_are_no_names() -> None:
    adapter = '{"name": "reviews", "path": "/a", "base_model_name": "llama"}'
    server = _server("--served-model-name", "llama", "--lora-modules", adapter)
    (finding,) = _said(server, modelName="ads")
    assert finding.note == "write `llama` or `reviews`"
