"""What a network policy lets through: the profile's peers, and those of the spec beside them."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Made, Make, Refused, Values

Closed = Callable[..., Made]
CONNECTOR = '--kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both"}'
DECODE = {"pods": {"app.kubernetes.io/name": "decode"}}


@pytest.fixture
def closed(make: Make, words: ModuleType) -> Closed:
    """Renders a server of a profile that lets nobody in but the gateway; `more` its further peers."""

    def run(more: Values | None = None, installed: Values | None = None, **spec: Any) -> Made:
        network = {"ingress": [{"namespace": "gateway"}], **(more or {})}
        return make("Inference", words.cluster(network=network, installed=installed or {}), **spec)

    return run


def policy(made: Made) -> Values:
    found: Values = made.one("NetworkPolicy")["spec"]
    return found


def why(made: Made, path: str) -> tuple[str, str]:
    """Why a field of the policy is what it is, and where that was said."""
    (found,) = (
        each
        for each in made.rendering.explanations()
        if each.object.startswith("NetworkPolicy") and each.path == path
    )
    return found.reason, str(found.origin)


def test_the_specs_callers_stand_beside_the_profiles(closed: Closed) -> None:
    made = closed(network={"ingress": [{"cidr": "10.9.0.0/16"}]})
    http = [{"port": "http", "protocol": "TCP"}]
    gateway = {"matchLabels": {"kubernetes.io/metadata.name": "gateway"}}
    assert policy(made)["ingress"] == [
        {"from": [{"namespaceSelector": gateway}], "ports": http},
        {"from": [{"ipBlock": {"cidr": "10.9.0.0/16"}}], "ports": http},
    ]
    assert why(made, "spec.ingress[1]") == (
        "these may call this server too",
        "spec spec.network.ingress",
    )


def test_destinations_are_pods_addresses_and_ports_of_either_kind(closed: Closed) -> None:
    redis = {"pods": {"app": "redis"}, "ports": [6379]}
    made = closed(
        {"egress": [{"namespace": "storage"}]},
        network={"egress": [redis, {"cidr": "10.1.0.0/16", "ports": [443], "udp": [4791]}]},
    )
    assert policy(made)["egress"][1:] == [
        {
            "to": [
                {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "storage"}}}
            ]
        },
        {
            "to": [{"podSelector": {"matchLabels": {"app": "redis"}}}],
            "ports": [{"port": 6379, "protocol": "TCP"}],
        },
        {
            "to": [{"ipBlock": {"cidr": "10.1.0.0/16"}}],
            "ports": [{"port": 443, "protocol": "TCP"}, {"port": 4791, "protocol": "UDP"}],
        },
    ]
    assert why(made, "spec.egress[2]")[1] == "spec spec.network.egress[0]"


@pytest.mark.parametrize(
    ("address", "cidr"), [("169.254.20.10", "169.254.20.10/32"), ("fd00::10", "fd00::10/128")]
)
def test_the_nodes_cache_of_dns_may_be_asked(closed: Closed, address: str, cidr: str) -> None:
    asked = policy(closed({"dns": address}))["egress"][1]
    assert asked["to"] == [{"ipBlock": {"cidr": cidr}}]
    assert {port["protocol"] for port in asked["ports"]} == {"UDP", "TCP"}


def test_a_host_is_reached_by_name_where_cilium_is(closed: Closed) -> None:
    """All of DNS passes through Cilium's own policy: elsewhere no name would be learned from it."""
    hosts = [{"fqdn": "huggingface.co", "ports": [443]}, {"fqdn": "*.hf.co"}]
    made = closed(installed={"cilium": "1.18"}, network={"egress": hosts})
    named = made.one("CiliumNetworkPolicy")
    assert named["spec"]["endpointSelector"] == policy(made)["podSelector"]
    dns, one, pattern = named["spec"]["egress"]
    assert dns["toPorts"][0]["rules"] == {"dns": [{"matchPattern": "*"}]}
    assert one == {
        "toFQDNs": [{"matchName": "huggingface.co"}],
        "toPorts": [{"ports": [{"port": "443", "protocol": "TCP"}]}],
    }
    assert pattern == {"toFQDNs": [{"matchPattern": "*.hf.co"}]}
    assert "egress" not in policy(made)
    assert "Egress" in policy(made)["policyTypes"]
    assert "CiliumNetworkPolicy" not in closed(installed={"cilium": "1.18"}).kinds()


def test_a_host_by_name_is_refused_where_no_policy_knows_names(
    refused: Refused, make: Make, words: ModuleType
) -> None:
    said = {"egress": [{"fqdn": "huggingface.co"}]}
    closed = words.cluster(network={"ingress": []})
    assert refused("Inference", closed, network=said) == "a NetworkPolicy cannot match host names"
    open_made = make("Inference", words.cluster(), network=said)
    assert "NetworkPolicy" not in open_made.kinds()
    assert "network: the profile has none" in open_made.loud()


def test_servers_that_work_together_reach_any_port_of_each_other(closed: Closed) -> None:
    spec = policy(closed(network={"peers": [DECODE]}, args=[CONNECTOR]))
    decode = [{"podSelector": {"matchLabels": DECODE["pods"]}}]
    assert {"from": decode} in spec["ingress"]
    assert {"to": decode} in spec["egress"]


EXCHANGES: dict[str, tuple[Values, str]] = {
    "NIXL": ({"args": [CONNECTOR]}, "by NIXL, on port 5600 and"),
    "NIXL elsewhere": (
        {"args": [CONNECTOR], "env": {"VLLM_NIXL_SIDE_CHANNEL_PORT": 5557}},
        "on port 5557 and",
    ),
    "LMCache": ({"env": {"LMCACHE_ENABLE_P2P": "True"}}, "caches of other servers, by LMCache"),
    "SGLang": (
        {
            "runtime": "sglang",
            "args": ["--disaggregation-mode", "prefill", "--disaggregation-bootstrap-port=9001"],
        },
        "on port 9001 and",
    ),
}


@pytest.mark.parametrize("case", EXCHANGES)
def test_a_policy_that_closes_an_exchange_is_told(
    closed: Closed, make: Make, words: ModuleType, case: str
) -> None:
    spec, said = EXCHANGES[case]
    assert said in closed(**spec).loud()
    assert "network.peers" not in closed(**spec, network={"peers": [DECODE]}).loud()
    assert "network.peers" not in make("Inference", words.cluster(), **spec).loud()


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"env": {"LMCACHE_ENABLE_P2P": "false", "LMCACHE_LOCAL_CPU": "True"}},
        {"args": ['--kv-transfer-config={"kv_connector":"LMCacheConnectorV1"}']},
    ],
)
def test_nothing_is_told_of_a_server_that_works_alone(closed: Closed, spec: Values) -> None:
    assert "network" not in closed(**spec).loud()
