"""GPU863: which names lead to several prefill servers."""

import json
from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

SGLANG = "lmsysorg/sglang:v0.5.23"


def here(made: dict[str, Any]) -> dict[str, Any]:
    made["metadata"]["namespace"] = "ml"
    return made


def found(
    url: str,
    replicas: int | None = 2,
    mode: str = "prefill",
    option: str = "--pd-disaggregation",
    service: str = "p",
    vllm: str | None = None,
) -> list[Finding]:
    router: dict[str, Any] = {
        "name": "router",
        "image": "lmsysorg/sgl-model-gateway:v0.3.2",
        "args": [
            option,
            *(["--kv-connector", vllm] if vllm else []),
            "--prefill",
            url,
            "8998",
            "--decode",
            "http://d:30000",
        ],
    }
    server: dict[str, Any] = {
        "name": "main",
        "image": SGLANG,
        "command": ["python3", "-m", "sglang.launch_server", "--disaggregation-mode", mode],
        "resources": {"limits": {"nvidia.com/gpu": 8}},
    }
    if vllm is not None:
        config = {"kv_connector": "MooncakeConnector", "kv_role": "kv_producer"}
        server["image"] = "vllm/vllm-openai:v0.20.0"
        server["command"] = ["vllm", "serve", "/m", "--kv-transfer-config", json.dumps(config)]
    labels = {"app": "p"}

    def deployment(name: str, container: dict[str, Any], **more: Any) -> dict[str, Any]:
        pod = {"metadata": {"labels": labels if name == "p" else {}}}
        spec = {"template": {**pod, "spec": {"containers": [container]}}, **more}
        return here(an("apps/v1", "Deployment", name, spec=spec))

    several = {} if replicas is None else {"replicas": replicas}
    return of(
        "GPU863",
        text(
            deployment("router", router),
            here(
                an("v1", "Service", service, spec={"selector": labels, "ports": [{"port": 30000}]})
            ),
            deployment("p", server, **several),
        ),
    )


@pytest.mark.parametrize(
    "url", ["http://p:30000", "http://p.ml:30000", "http://p.ml.svc.cluster.local:80"]
)
def test_a_service_before_several_prefill_servers(url: str) -> None:
    (one,) = found(url)
    assert "Service `p` has 2 prefill servers" in one.message


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("http://p:30000", {"replicas": 1}),
        ("http://p:30000", {"replicas": None}),
        ("http://p:30000", {"mode": "decode"}),
        # vLLM's router hands no name on: servers say their own address.
        ("http://p:30000", {"option": "--vllm-pd-disaggregation"}),
        ("http://p:30000", {"service": "other"}),
        ("http://p.elsewhere:30000", {}),
        ("http://p-0.p:30000", {}),
        ("http://$(PREFILL):30000", {}),
        ("http://[p:30000", {}),
    ],
)
def test_a_name_of_one_server_or_of_what_is_not_here(url: str, more: dict[str, Any]) -> None:
    assert found(url, **more) == []


def test_vllm_by_mooncake_asks_by_name_too() -> None:
    mode = "--vllm-pd-disaggregation"
    (one,) = found("http://p:8000", option=mode, vllm="mooncake")
    assert "Service `p` has 2 prefill servers" in one.message
    assert "--service-discovery" not in (one.note or "")
    # By NIXL a server answers with its own address.
    assert found("http://p:8000", option=mode, vllm="nixl") == []
    assert found("http://p:8000", option=mode, vllm="mooncake", replicas=1) == []
