"""GPU501 and GPU508: probes of programs that load models, beyond what their pages show."""

from collections.abc import Mapping

import pytest
import yaml

from gpuspec.lint.model import Finding
from tests.lint.patched import of

READY = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 5, "failureThreshold": 5}


def said(code: str, container: Mapping[str, object]) -> list[Finding]:
    """What a rule says of a Deployment with one container."""
    limits = {"nvidia.com/gpu": 1, "cpu": "4", "memory": "16Gi"}
    whole = {
        "name": "main",
        "image": "registry.example.com/answers:1",
        "resources": {"limits": limits},
        **container,
    }
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [whole]}}
    spec = {"selector": {"matchLabels": {"app": "a"}}, "template": template}
    metadata = {"name": "a", "namespace": "ml"}
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    return of(code, yaml.safe_dump(manifest))


@pytest.mark.parametrize(
    ("failures", "path", "timeout", "expected"),
    [
        (3, "/health", 1, ["warning"]),
        (5, "/health", 1, []),
        (3, "/live", 1, []),
        (3, "/health", 10, []),
    ],
)
def test_liveness_gives_up_before_readiness(
    failures: int, path: str, timeout: int, expected: list[str]
) -> None:
    live = {**READY, "failureThreshold": failures, "httpGet": {"path": path, "port": 8000}}
    live["timeoutSeconds"] = timeout
    probes = {"livenessProbe": live, "readinessProbe": READY}
    found = said("GPU508", probes)
    assert [one.severity for one in found] == expected


@pytest.mark.parametrize(
    ("variable", "delay", "count"),
    [
        ({"name": "HF_HOME", "value": "/cache"}, 30, 1),
        ({"name": "HF_HOME", "value": "/cache"}, 90, 0),
        ({"name": "EMBEDDING_MODEL", "value": "BAAI/bge-m3"}, 30, 1),
        ({"name": "OTHER", "value": "BAAI/bge-m3"}, 30, 0),
    ],
)
def test_variables_show_that_a_program_loads_a_model(
    variable: dict[str, str], delay: int, count: int
) -> None:
    live = {"tcpSocket": {"port": 8000}, "initialDelaySeconds": delay}
    assert len(said("GPU501", {"env": [variable], "livenessProbe": live})) == count
