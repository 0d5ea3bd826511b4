"""GPU428: what policies let between a decode server and the prefill server that it takes caches of."""

import json
from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

Object = dict[str, Any]
NIXL = json.dumps({"kv_connector": "NixlConnector", "kv_role": "kv_both"})
GATEWAY = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "gateway"}}}
CLIENTS = {"from": [GATEWAY], "ports": [{"port": 8000}]}


def server(side: str, words: list[str]) -> Object:
    main: Object = {"name": "main", "image": "vllm/vllm-openai:v0.33.0"}
    main |= {"command": ["vllm", "serve", "/m/qwen"], "args": words}
    main["resources"] = {"limits": {"nvidia.com/gpu": 8}}
    labels = {"app": side}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [main]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return here(an("apps/v1", "Deployment", f"chat-{side}", spec=spec))


def here(made: Object) -> Object:
    made["metadata"]["namespace"] = "serving"
    return made


def policy(side: str, direction: str, *rules: Object) -> Object:
    spec = {
        "podSelector": {"matchLabels": {"app": side}},
        "policyTypes": [direction],
        direction.lower(): list(rules),
    }
    return here(an("networking.k8s.io/v1", "NetworkPolicy", side, spec=spec))


def findings(*policies: Object, config: str = NIXL) -> list[Finding]:
    words = ["--kv-transfer-config", config]
    return of("GPU428", text(server("prefill", words), server("decode", words), *policies))


def peer(**labels: str) -> Object:
    return {"podSelector": {"matchLabels": labels}}


CLOSED = {
    "clients alone": policy("prefill", "Ingress", CLIENTS),
    "nobody": policy("prefill", "Ingress"),
    "others of the namespace": policy("prefill", "Ingress", {"from": [peer(app="other")]}),
    "nothing out": policy("decode", "Egress", {"to": [peer(app="redis")]}),
}


@pytest.mark.parametrize("case", CLOSED)
def test_a_policy_that_lets_nothing_between_them_is_told(case: str) -> None:
    (found,) = findings(CLOSED[case])
    assert found.path == ("spec.egress" if case == "nothing out" else "spec.ingress")
    assert "from the prefill server, whose cache it fetches" in found.message


OPEN = {
    "decode": policy("prefill", "Ingress", CLIENTS, {"from": [peer(app="decode")]}),
    "a port": policy(
        "prefill", "Ingress", {"from": [peer(app="decode")], "ports": [{"port": 5600}]}
    ),
    "the namespace": policy("prefill", "Ingress", {"from": [{"podSelector": {}}]}),
    "addresses": policy("prefill", "Ingress", {"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}),
    "the other way": policy("prefill", "Egress"),
    "of others": policy("router", "Ingress"),
}


@pytest.mark.parametrize("case", OPEN)
def test_what_may_let_them_is_not(case: str) -> None:
    assert findings(OPEN[case]) == []


def test_a_cache_that_is_pushed_or_kept_is_not_judged() -> None:
    for connector in ("P2pNcclConnector", "LMCacheConnectorV1"):
        config = json.dumps({"kv_connector": connector, "kv_role": "kv_both"})
        assert findings(CLOSED["nobody"], config=config) == []
