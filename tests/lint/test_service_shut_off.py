"""GPU858: which addresses name a Service, and what policies let between its pods and who asks."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

Object = dict[str, Any]


def here(made: Object, namespace: str = "ml") -> Object:
    made["metadata"]["namespace"] = namespace
    return made


def pod(name: str, namespace: str = "ml", env: str = "", args: str = "", **spec: Any) -> Object:
    main: Object = {"name": "main", "image": "registry.example.com/app:1.0.0"}
    main["env"] = [{"name": "ENGINE", "value": env}]
    main["args"] = [args]
    made = an("v1", "Pod", name, spec={"containers": [main], **spec})
    made["metadata"]["labels"] = {"app": name}
    return here(made, namespace)


def service(target: object = 5555) -> Object:
    ports = [{"name": "dcgm", "port": 5555, "targetPort": target}]
    return here(an("v1", "Service", "engine", spec={"selector": {"app": "engine"}, "ports": ports}))


def policy(*rules: Object, direction: str = "Ingress", app: str = "engine") -> Object:
    spec = {
        "podSelector": {"matchLabels": {"app": app}},
        "policyTypes": [direction],
        direction.lower(): list(rules),
    }
    return here(an("networking.k8s.io/v1", "NetworkPolicy", app, spec=spec))


def findings(*objects: Object) -> list[Finding]:
    return of("GPU858", text(*objects))


def peer(**labels: str) -> Object:
    return {"podSelector": {"matchLabels": labels}}


@pytest.mark.parametrize(
    "said",
    [
        "engine:5555",
        "http://engine:5555/metrics",
        "tcp://engine.ml:5555",
        "--host=engine.ml.svc.cluster.local:5555",
        "other:1,engine.ml.svc:5555",
    ],
)
@pytest.mark.parametrize("where", ["env", "args"])
def test_an_address_of_a_service_that_is_shut_is_told(said: str, where: str) -> None:
    (found,) = findings(pod("engine"), service(), pod("asks", **{where: said}), policy())
    assert "Pod `asks`" in found.message
    assert "port 5555" in found.message
    assert found.path == "spec.ingress"


@pytest.mark.parametrize(
    "said",
    [
        "engine",
        "engine:5556",
        "engine.other:5555",
        "my-engine:5555",
        "engine-2:5555",
        "http://engine",
    ],
)
def test_what_names_no_port_of_it_is_not(said: str) -> None:
    assert findings(pod("engine"), service(), pod("asks", env=said), policy()) == []


SHUT = {
    "single others": policy({"from": [peer(app="other")]}),
    "a further port": policy({"ports": [{"port": 9400}]}),
    "nothing out": policy(direction="Egress", app="asks"),
    "out to others": policy({"to": [peer(app="other")]}, direction="Egress", app="asks"),
}


@pytest.mark.parametrize("case", SHUT)
def test_either_side_may_be_shut(case: str) -> None:
    (found,) = findings(pod("engine"), service(), pod("asks", env="engine:5555"), SHUT[case])
    assert found.path == ("spec.egress" if "out" in case else "spec.ingress")


OPEN = {
    "it": policy({"from": [peer(app="asks")]}),
    "the namespace": policy({"from": [{"podSelector": {}}]}),
    "the port": policy({"ports": [{"port": 5555}]}),
    "a port by its name": policy({"ports": [{"port": "dcgm"}]}),
    "out to it": policy({"to": [peer(app="engine")]}, direction="Egress", app="asks"),
    "of others": policy(app="other"),
}


@pytest.mark.parametrize("case", OPEN)
def test_what_may_pass_is_not_told(case: str) -> None:
    assert findings(pod("engine"), service(), pod("asks", env="engine:5555"), OPEN[case]) == []


def test_pods_of_the_own_namespace_are_none_of_another() -> None:
    asks = pod("asks", "web", env="engine.ml:5555")
    (found,) = findings(pod("engine"), service(), asks, policy({"from": [{"podSelector": {}}]}))
    assert "Pod `asks`" in found.message


def test_a_port_by_its_name_is_the_pods() -> None:
    engine = pod("engine")
    engine["spec"]["containers"][0]["ports"] = [{"name": "host", "containerPort": 6000}]
    shut = policy({"ports": [{"port": 5555}]})
    asks = pod("asks", env="engine:5555")
    assert len(findings(engine, service("host"), asks, shut)) == 1
    assert findings(engine, service("host"), asks, policy({"ports": [{"port": 6000}]})) == []


def test_no_policy_holds_for_pods_with_the_addresses_of_their_node() -> None:
    asks = pod("asks", env="engine:5555")
    assert findings(pod("engine", hostNetwork=True), service(), asks, policy()) == []
    host = pod("asks", env="engine:5555", hostNetwork=True)
    assert findings(pod("engine"), service(), host, policy()) == []


def test_its_own_service_is_left_to_other_rules() -> None:
    assert findings(pod("engine", env="engine:5555"), service(), policy()) == []
