"""GPU859: which gateway asks for `/`, and which server answers it."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

GATEWAY = "gateway.networking.k8s.io/v1"
POOL = "inference.networking.k8s.io/v1"
LABELS = {"app": "chat"}
SERVICE = an("v1", "Service", "chat", spec={"selector": LABELS, "ports": [{"port": 8000}]})
VLLM = "vllm/vllm-openai:v0.33.0"


def _pod(image: str, name: str = "chat") -> dict[str, Any]:
    one = an("v1", "Pod", name, spec={})
    one["metadata"]["labels"] = LABELS
    limits = {"nvidia.com/gpu": 1}
    one["spec"]["containers"] = [{"name": "main", "image": image, "resources": {"limits": limits}}]
    return one


def _gateway(name: str = "gke-l7-rilb") -> dict[str, Any]:
    return an(GATEWAY, "Gateway", "public", spec={"gatewayClassName": name})


def _route(**backend: Any) -> dict[str, Any]:
    rules = [{"backendRefs": [{"name": "chat", **(backend or {"port": 8000})}]}]
    return an(
        GATEWAY, "HTTPRoute", "front", spec={"parentRefs": [{"name": "public"}], "rules": rules}
    )


def _policy(name: str = "chat") -> dict[str, Any]:
    spec = {"targetRef": {"group": "", "kind": "Service", "name": name}}
    return an("networking.gke.io/v1", "HealthCheckPolicy", "chat", spec=spec)


def _said(*objects: dict[str, Any]) -> list[Finding]:
    return of("GPU859", text(*objects))


def test_a_server_without_a_root_is_taken_for_ill() -> None:
    (found,) = _said(_route(), _gateway(), SERVICE, _pod(VLLM))
    assert found.severity == "warning"
    assert "vLLM answers 404" in found.message


def test_so_is_one_behind_a_pool() -> None:
    pool = an(POOL, "InferencePool", "chat", spec={"selector": {"matchLabels": LABELS}})
    route = _route(group="inference.networking.k8s.io", kind="InferencePool")
    assert _said(route, _gateway(), pool, _pod(VLLM))


@pytest.mark.parametrize(
    "objects",
    [
        (_route(), _gateway(), SERVICE, _pod(VLLM), _policy()),
        (_route(), _gateway("eg"), SERVICE, _pod(VLLM)),
        (_route(), SERVICE, _pod(VLLM)),
        (_route(), _gateway(), SERVICE),
        (_route(), _gateway(), SERVICE, _pod("ollama/ollama:0.24.0")),
        (_route(), _gateway(), SERVICE, _pod(VLLM), _pod("example/proxy:1", "other")),
    ],
    ids=["told", "another gateway", "which gateway", "which server", "a root", "two servers"],
)
def test_nothing_is_said_of(objects: tuple[dict[str, Any], ...]) -> None:
    assert _said(*objects) == []


def test_a_policy_for_another_service_says_nothing_of_this_one() -> None:
    assert _said(_route(), _gateway(), SERVICE, _pod(VLLM), _policy("other"))
