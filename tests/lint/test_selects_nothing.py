"""GPU023: selectors of every kind that has one, and the ports that monitors ask for."""

from typing import Any

import pytest

from gpuspec.kinds import kinds
from tests.lint.patched import of
from tests.lint.plain import an, text

LABELS = {"app": "chat", "part": "server"}
PODS = [
    (kind.group, kind.name, row.path)
    for kind in kinds()
    for row in kind.selects
    if row.what == "Pod" and kind.name != "Service"
]


def _server(**labels: str) -> dict[str, Any]:
    container = {"name": "main", "image": "a:1", "ports": [{"name": "http", "containerPort": 8000}]}
    template = {"metadata": {"labels": labels or LABELS}, "spec": {"containers": [container]}}
    return an("apps/v1", "Deployment", "chat", spec={"template": template})


def _selecting(group: str, kind: str, path: str, labels: dict[str, Any]) -> dict[str, Any]:
    one = an(f"{group}/v1", kind, "chat")
    *outer, last = path.split(".")
    holder = one
    for step in outer:
        holder = holder.setdefault(step, {})
    holder[last] = labels
    return one


@pytest.mark.parametrize(("group", "kind", "path"), PODS)
class TestEverySelector:
    def _said(self, group: str, kind: str, path: str, labels: dict[str, Any]) -> int:
        one = _selecting(group, kind, path, labels)
        return len(of("GPU023", text(one, _server())))

    def test_a_label_that_the_pods_lack(self, group: str, kind: str, path: str) -> None:
        wanted = {"matchLabels": {"app": "chat", "role": "server"}}
        assert self._said(group, kind, path, wanted) == 1

    def test_a_slip(self, group: str, kind: str, path: str) -> None:
        assert self._said(group, kind, path, {"matchLabels": {"app": "dev-chat"}}) == 1

    @pytest.mark.parametrize(
        "selector",
        [
            {"matchLabels": LABELS},
            {},
            {"matchLabels": {"app": "embed"}},
            {"matchLabels": {"app": "$APP"}},
            {"matchLabels": {"app": "chat", "serving.kserve.io/inferenceservice": "chat"}},
            {"matchLabels": {"app": "dev-chat"}, "matchExpressions": [{"key": "a"}]},
        ],
    )
    def test_what_is_right_or_may_be(
        self, group: str, kind: str, path: str, selector: dict[str, Any]
    ) -> None:
        assert self._said(group, kind, path, selector) == 0


def _monitor(kind: str, field: str, port: str, **more: Any) -> dict[str, Any]:
    spec = {"selector": {"matchLabels": {"app": "chat"}}, field: [{"port": port}], **more}
    return an("monitoring.coreos.com/v1", kind, "chat", spec=spec)


class TestPorts:
    def test_of_pods(self) -> None:
        (found,) = of(
            "GPU023", text(_monitor("PodMonitor", "podMetricsEndpoints", "metrics"), _server())
        )
        assert found.message.startswith("no port of Deployment `chat` is named `metrics`")
        assert not of(
            "GPU023", text(_monitor("PodMonitor", "podMetricsEndpoints", "http"), _server())
        )

    def test_of_services(self) -> None:
        service = an("v1", "Service", "chat", spec={"ports": [{"name": "http", "port": 80}]})
        service["metadata"]["labels"] = {"app": "chat"}
        assert of("GPU023", text(_monitor("ServiceMonitor", "endpoints", "https"), service))
        assert not of("GPU023", text(_monitor("ServiceMonitor", "endpoints", "http"), service))

    def test_operators_add_ports(self) -> None:
        cluster = an("kubeflow.org/v1", "PyTorchJob", "chat")
        template = _server()["spec"]["template"]
        cluster["spec"] = {"pytorchReplicaSpecs": {"Worker": {"template": template}}}
        assert not of(
            "GPU023", text(_monitor("PodMonitor", "podMetricsEndpoints", "metrics"), cluster)
        )


