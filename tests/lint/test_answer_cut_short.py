"""GPU816: which route, which gateway, which server."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

GATEWAY = "gateway.networking.k8s.io/v1"
CHAT = {"name": "chat", "port": 8000}
READ = "nginx.ingress.kubernetes.io/proxy-read-timeout"
ALB = "alb.ingress.kubernetes.io/load-balancer-attributes"
ROUTER = "haproxy.router.openshift.io/timeout"


def _pod(image: str) -> dict[str, Any]:
    one = an("v1", "Pod", "chat", spec={})
    one["metadata"]["labels"] = {"app": "chat"}
    limits = {"nvidia.com/gpu": 1}
    one["spec"]["containers"] = [{"name": "main", "image": image, "resources": {"limits": limits}}]
    return one


SERVICE = an("v1", "Service", "chat", spec={"selector": {"app": "chat"}, "ports": [{"port": 8000}]})
SERVER = (SERVICE, _pod("vllm/vllm-openai:v0.33.0"))


def _gateway(name: str) -> dict[str, Any]:
    return an(GATEWAY, "Gateway", "public", spec={"gatewayClassName": name})


def _route(backend: dict[str, Any] = CHAT, **rule: Any) -> dict[str, Any]:
    rules = [{"backendRefs": [backend], **rule}]
    spec = {"parentRefs": [{"name": "public"}], "rules": rules}
    return an(GATEWAY, "HTTPRoute", "front", spec=spec)


def _ingress(name: str, service: str = "chat", **annotations: str) -> dict[str, Any]:
    paths = [{"backend": {"service": {"name": service}}}]
    spec = {"ingressClassName": name, "rules": [{"http": {"paths": paths}}]}
    one = an("networking.k8s.io/v1", "Ingress", "front", spec=spec)
    one["metadata"]["annotations"] = annotations
    return one


def _said(*objects: dict[str, Any]) -> list[Finding]:
    return of("GPU816", text(*objects))


class TestGateways:
    @pytest.mark.parametrize(
        ("name", "seconds"),
        [("eg", 15), ("kgateway", 15), ("gke-l7-regional-external-managed", 30)],
    )
    def test_a_class_by_its_usual_name(self, name: str, seconds: int) -> None:
        (found,) = _said(_route(), _gateway(name), *SERVER)
        assert f"after its default of {seconds}s" in found.message
        assert found.severity == "warning"

    def test_a_class_by_its_controller(self) -> None:
        controller = {"controllerName": "gateway.envoyproxy.io/gatewayclass-controller"}
        mine = an(GATEWAY, "GatewayClass", "mine", spec=controller)
        (found,) = _said(_route(), _gateway("mine"), mine, *SERVER)
        assert "Envoy Gateway" in found.message

    def test_a_class_whose_controller_has_no_limit(self) -> None:
        mine = an(
            GATEWAY, "GatewayClass", "eg", spec={"controllerName": "istio.io/gateway-controller"}
        )
        assert _said(_route(), _gateway("eg"), mine, *SERVER) == []

    @pytest.mark.parametrize("there", [[], [_gateway("mine")]])
    def test_a_gateway_that_nobody_knows_is_mentioned(self, there: list[dict[str, Any]]) -> None:
        (found,) = _said(_route(), *there, *SERVER)
        assert (found.severity, found.confidence) == ("info", "possible")

    @pytest.mark.parametrize(
        "timeouts", [{"request": "0s"}, {"request": "10m"}, {"backendRequest": "1h30m"}]
    )
    def test_a_route_that_says_its_limit(self, timeouts: dict[str, str]) -> None:
        assert _said(_route(timeouts=timeouts), _gateway("eg"), *SERVER) == []

    @pytest.mark.parametrize(
        "timeouts", [{"request": "30s"}, {"request": "0s", "backendRequest": "20s"}]
    )
    def test_a_limit_that_is_short(self, timeouts: dict[str, str]) -> None:
        (found,) = _said(_route(timeouts=timeouts), *SERVER)
        assert timeouts[found.path.rpartition(".")[2]] in found.message

    def test_a_policy_that_says_another(self) -> None:
        limit = {"timeout": {"http": {"requestTimeout": "0s"}}}
        policy = an("gateway.envoyproxy.io/v1alpha1", "BackendTrafficPolicy", "slow", spec=limit)
        assert _said(_route(), _gateway("eg"), policy, *SERVER) == []

    def test_a_route_of_a_mesh(self) -> None:
        route = _route()
        route["spec"]["parentRefs"] = [{"group": "", "kind": "Service", "name": "chat"}]
        assert _said(route, *SERVER) == []


class TestOthers:
    @pytest.mark.parametrize(
        ("name", "key", "short", "long"),
        [
            ("nginx", READ, "30", "600"),
            (
                "alb",
                ALB,
                "a=b,idle_timeout.timeout_seconds=30",
                "idle_timeout.timeout_seconds=600,a=b",
            ),
        ],
    )
    def test_an_ingress(self, name: str, key: str, short: str, long: str) -> None:
        (found,) = _said(_ingress(name), *SERVER)
        assert f"does not set `{key}`" in found.message
        (found,) = _said(_ingress(name, **{key: short}), *SERVER)
        assert "for 30s" in found.message
        assert _said(_ingress(name, **{key: long}), *SERVER) == []

    @pytest.mark.parametrize("name", ["traefik", ""])
    def test_an_ingress_of_another_class(self, name: str) -> None:
        assert _said(_ingress(name), *SERVER) == []

    def test_a_route_of_openshift(self) -> None:
        to = {"to": {"kind": "Service", "name": "chat"}}
        one = an("route.openshift.io/v1", "Route", "front", spec=to)
        (found,) = _said(one, *SERVER)
        assert "for 30s" in found.message
        one["metadata"]["annotations"] = {ROUTER: "10m"}
        assert _said(one, *SERVER) == []

    def test_a_virtual_service_has_no_limit_of_its_own(self) -> None:
        host = "chat.ml.svc.cluster.local"
        rule: dict[str, Any] = {"route": [{"destination": {"host": host}}]}
        spec = {"hosts": ["ai.example.com"], "http": [rule]}
        one = an("networking.istio.io/v1", "VirtualService", "front", spec=spec)
        assert _said(one, *SERVER) == []
        rule["timeout"] = "10s"
        (found,) = _said(one, *SERVER)
        assert "after 10s" in found.message


class TestServers:
    def test_a_pool_generates(self) -> None:
        pool = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "x"}
        (found,) = _said(_route(pool), _gateway("eg"))
        assert found.path == "spec.rules[0].timeouts.request"

    @pytest.mark.parametrize(
        "image", ["ghcr.io/huggingface/text-embeddings-inference:1.9", "example.com/app:1"]
    )
    def test_pods_that_do_not_or_may_not_generate(self, image: str) -> None:
        assert _said(_route(), _gateway("eg"), SERVICE, _pod(image)) == []

    @pytest.mark.parametrize(
        ("name", "count"), [("vllm-router", 1), ("my-llm", 1), ("llm-embed", 0), ("shop", 0)]
    )
    def test_a_name_tells_where_no_pod_is_here(self, name: str, count: int) -> None:
        assert len(_said(_route({"name": name, "port": 80}), _gateway("eg"))) == count

    @pytest.mark.parametrize("request_", [5, None, [], "soon", "500ms"])
    def test_what_is_no_duration_is_left_alone(self, request_: object) -> None:
        found = _said(_route(timeouts={"request": request_}), _gateway("eg"), *SERVER)
        assert all("after" in one.message for one in found)


class TestAiGateway:
    GROUP = "aigateway.envoyproxy.io/v1alpha1"

    def _route(self, **rule: Any) -> dict[str, Any]:
        return an(self.GROUP, "AIGatewayRoute", "front", spec={"rules": [rule]})

    def test_its_own_limit(self) -> None:
        (found,) = _said(self._route(backendRefs=[{"name": "qwen"}]))
        assert "Envoy AI Gateway ends a request after its default of 60s" in found.message
        assert not _said(self._route(backendRefs=[{"name": "qwen"}], timeouts={"request": "0s"}))

    def test_a_limit_of_the_backend_as_releases_before_0_3_have_it(self) -> None:
        spec = {"timeouts": {"request": "3m"}, "schema": {"name": "OpenAI"}}
        backend = an(self.GROUP, "AIServiceBackend", "qwen", spec=spec)
        assert not _said(self._route(backendRefs=[{"name": "qwen"}]), backend)
