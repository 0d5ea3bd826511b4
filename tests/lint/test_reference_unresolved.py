"""GPU028: what routes and gateways name, and who permits it."""

from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

GATEWAY = "gateway.networking.k8s.io"
POOLS = "inference.networking.k8s.io"
ENTRY = {"group": GATEWAY, "kind": "HTTPRoute", "namespace": "routes"}


def _within(namespace: str, one: dict[str, Any]) -> dict[str, Any]:
    one["metadata"]["namespace"] = namespace
    return one


def _route(backend: dict[str, Any], kind: str = "HTTPRoute") -> dict[str, Any]:
    spec = {"rules": [{"backendRefs": [backend]}]}
    return _within("routes", an(f"{GATEWAY}/v1", kind, "r", spec=spec))


def _service(namespace: str) -> dict[str, Any]:
    return _within(namespace, an("v1", "Service", "chat", spec={"ports": [{"port": 80}]}))


def _pool(namespace: str, group: str = POOLS) -> dict[str, Any]:
    return _within(namespace, an(f"{group}/v1", "InferencePool", "chat"))


def _grant(source: dict[str, Any], target: dict[str, Any], namespace: str = "ml") -> dict[str, Any]:
    spec = {"from": [source], "to": [target]}
    return _within(namespace, an(f"{GATEWAY}/v1beta1", "ReferenceGrant", spec=spec))


def _said(*objects: dict[str, Any]) -> list[Finding]:
    return of("GPU028", text(*objects))


class TestKinds:
    @pytest.mark.parametrize("written", [{}, {"group": ""}])
    def test_a_pool_without_its_group(self, written: dict[str, str]) -> None:
        (found,) = _said(_route({"kind": "InferencePool", "name": "chat", **written}))
        assert found.severity == "error"
        assert "requests get status 500" in found.message

    @pytest.mark.parametrize("group", [POOLS, "inference.networking.x-k8s.io"])
    @pytest.mark.parametrize("written", [{"kind": "InferencePool"}, {}])
    def test_the_fix_is_the_group_of_the_pool_that_is_there(
        self, tmp_path: Path, written: dict[str, str], group: str
    ) -> None:
        file = tmp_path / "route.yaml"
        file.write_text(text(_route({"name": "chat", **written}), _pool("routes", group)))
        (found,) = (one for one in gpuspec.lint(str(file)).findings if one.rule == "GPU028")
        assert found.fix is not None
        assert any(group in edit.text for edit in found.fix.edits)

    def test_a_pool_without_its_kind(self) -> None:
        (found,) = _said(_route({"name": "chat"}), _pool("routes"))
        assert found.severity == "warning"
        assert "the reference has no `kind`, so `chat` is taken for a Service" in found.message

    @pytest.mark.parametrize(
        "objects",
        [
            [_route({"name": "chat"}), _pool("routes"), _service("routes")],
            [_route({"name": "chat", "kind": "Service"}), _pool("routes")],
            [_route({"name": "other"}), _pool("routes")],
            [_route({"name": "chat", "kind": "Strange"})],
            [_route({"name": "chat", "kind": "${KIND}"})],
            [_route({"name": "chat", "kind": "InferencePool", "group": POOLS})],
        ],
    )
    def test_what_is_right_or_may_be(self, objects: list[dict[str, Any]]) -> None:
        assert not _said(*objects)


class TestNamespaces:
    BACKEND = {"name": "chat", "namespace": "ml", "port": 80}

    @pytest.mark.parametrize("kind", ["HTTPRoute", "GRPCRoute"])
    def test_nobody_permits_it(self, kind: str) -> None:
        (found,) = _said(_route(self.BACKEND, kind), _service("ml"))
        assert found.severity == "warning"
        assert found.path.endswith("backendRefs[0].namespace")

    @pytest.mark.parametrize(
        ("source", "target", "namespace"),
        [
            ({**ENTRY, "kind": "GRPCRoute"}, {"group": "", "kind": "Service"}, "ml"),
            ({**ENTRY, "namespace": "other"}, {"group": "", "kind": "Service"}, "ml"),
            (ENTRY, {"group": POOLS, "kind": "InferencePool"}, "ml"),
            (ENTRY, {"group": "", "kind": "Service", "name": "other"}, "ml"),
            (ENTRY, {"group": "", "kind": "Service"}, "routes"),
        ],
    )
    def test_a_grant_of_something_else(
        self, source: dict[str, Any], target: dict[str, Any], namespace: str
    ) -> None:
        grant = _grant(source, target, namespace)
        assert len(_said(_route(self.BACKEND), _service("ml"), grant)) == 1

    @pytest.mark.parametrize(
        "more",
        [
            [_service("ml"), _grant(ENTRY, {"group": "", "kind": "Service"})],
            [_service("ml"), _grant(ENTRY, {"group": "", "kind": "Service", "name": "chat"})],
            [
                _service("ml"),
                _grant({**ENTRY, "namespace": "${NS}"}, {"group": "", "kind": "Service"}),
            ],
            [_service("routes")],
            [],
        ],
    )
    def test_it_is_permitted_or_may_be(self, more: list[dict[str, Any]]) -> None:
        assert not _said(_route(self.BACKEND), *more)

    def test_a_certificate_of_another_namespace(self) -> None:
        tls = {"certificateRefs": [{"name": "tls", "namespace": "ml"}]}
        listener = {"name": "https", "port": 443, "protocol": "HTTPS", "tls": tls}
        gateway = an(f"{GATEWAY}/v1", "Gateway", spec={"listeners": [listener]})
        secret = _within("ml", an("v1", "Secret", "tls"))
        (found,) = _said(_within("routes", gateway), secret)
        assert "the listener does not serve" in found.message

    def test_a_gateway_of_another_namespace(self) -> None:
        spec = {"parentRefs": [{"name": "g", "namespace": "ml"}]}
        route = _within("routes", an(f"{GATEWAY}/v1", "HTTPRoute", spec=spec))
        assert not _said(route, _within("ml", an(f"{GATEWAY}/v1", "Gateway", "g")))
