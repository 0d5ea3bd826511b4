"""The route by which a Gateway sends clients to a server."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gpuspec
from gpuspec.kinds import apply_order
from gpuspec.manifests import write
from tests.plan.conftest import Made, Make, Values

Routed = Callable[..., Made]
GATEWAY = {"name": "public", "namespace": "gateway", "listener": "https"}
HERE = {"name": "public", "namespace": "default"}
PUBLIC = {
    "apiVersion": "gateway.networking.k8s.io/v1",
    "kind": "Gateway",
    "metadata": {"name": "public", "namespace": "gateway"},
    "spec": {
        "gatewayClassName": "eg",
        "listeners": [
            {
                "name": "https",
                "protocol": "HTTP",
                "port": 80,
                "allowedRoutes": {"namespaces": {"from": "All"}},
            }
        ],
    },
}


@pytest.fixture
def routed(make: Make, words: ModuleType) -> Routed:
    """Renders a server with a route on a cluster with a Gateway."""

    def run(route: Values, gateway: Values = GATEWAY, **spec: Any) -> Made:
        profile = words.cluster(installed={"gateway-api": "1.4"}, gateway=gateway)
        return make("Inference", profile, route=route, **spec)

    return run


def test_hosts_and_paths_lead_to_the_servers_service(routed: Routed) -> None:
    route = {"hosts": ["chat.example.com"], "paths": ["/v1", "/metrics"]}
    made = routed(route, expose={"name": "chat-api", "port": 80}, longestRequest="10m")
    service = made.one("Service")
    assert made.one("HTTPRoute")["spec"] == {
        "parentRefs": [{"name": "public", "namespace": "gateway", "sectionName": "https"}],
        "hostnames": ["chat.example.com"],
        "rules": [
            {
                "matches": [
                    {"path": {"type": "PathPrefix", "value": "/v1"}},
                    {"path": {"type": "PathPrefix", "value": "/metrics"}},
                ],
                "backendRefs": [
                    {
                        "name": service["metadata"]["name"],
                        "port": service["spec"]["ports"][0]["port"],
                    }
                ],
                "timeouts": {"request": "10m"},
            }
        ],
    }


def test_it_is_applied_when_the_server_is_there(make: Make, words: ModuleType) -> None:
    profile = words.cluster(
        installed={"gateway-api": "1.4"}, gateway=GATEWAY, metrics={"source": "custom-metrics"}
    )
    made = make("Inference", profile, route={}, replicas={"min": 1, "max": 3})
    assert made.kinds()[-3:] == ["Deployment", "HorizontalPodAutoscaler", "HTTPRoute"]
    assert made.objects == apply_order(made.objects)


def test_a_gateway_beside_the_server_takes_every_host_and_path(routed: Routed) -> None:
    spec = routed({}, gateway=HERE).one("HTTPRoute")["spec"]
    assert spec["parentRefs"] == [{"name": "public"}]
    assert "hostnames" not in spec
    assert "matches" not in spec["rules"][0]


@pytest.mark.parametrize(
    ("timeout", "written"),
    [("90s", "1m30s"), ("1h", "1h"), ("2d", "48h"), ("1h30m5s", "1h30m5s")],
)
def test_a_timeout_is_written_as_gateway_api_reads_it(
    routed: Routed, timeout: str, written: str
) -> None:
    rule = routed({"timeout": timeout}).one("HTTPRoute")["spec"]["rules"][0]
    assert rule["timeouts"] == {"request": written}


def test_a_gateway_that_ends_requests_early_is_told_not_to(routed: Routed, tmp_path: Path) -> None:
    """Envoy Gateway's own limit is 15 s: the linter finds it where the route says nothing."""
    made = routed({"hosts": ["chat.example.com"]})
    route = made.one("HTTPRoute")

    def codes() -> list[str]:
        path = tmp_path / "set.yaml"
        path.write_text(write([*made.objects, PUBLIC]), encoding="utf-8")
        return [finding.rule for finding in gpuspec.lint(str(path)).findings]

    assert "GPU816" not in codes()
    del route["spec"]["rules"][0]["timeouts"]
    assert "GPU816" in codes()


def test_without_a_gateway_it_is_said(make: Make, words: ModuleType, routed: Routed) -> None:
    made = make("Inference", words.cluster(), route={"paths": ["/v1"]})
    assert "HTTPRoute" not in made.kinds()
    assert "route: the profile has no `gateway`, so no route is rendered" in made.loud()
    assert "route:" not in routed({}).loud()


def test_a_path_that_no_gateway_takes_is_an_error_of_the_spec(routed: Routed) -> None:
    """What the definition's own rules say of it, at the line of the spec."""
    with pytest.raises(gpuspec.InputError, match="HTTPRoute"):
        routed({"paths": ["/a//b"]})