class TestServices:
    SERVICE = an("v1", "Service", "chat", spec={"ports": [{"name": "http", "port": 80}]})

    def test_one_that_has_not_the_label(self) -> None:
        one = {**self.SERVICE, "metadata": {"name": "chat", "labels": {"app": "chat-server"}}}
        assert len(of("GPU023", text(_monitor("ServiceMonitor", "endpoints", "http"), one))) == 1

    def test_other_namespaces_are_not_looked_into(self) -> None:
        one = {**self.SERVICE, "metadata": {"name": "chat", "labels": {"app": "chat-server"}}}
        wide = _monitor("ServiceMonitor", "endpoints", "http", namespaceSelector={"any": True})
        assert not of("GPU023", text(wide, one))


def test_a_kind_whose_pods_nobody_knows_may_have_the_label() -> None:
    budget = _selecting(
        "policy", "PodDisruptionBudget", "spec.selector", {"matchLabels": {"app": "dev-chat"}}
    )
    fleet = an("fleets.example.com/v1", "ModelFleet", "dev-chat")
    assert of("GPU023", text(budget, _server()))
    assert not of("GPU023", text(budget, _server(), fleet))


def _pool(labels: dict[str, str], version: str = "inference.networking.x-k8s.io/v1alpha2") -> Any:
    selector: dict[str, Any] = {"matchLabels": labels} if version.endswith("/v1") else {}
    return an(version, "InferencePool", "chat", spec={"selector": selector or labels})


class TestKeys:
    """A value that is there under another key."""

    @pytest.mark.parametrize(
        ("has", "asks"),
        [
            ("nvidia.com/dynamo-component", "nvidia.com/dynamo-component-type"),
            ("app", "app.kubernetes.io/name"),
            ("app.kubernetes.io/name", "app"),
            ("llm-d.ai/inference-serving", "llm-d.ai/inferenceServing"),
        ],
    )
    @pytest.mark.parametrize(
        "version", ["inference.networking.x-k8s.io/v1alpha2", "inference.networking.k8s.io/v1"]
    )
    def test_the_key_that_has_it_is_said(self, version: str, has: str, asks: str) -> None:
        pool = _pool({asks: "web", "part": "a"}, version)
        (found,) = of("GPU023", text(pool, _server(**{has: "web", "part": "a"})))
        assert f"has `{has}: web`" in found.message

    @pytest.mark.parametrize(
        ("asks", "has"),
        [
            ({"x.example.com/role": "web"}, {"y.example.com/role": "web"}),
            ({"x.example.com/role": "web"}, {"x.example.com/model": "web"}),
            ({"x.example.com/roles": "web"}, {"x.example.com/role": "db"}),
            (
                {"app.kubernetes.io/name": "web", "part": "a"},
                {"app": "web", "part": "b"},
            ),
        ],
    )
    def test_another_thing_is_not_taken_for_it(
        self, asks: dict[str, str], has: dict[str, str]
    ) -> None:
        found = of("GPU023", text(_pool(asks), _server(**has)))
        assert not any("has `app: web`" in one.message or "role" in one.message for one in found)


@pytest.mark.parametrize("kind", ["PodMonitor", "ServiceMonitor"])
def test_a_monitor_looks_only_in_its_own_namespace(kind: str) -> None:
    server = _server()
    service = an("v1", "Service", "chat", spec={"selector": LABELS})
    service["metadata"]["labels"] = LABELS
    monitor = an(
        "monitoring.coreos.com/v1", kind, "chat", spec={"selector": {"matchLabels": LABELS}}
    )
    for obj, namespace in ((server, "models"), (service, "models"), (monitor, "monitoring")):
        obj["metadata"]["namespace"] = namespace

    def said() -> list[str]:
        return [one.message for one in of("GPU023", text(monitor, server, service))]

    (message,) = said()
    assert "is in `models`" in message and "looks only in `monitoring`" in message
    for chosen in ({"any": True}, {"matchNames": ["models"]}, {}):
        monitor["spec"]["namespaceSelector"] = chosen
        assert said() == [] or chosen == {}
    del monitor["spec"]["namespaceSelector"]
    monitor["metadata"]["namespace"] = "models"
    assert said() == []
    # Where it is applied, nothing tells.
    del monitor["metadata"]["namespace"]
    assert said() == []
    monitor["metadata"]["namespace"] = "monitoring"
    del server["metadata"]["namespace"], service["metadata"]["namespace"]
    assert said() == []
