"""GPU110, GPU779 and GPU907: what a LimitRange gives to containers without a limit."""

from typing import Any

import pytest
import yaml

from tests.lint.pages import raised

VLLM = "vllm/vllm-openai:v0.19.1"


def limits(default: dict[str, str], namespace: str = "ml", type_: str = "Container") -> Any:
    row = {"type": type_, "default": default}
    meta = {"name": "defaults", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": meta, "spec": {"limits": [row]}}


def pod(requests: dict[str, str], image: str = "a/b:1", **own: str) -> Any:
    resources = {"requests": requests, "limits": {"nvidia.com/gpu": 1, **own}}
    container = {"name": "main", "image": image, "resources": resources}
    meta = {"name": "one", "namespace": "ml"}
    spec = {"containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def said(code: str, *objects: Any) -> list[str]:
    found = raised(yaml.safe_dump_all(objects))
    return [each.finding().message for each in found if each.rule.code == code]


@pytest.mark.parametrize(
    ("default", "requests", "own", "refused"),
    [
        ({"memory": "512Mi"}, {"memory": "64Gi"}, {}, True),
        ({"memory": "64Gi"}, {"memory": "64Gi"}, {}, False),
        ({"memory": "512Mi"}, {"memory": "64Gi"}, {"memory": "64Gi"}, False),
        ({"cpu": "500m"}, {"cpu": "8"}, {}, True),
        ({"cpu": "500m"}, {"memory": "64Gi"}, {}, False),
    ],
)
def test_a_request_above_the_limit_that_it_is_given_is_refused(
    default: dict[str, str], requests: dict[str, str], own: dict[str, str], refused: bool
) -> None:
    assert bool(said("GPU110", limits(default), pod(requests, **own))) is refused


def test_only_limits_of_containers_in_the_namespace_count() -> None:
    one = pod({"memory": "64Gi"})
    assert said("GPU110", limits({"memory": "1Gi"}, "other"), one) == []
    assert said("GPU110", limits({"memory": "1Gi"}, type_="Pod"), one) == []
    large = limits({"memory": "128Gi"})
    assert said("GPU110", limits({"memory": "1Gi"}), large, one) == []


def test_a_server_without_a_limit_is_given_too_little() -> None:
    small, enough = limits({"memory": "512Mi"}), limits({"memory": "64Gi"})
    server = pod({}, VLLM)
    (message,) = said("GPU907", small, server)
    assert "LimitRange `defaults` sets 512Mi" in message
    assert said("GPU907", enough, server) == []
    assert said("GPU907", server) == []
    assert said("GPU907", small, pod({})) == []


@pytest.mark.parametrize(
    ("driver", "told"),
    [
        ({"enabled": True}, True),
        ({}, True),
        ({"enabled": False}, False),
        ({"usePrecompiled": True}, False),
        ({"resources": {"limits": {"memory": "8Gi"}}}, False),
    ],
)
def test_the_driver_that_is_built_with_the_default(driver: dict[str, Any], told: bool) -> None:
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "gpu-operator", "namespace": "flux"},
        "spec": {
            "interval": "5m",
            "targetNamespace": "gpu-operator",
            "chart": {"spec": {"chart": "gpu-operator", "version": "v25.10.1"}},
            "values": {"driver": driver},
        },
    }
    given = limits({"memory": "512Mi"}, "gpu-operator")
    assert bool(said("GPU779", given, release)) is told
    assert said("GPU779", limits({"memory": "512Mi"}, "flux"), release) == []
