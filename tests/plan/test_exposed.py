"""What a Service has beside its server's ports, and by which name clients know it."""

from types import ModuleType

from tests.plan.conftest import Make

PROXY = {"name": "proxy", "image": "a", "ports": {"proxy": 9100}}


def test_a_further_port_stands_on_the_container_and_on_the_service(make: Make) -> None:
    made = make("Inference", expose={"ports": {"kv-events": 5557}})
    assert {"name": "kv-events", "containerPort": 5557} in made.main["ports"]
    assert made.one("Service")["spec"]["ports"] == [
        {"name": "http", "port": 8000, "targetPort": "http"},
        {"name": "kv-events", "port": 5557, "targetPort": "kv-events"},
    ]


def test_a_port_of_a_sidecar_leads_to_it(make: Make) -> None:
    """By number: older clusters do not look for names in sidecars."""
    made = make("Inference", expose={"port": 8080, "ports": {"proxy": 80}}, sidecars=[PROXY])
    assert made.one("Service")["spec"]["ports"][1] == {
        "name": "proxy",
        "port": 80,
        "targetPort": 9100,
    }
    assert [port["name"] for port in made.main["ports"]] == ["http"]
    assert made.main["readinessProbe"]["httpGet"]["port"] == "http"


def test_callers_reach_further_ports_too(make: Make, words: ModuleType) -> None:
    profile = words.cluster(network={"ingress": [{"namespace": "gateway"}]})
    ports = {"kv-events": 5557, "proxy": 80}
    made = make("Inference", profile, expose={"ports": ports}, sidecars=[PROXY])
    (callers,) = made.one("NetworkPolicy")["spec"]["ingress"]
    assert [port["port"] for port in callers["ports"]] == ["http", "kv-events", 9100]


def test_the_service_can_be_called_otherwise_than_the_workload(make: Make) -> None:
    made = make("Inference", expose={"name": "chat-api"})
    service = made.one("Service")
    assert service["metadata"]["name"] == "chat-api"
    assert made.workload["metadata"]["name"] != "chat-api"
    assert service["spec"]["selector"].items() <= made.template["metadata"]["labels"].items()


def test_clients_reach_a_proxy_and_probes_the_server(make: Make, words: ModuleType) -> None:
    """Nobody but the proxy and the scrapers can go past it."""
    network = {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
    profile = words.cluster(network=network)
    made = make("Inference", profile, expose={"port": 80, "through": "proxy"}, sidecars=[PROXY])
    assert made.one("Service")["spec"]["ports"] == [
        {"name": "http", "port": 80, "targetPort": 9100}
    ]
    assert [port["name"] for port in made.main["ports"]] == ["http"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert made.main[probe]["httpGet"]["port"] == "http"
    callers, scrapers = made.one("NetworkPolicy")["spec"]["ingress"]
    assert [port["port"] for port in callers["ports"]] == [9100]
    assert [port["port"] for port in scrapers["ports"]] == ["http"]


def test_the_port_that_clients_expect_stays_the_servers(make: Make) -> None:
    made = make("Inference", expose={"through": "proxy"}, sidecars=[PROXY])
    assert made.one("Service")["spec"]["ports"][0]["port"] == 8000
