"""Namespaces that are closed, and what stays open in them."""

from typing import Any

from gpuspec.cluster.platform.namespaces import namespace_objects
from gpuspec.plan.metadata import COMPONENT
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

CLOSED = "namespaces: [{name: research, defaultDeny: true}, {name: open}]\n"
NETWORK = """
network:
  ingress: [{namespace: gateway}]
  metrics: [{namespace: monitoring}]
  egress: [{cidr: 10.0.0.0/8, ports: [443]}]
"""
NAMES = """
installed: {cilium: "1.18"}
network: {ingress: [], egress: [{fqdn: huggingface.co, ports: [443]}]}
"""


def policies(profile: MakeProfile, text: str) -> dict[str, dict[str, Any]]:
    made = [each for each in namespace_objects(profile(text)) if each["kind"] != "Namespace"]
    assert {each["metadata"]["namespace"] for each in made} <= {"research"}
    return {f"{each['kind']} {each['metadata']['name']}": each["spec"] for each in made}


def test_all_pods_are_closed_but_for_dns(profile: MakeProfile) -> None:
    """C-43: the platform's address of DNS; nobody comes in."""
    made = policies(profile, CLOSED)
    closed = made["NetworkPolicy gpuspec-default-deny"]
    assert (closed["podSelector"], closed["policyTypes"]) == ({}, ["Ingress", "Egress"])
    assert "ingress" not in closed
    (dns,) = closed["egress"]
    assert dns["ports"] == [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]
    others = policies(profile, CLOSED + "extends: openshift\n")
    (dns,) = others["NetworkPolicy gpuspec-default-deny"]["egress"]
    assert dns["ports"][0]["port"] == 5353


def test_training_and_batch_work_talk_to_each_other(profile: MakeProfile) -> None:
    """By the label that rendered pods have; what the profile lets servers reach, they reach too."""
    made = policies(profile, CLOSED + NETWORK)
    opened = made["NetworkPolicy gpuspec-training-and-batch"]
    (expression,) = opened["podSelector"]["matchExpressions"]
    assert expression["key"] == "app.kubernetes.io/component"
    assert set(expression["values"]) == set(COMPONENT.values()) - {"inference"}
    mates = [{"podSelector": opened["podSelector"]}]
    assert opened["ingress"] == [{"from": mates}]
    reached = {
        "to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}],
        "ports": [{"port": 443, "protocol": "TCP"}],
    }
    assert opened["egress"] == [{"to": mates}, reached]
    (scraper,) = made["NetworkPolicy gpuspec-default-deny"]["ingress"]
    assert scraper["from"] == [
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
    ]


def test_kuberay_asks_how_a_job_is(profile: MakeProfile) -> None:
    made = policies(profile, CLOSED + 'installed: {kuberay: "1.6"}\n')
    _, ray = made["NetworkPolicy gpuspec-training-and-batch"]["ingress"]
    assert ray["ports"] == [{"port": 8265, "protocol": "TCP"}]
    (controller,) = ray["from"]
    labels = {"app.kubernetes.io/component": "kuberay-operator"}
    assert controller == {"namespaceSelector": {}, "podSelector": {"matchLabels": labels}}


def test_names_of_hosts_are_cilium_s_and_dns_passes_through_it(profile: MakeProfile) -> None:
    made = policies(profile, CLOSED + NAMES)
    assert "egress" not in made["NetworkPolicy gpuspec-default-deny"]
    (dns,) = made["CiliumNetworkPolicy gpuspec-default-deny"]["egress"]
    assert dns["toPorts"][0]["rules"] == {"dns": [{"matchPattern": "*"}]}
    assert made["CiliumNetworkPolicy gpuspec-default-deny"]["endpointSelector"] == {}
    (named,) = made["CiliumNetworkPolicy gpuspec-training-and-batch"]["egress"]
    assert named["toFQDNs"] == [{"matchName": "huggingface.co"}]


def test_they_are_objects_that_kubernetes_takes(profile: MakeProfile) -> None:
    for made in namespace_objects(profile(CLOSED + NETWORK)):
        assert validate(made, "1.33") == ()
