"""What leads to a server beside its route: a pool and its picker, policies of gateways, OpenShift's Routes."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.kinds import apply_order
from tests.plan.conftest import Made, Make, Refused, Values

Led = Callable[..., Made]
EPP = "registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0"
GATEWAY = {"name": "public", "namespace": "gateway"}
INSTALLED = {"gateway-api": "1.4", "inference-extension": "1.5", "envoy-gateway": "1.9"}
WEIGHTS = {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}}
CHAT = {"hosts": ["chat.example.com"], "paths": ["/v1"]}


@pytest.fixture
def led(make: Make, words: ModuleType) -> Led:
    """Renders a server with a route on a cluster whose Gateway is said in `gateway`."""

    def run(gateway: Values, profile: Values | None = None, **spec: Any) -> Made:
        told = {"installed": INSTALLED, "gateway": GATEWAY | gateway, **(profile or {})}
        return make("Inference", words.cluster(**told), **({"route": CHAT} | spec))

    return run


@pytest.fixture
def routed(make: Make, words: ModuleType) -> Led:
    """Renders a server with a route on an OpenShift cluster whose router is told of it."""

    def run(**spec: Any) -> Made:
        gateway = {"implementation": "openshift-router"}
        profile = words.cluster(provider="openshift", gateway=gateway)
        return make("Inference", profile, **({"route": CHAT} | spec))

    return run


def of(made: Made, kind: str, name: str = "") -> Values:
    """The spec of an object."""
    (found,) = (
        one for one in made.objects if one["kind"] == kind and name in ("", one["metadata"]["name"])
    )
    spec: Values = found["spec"]
    return spec


def test_the_route_leads_to_a_pool_of_the_servers_pods(led: Led) -> None:
    made = led({"picker": {"image": EPP}})
    (backend,) = of(made, "HTTPRoute")["rules"][0]["backendRefs"]
    pool = made.one("InferencePool")
    group = "inference.networking.k8s.io"
    assert backend == {"group": group, "kind": "InferencePool", "name": pool["metadata"]["name"]}
    pod = made.template
    assert pool["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    ports = [port["containerPort"] for port in made.main["ports"]]
    assert [port["number"] for port in pool["spec"]["targetPorts"]] == ports
    assert pool["spec"]["endpointPickerRef"]["failureMode"] == "FailOpen"


def test_the_pool_asks_the_picker_that_is_beside_it(led: Led) -> None:
    made = led({"picker": {"image": EPP}})
    asked = of(made, "InferencePool")["endpointPickerRef"]
    service = of(made, "Service", asked["name"])
    picker = of(made, "Deployment", asked["name"])
    assert service["selector"] == picker["selector"]["matchLabels"]
    assert service["selector"].items() <= picker["template"]["metadata"]["labels"].items()
    (port,) = (one for one in service["ports"] if one["port"] == asked["port"]["number"])
    (main,) = picker["template"]["spec"]["containers"]
    assert port["targetPort"] in [one["name"] for one in main["ports"]]
    # Neither of the two selectors finds the other's pods.
    servers = of(made, "InferencePool")["selector"]["matchLabels"]
    assert not servers.items() <= picker["template"]["metadata"]["labels"].items()


def test_all_of_it_is_applied_in_order(led: Led) -> None:
    for implementation, provider in (("envoy-gateway", "none"), ("gke", "gke")):
        gateway = {"picker": {"image": EPP}, "implementation": implementation}
        made = led(gateway, {"provider": provider})
        assert made.objects == apply_order(made.objects)
        assert made.kinds().index("InferencePool") < made.kinds().index("HTTPRoute")


@pytest.mark.parametrize(
    ("runtime", "image", "engine"),
    [
        ("vllm", "vllm/vllm-openai:v0.33.0", "vllm"),
        ("sglang", "lmsysorg/sglang:v0.5.23", "sglang"),
    ],
)
@pytest.mark.parametrize(
    ("picker", "api"),
    [
        (EPP, "inference.networking.x-k8s.io/v1alpha1"),
        (
            "ghcr.io/llm-d/llm-d-inference-scheduler:v0.8.0",
            "inference.networking.x-k8s.io/v1alpha1",
        ),
        ("ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0", "llm-d.ai/v1alpha1"),
    ],
)
def test_the_picker_is_told_whose_metrics_it_reads(
    led: Led, runtime: str, image: str, engine: str, picker: str, api: str
) -> None:
    made = led({"picker": {"image": picker}}, runtime=runtime, image=image, model=WEIGHTS)
    (text,) = made.one("ConfigMap")["data"].values()
    told = yaml.safe_load(text)
    assert told["apiVersion"] == api
    (parameters,) = (one["parameters"] for one in told["plugins"] if "parameters" in one)
    assert parameters == {"defaultEngine": engine}
    role = made.one("Role")
    assert ("llm-d.ai" in str(role)) is ("llm-d" in picker)


def test_another_configuration_is_another_pod(led: Led) -> None:
    """The picker reads its file once: with the metrics of another server it would know nothing."""
    sglang = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.23"}
    made = [led({"picker": {"image": EPP}}, **more) for more in ({}, {"replicas": 3}, sglang)]
    one, same, other = (
        (each.one("ConfigMap")["data"], of(each, "Deployment", "work-epp")["template"])
        for each in made
    )
    assert one == same
    assert one[0] != other[0]
    assert one[1] != other[1]


def test_the_picker_may_watch_what_it_reads_and_nothing_else(led: Led) -> None:
    made = led({"picker": {"image": EPP}})
    rules = made.one("Role")["rules"]
    assert {verb for rule in rules for verb in rule["verbs"]} == {"list", "watch"}
    (pools,) = (rule for rule in rules if rule["resources"] == ["inferencepools"])
    assert pools["resourceNames"] == [made.one("InferencePool")["metadata"]["name"]]
    pod = of(made, "Deployment", "work-epp")["template"]["spec"]
    assert pod["automountServiceAccountToken"] is True
    assert pod["serviceAccountName"] == made.one("RoleBinding")["subjects"][0]["name"]
    assert made.pod["automountServiceAccountToken"] is False


def test_the_picker_stays_until_the_last_answer(led: Led) -> None:
    made = led({"picker": {"image": EPP, "cpu": 1, "memory": "2Gi"}}, longestRequest="10m")
    pod = of(made, "Deployment", "work-epp")["template"]["spec"]
    grace = "terminationGracePeriodSeconds"
    assert pod[grace] == made.pod[grace] > 600
    (main,) = pod["containers"]
    assert main["resources"] == {
        "requests": {"cpu": "1", "memory": "2Gi"},
        "limits": {"memory": "2Gi"},
    }
    assert "nvidia" not in str(pod)


def test_a_closed_network_lets_gateway_picker_and_server_meet(led: Led) -> None:
    network = {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
    made = led({"picker": {"image": EPP}}, {"network": network})
    picker, server = of(made, "NetworkPolicy", "work-epp"), of(made, "NetworkPolicy", "work")
    labels = {"matchLabels": picker["podSelector"]["matchLabels"]}
    assert server["ingress"][-1] == {
        "from": [{"podSelector": labels}],
        "ports": [{"port": "http", "protocol": "TCP"}],
    }
    assert [rule["ports"][0]["port"] for rule in picker["ingress"]] == ["grpc", "metrics"]
    to = {"podSelector": {"matchLabels": server["podSelector"]["matchLabels"]}}
    assert {"to": [to], "ports": [{"port": 8000, "protocol": "TCP"}]} in picker["egress"]
    words = of(made, "Deployment", "work-epp")["template"]["spec"]["containers"][0]["args"]
    assert "--metrics-endpoint-auth=false" in words


def test_without_a_policy_metrics_of_the_picker_are_nobodys(led: Led) -> None:
    made = led({"picker": {"image": EPP}})
    words = of(made, "Deployment", "work-epp")["template"]["spec"]["containers"][0]["args"]
    assert not any("metrics-endpoint-auth" in word for word in words)


def test_a_platforms_own_picker_is_named(led: Led) -> None:
    made = led({"picker": {"service": "platform-picker", "port": 9100}})
    asked = of(made, "InferencePool")["endpointPickerRef"]
    assert (asked["name"], asked["port"]) == ("platform-picker", {"number": 9100})
    assert made.kinds().count("Deployment") == 1
    assert "Role" not in made.kinds()


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (
            {"runtime": "ollama", "image": "ollama/ollama:0.24.0"},
            "the picker knows no metrics of",
        ),
        (
            {
                "sidecars": [
                    {
                        "name": "proxy",
                        "image": "example/proxy:1",
                        "ports": {"proxy": 9100},
                        "resources": {"cpu": "100m", "memory": "128Mi"},
                    }
                ],
                "expose": {"through": "proxy", "port": 80},
            },
            "which is a sidecar's",
        ),
    ],
)
def test_where_no_picker_can_choose_the_service_answers(led: Led, spec: Values, why: str) -> None:
    made = led({"picker": {"image": EPP}}, **spec)
    assert why in made.loud()
    (backend,) = of(made, "HTTPRoute")["rules"][0]["backendRefs"]
    assert backend["name"] == made.one("Service")["metadata"]["name"]
    assert "InferencePool" not in made.kinds()


def test_a_name_too_long_for_its_picker_is_refused(refused: Refused, words: ModuleType) -> None:
    profile = words.cluster(installed=INSTALLED, gateway=GATEWAY | {"picker": {"image": EPP}})
    said = refused("Inference", profile, name="c" * 60, route={})
    assert "the name has 60 characters, 1 too many" in said


def test_envoy_gateway_is_told_how_long_an_answer_takes(led: Led) -> None:
    made = led({"implementation": "envoy-gateway"}, longestRequest="10m", replicas=3)
    policy = of(made, "BackendTrafficPolicy")
    (target,) = policy["targetRefs"]
    route = made.one("HTTPRoute")
    assert (target["kind"], target["name"]) == ("HTTPRoute", route["metadata"]["name"])
    assert policy["timeout"]["http"] == {
        "requestTimeout": "10m",
        "streamIdleTimeout": "10m",
        "connectionIdleTimeout": "4s",
    }
    assert policy["retry"] == {"numRetries": 0}
    assert policy["loadBalancer"] == {"type": "LeastRequest"}
    assert policy["circuitBreaker"]["maxParallelRequests"] == 3 * 1024


@pytest.mark.parametrize(
    ("env", "idle"), [({}, "4s"), ({"VLLM_HTTP_TIMEOUT_KEEP_ALIVE": "900"}, "899s")]
)
def test_a_connection_ends_before_the_server_ends_it(led: Led, env: Values, idle: str) -> None:
    made = led({"implementation": "envoy-gateway"}, env=env)
    assert of(made, "BackendTrafficPolicy")["timeout"]["http"]["connectionIdleTimeout"] == idle


def test_an_older_envoy_gateway_is_told_what_it_knows(led: Led) -> None:
    installed = INSTALLED | {"envoy-gateway": "1.7"}
    made = led({"implementation": "envoy-gateway"}, {"installed": installed}, replicas=1)
    policy = of(made, "BackendTrafficPolicy")
    assert "streamIdleTimeout" not in policy["timeout"]["http"]
    assert "circuitBreaker" not in policy


@pytest.mark.parametrize("picker", [{}, {"picker": {"image": EPP}}])
def test_gke_is_told_of_time_and_health_by_policies(led: Led, picker: Values) -> None:
    gateway = {"implementation": "gke", **picker}
    made = led(gateway, {"provider": "gke"}, longestRequest="2h")
    assert "timeouts" not in of(made, "HTTPRoute")["rules"][0]
    backend, health = of(made, "GCPBackendPolicy"), of(made, "HealthCheckPolicy")
    kind = "InferencePool" if picker else "Service"
    assert backend["targetRef"] == health["targetRef"]
    assert backend["targetRef"]["kind"] == kind
    assert backend["default"] == {
        "timeoutSec": 7200,
        "connectionDraining": {"drainingTimeoutSec": 3600},
    }
    ready = made.main["readinessProbe"]["httpGet"]
    asked = health["default"]["config"]["httpHealthCheck"]
    assert asked["requestPath"] == ready["path"]
    assert asked["port"] == made.main["ports"][0]["containerPort"]


def test_a_route_of_openshift_waits_for_the_longest_answer(routed: Led) -> None:
    made = routed(longestRequest="10m")
    route = made.one("Route")
    assert route["metadata"]["annotations"]["haproxy.router.openshift.io/timeout"] == "600s"
    assert route["spec"] == {
        "host": "chat.example.com",
        "path": "/v1",
        "to": {"kind": "Service", "name": "work", "weight": 100},
        "port": {"targetPort": "http"},
        "tls": {"termination": "edge", "insecureEdgeTerminationPolicy": "Redirect"},
        "wildcardPolicy": "None",
    }
    assert "HTTPRoute" not in made.kinds()


def test_there_is_a_route_for_each_host_and_path(routed: Led) -> None:
    long = "a" * 60
    route = {"hosts": ["a.example.com", "b.example.com"], "paths": ["/v1", f"/{long}"]}
    made = routed(route=route)
    places = {
        one["metadata"]["name"]: (one["spec"]["host"], one["spec"]["path"])
        for one in made.objects
        if one["kind"] == "Route"
    }
    assert len(places) == 4
    assert places["work"] == ("a.example.com", "/v1")
    assert places["work-b-example-com-v1"] == ("b.example.com", "/v1")
    assert max(map(len, places)) <= 63
    assert {name for name in places if len(name) == 63}


def test_one_host_more_changes_no_other_route(routed: Led) -> None:
    def names(*hosts: str) -> dict[str, str]:
        made = routed(route={"hosts": list(hosts)})
        routes = [one for one in made.objects if one["kind"] == "Route"]
        return {one["spec"]["host"]: one["metadata"]["name"] for one in routes}

    assert names("a.example.com").items() <= names("a.example.com", "b.example.com").items()


def test_a_route_without_hosts_takes_the_one_that_the_router_gives(routed: Led) -> None:
    spec = routed(route={}).one("Route")["spec"]
    assert "host" not in spec
    assert "path" not in spec


def test_openshift_takes_no_wildcard(refused: Refused, words: ModuleType) -> None:
    gateway = {"implementation": "openshift-router"}
    profile = words.cluster(provider="openshift", gateway=gateway)
    said = refused("Inference", profile, route={"hosts": ["*.example.com"]})
    assert "OpenShift's router accepts no wildcard hosts of applications" in said


def test_what_is_rendered_is_valid_and_the_linter_has_nothing_to_say(led: Led, routed: Led) -> None:
    network = {"network": {"ingress": [{"namespace": "gateway"}]}}
    pooled = {"picker": {"image": EPP}}
    everything = (
        led(pooled | {"implementation": "envoy-gateway"}, network),
        led(pooled | {"implementation": "gke"}, {"provider": "gke"}),
        led({"implementation": "gke"}, {"provider": "gke"}),
        routed(image="eu.example.com/vllm-openai:v0.33.0"),
    )
    for made in everything:
        result = gpuspec.lint_text(gpuspec.dump(made.objects).encode(), "made.yaml")
        assert [found.message for found in result.findings] == []
        assert result.notes == ()


def test_no_change_of_what_leads_to_a_server_restarts_it(led: Led, tmp_path: Path) -> None:
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    network = {"network": {"ingress": [{"namespace": "gateway"}]}}
    before.write_text(gpuspec.dump(led({}, network).objects), encoding="utf-8")
    gateway = {"picker": {"image": EPP}, "implementation": "envoy-gateway"}
    after.write_text(gpuspec.dump(led(gateway, network).objects), encoding="utf-8")
    for old, new in ((before, after), (after, before)):
        changes = gpuspec.diff(str(old), str(new)).changes
        assert {one.object.kind for one in changes} >= {"HTTPRoute", "InferencePool", "Deployment"}
        assert not [one for one in changes if one.object.name == "work" and "restart" in one.effect]
        assert [one.change for one in changes if one.object.kind == "Deployment"] in (
            ["added"],
            ["removed"],
        )


def test_of_several_nodes_the_pool_has_the_pods_that_answer(make: Make, words: ModuleType) -> None:
    installed = INSTALLED | {"lws": "0.10"}
    profile = words.cluster(
        installed=installed,
        gateway=GATEWAY | {"picker": {"image": EPP}},
        targets={"service": "lws"},
    )
    made = make("Inference", profile, route=CHAT, nodes=2, gpu={"count": 8})
    selector = of(made, "InferencePool")["selector"]["matchLabels"]
    assert selector["leaderworkerset.sigs.k8s.io/worker-index"] == "0"
    assert selector == made.one("Service", "work")["spec"]["selector"]


def test_an_override_without_a_name_is_the_servers(led: Led) -> None:
    """A picker that comes to a cluster changes nothing that specs say of their own objects."""
    patch = [{"kind": "Deployment", "patch": {"spec": {"minReadySeconds": 7}}}]
    named = [{"kind": "Deployment", "name": "work-epp", "patch": {"spec": {"minReadySeconds": 9}}}]
    made = led({"picker": {"image": EPP}}, overrides=patch + named)
    assert of(made, "Deployment", "work")["minReadySeconds"] == 7
    assert of(made, "Deployment", "work-epp")["minReadySeconds"] == 9
