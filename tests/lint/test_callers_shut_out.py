"""GPU856: which callers policies shut out, and what may be one."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

Object = dict[str, Any]
LABELS = {"app": "operator"}
NAME = "kubernetes.io/metadata.name"


def here(made: Object, namespace: str = "ops") -> Object:
    made["metadata"]["namespace"] = namespace
    return made


def pod(**spec: Any) -> Object:
    ports = [{"name": "webhook", "containerPort": 9443}, {"name": "web", "containerPort": 8443}]
    main = {"name": "main", "image": "registry.example.com/operator:1.0.0", "ports": ports}
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [main], **spec}}
    spec = {"selector": {"matchLabels": LABELS}, "template": template}
    return here(an("apps/v1", "Deployment", "operator", spec=spec))


def service() -> Object:
    ports = [
        {"name": "hook", "port": 443, "targetPort": "webhook"},
        {"name": "metrics", "port": 8443},
    ]
    made = an("v1", "Service", "operator", spec={"selector": LABELS, "ports": ports})
    made["metadata"]["labels"] = LABELS
    return here(made)


def webhook() -> Object:
    client = {"service": {"name": "operator", "namespace": "ops"}}
    hooks = [{"name": name, "clientConfig": client} for name in ("a.example.com", "b.example.com")]
    return an(
        "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "ops", webhooks=hooks
    )


def monitor() -> Object:
    spec = {"selector": {"matchLabels": LABELS}, "endpoints": [{"port": "metrics"}]}
    return here(an("monitoring.coreos.com/v1", "ServiceMonitor", "operator", spec=spec))


def prometheus(namespace: str) -> Object:
    return here(an("monitoring.coreos.com/v1", "Prometheus", "k8s", spec={}), namespace)


def route(gateway: str | None = None) -> Object:
    parent = {"name": "public", **({"namespace": gateway} if gateway else {})}
    rules = [{"backendRefs": [{"name": "operator", "port": 8443}]}]
    spec = {"parentRefs": [parent], "rules": rules}
    return here(an("gateway.networking.k8s.io/v1", "HTTPRoute", "operator", spec=spec))


def policy(*rules: Object, name: str = "closed", **selector: Any) -> Object:
    spec = {"podSelector": selector, "policyTypes": ["Ingress"], "ingress": list(rules)}
    return here(an("networking.k8s.io/v1", "NetworkPolicy", name, spec=spec))


def findings(*objects: Object) -> list[Finding]:
    return of("GPU856", text(*objects))


OWN: Object = {"from": [{"podSelector": {}}]}
ANY: Object = {"from": [{"namespaceSelector": {}}]}


def of_namespace(name: str, port: int | str) -> Object:
    peers = [{"namespaceSelector": {"matchLabels": {NAME: name}}}]
    return {"from": peers, "ports": [{"port": port}]}


SHUT = {
    "a webhook": ([webhook()], [policy(OWN)], "API server"),
    "a webhook's port by another number": (
        [webhook()],
        [policy({"ports": [{"port": 443}]})],
        "port 9443",
    ),
    "a webhook's port beside a range": (
        [webhook()],
        [policy({"ports": [{"port": 8000, "endPort": 9000}]})],
        "port 9443",
    ),
    "a monitor": ([monitor()], [policy()], "Prometheus"),
    "a monitor's port": ([monitor()], [policy(of_namespace("monitoring", 9443))], "port 8443"),
    "Prometheus elsewhere": (
        [monitor(), prometheus("monitoring")],
        [policy(of_namespace("gateway", 8443), OWN)],
        "Prometheus",
    ),
    "a label of pods of the set": (
        [monitor()],
        [policy({"from": [{"podSelector": {"matchLabels": LABELS}}]})],
        "Prometheus",
    ),
    "a gateway of another namespace": ([route("edge")], [policy(OWN)], "the gateway"),
    "a gateway, whose namespace is not let in": (
        [route("edge")],
        [policy(of_namespace("monitoring", 8443))],
        "the gateway",
    ),
    "one of two policies": ([monitor()], [policy(), policy(name="too", matchLabels=LABELS)], ""),
}


@pytest.mark.parametrize("case", SHUT)
def test_a_caller_that_no_rule_lets_in_is_told_once(case: str) -> None:
    sayers, policies, said = SHUT[case]
    (found,) = findings(pod(), service(), *sayers, *policies)
    assert said in found.message
    assert found.severity == "warning"


OPEN = {
    "no policy": ([webhook(), monitor(), route("edge")], []),
    "of other pods": ([webhook()], [policy(matchLabels={"app": "other"})]),
    "perhaps of other pods": (
        [webhook()],
        [policy(matchExpressions=[{"key": "app", "operator": "Exists"}])],
    ),
    "the webhook's port by its name": ([webhook()], [policy({"ports": [{"port": "webhook"}]})]),
    "a range": ([webhook()], [policy({"ports": [{"port": 9000, "endPort": 9999}]})]),
    "addresses": ([webhook()], [policy({"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]})]),
    "any namespace": ([webhook(), monitor(), route("edge")], [policy(ANY)]),
    "a namespace": ([monitor()], [policy(of_namespace("monitoring", 8443))]),
    "where Prometheus is": (
        [monitor(), prometheus("monitoring")],
        [policy(of_namespace("monitoring", 8443))],
    ),
    "its own namespace, where Prometheus may be": ([monitor()], [policy(OWN)]),
    "its own namespace, where the gateway is": ([route()], [policy(OWN)]),
    "pods that are not of the set": (
        [monitor()],
        [policy({"from": [{"podSelector": {"matchLabels": {"app": "prometheus"}}}]})],
    ),
    "another policy": ([webhook()], [policy(), policy({"ports": [{"port": 9443}]}, name="open")]),
    "one of another make": (
        [webhook(), here(an("cilium.io/v2", "CiliumNetworkPolicy", "hook", spec={}))],
        [policy()],
    ),
    "of another namespace": ([webhook()], [here(policy(), "other")]),
    "the way out": (
        [webhook()],
        [policy() | {"spec": {"podSelector": {}, "policyTypes": ["Egress"]}}],
    ),
}


@pytest.mark.parametrize("case", OPEN)
def test_what_may_be_let_in_is_not(case: str) -> None:
    sayers, policies = OPEN[case]
    assert findings(pod(), service(), *sayers, *policies) == []


def test_no_policy_holds_for_pods_with_the_addresses_of_their_node() -> None:
    assert findings(pod(hostNetwork=True), service(), webhook(), policy()) == []


def test_a_service_without_pods_here_is_not_judged() -> None:
    assert findings(service(), webhook(), policy()) == []


def test_a_pool_is_reached_as_a_service_is() -> None:
    group = "inference.networking.k8s.io"
    spec = {"selector": {"matchLabels": LABELS}, "targetPorts": [{"number": 8443}]}
    pool = here(an(f"{group}/v1", "InferencePool", "operator", spec=spec))
    sends = route("edge")
    backend = {"group": group, "kind": "InferencePool", "name": "operator"}
    sends["spec"]["rules"] = [{"backendRefs": [backend]}]
    (found,) = findings(pod(), pool, sends, policy(OWN))
    assert "port 8443" in found.message
    assert findings(pod(), pool, sends, policy(ANY)) == []
