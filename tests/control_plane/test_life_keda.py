"""The life of servers that KEDA scales: its own operator, its adapter, and the HPA that it makes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.measured import Prometheus
from tests.control_plane.specs import H100, L4, pool, server, spanning
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
KEDA = "keda.sh/v1alpha1"
AT_ONCE = {"stabilizationWindowSeconds": 0}
OWN = {"metric": "in_flight", "target": 5}
ASKED = {"external": {"labels": {"pool": "chat"}}}


@pytest.fixture
def prometheus() -> Iterator[Prometheus]:
    """A Prometheus in which nothing is to do."""
    with Prometheus() as running:
        yield running


@pytest.fixture
def worlds(scaling_world: Worlds, prometheus: Prometheus) -> Worlds:
    """Makes worlds whose profile has KEDA ask that Prometheus."""
    metrics = {"source": "keda", "prometheus": {"address": prometheus.address}}
    installed = {"keda": "2.21", "kserve": "0.20", "lws": "0.9"}
    return partial(scaling_world, metrics=metrics, installed=installed)


def test_keda_makes_an_hpa_as_ours_would_be(worlds: Worlds, prometheus: Prometheus) -> None:
    """Its bounds, its target and its behavior; the ScaledObject is stored as it is rendered."""
    here = three(worlds)
    made = here.render(server("chat", replicas={"min": 1, "max": 3, **OWN}))
    own = ours(made)
    assert here.client.create(own, dry_run=True).object["spec"] == own["spec"]
    here.create(made)
    spec = hpa(here)["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (1, 3)
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat"}
    (metric,) = spec["metrics"]
    assert metric["external"]["target"] == {"type": "AverageValue", "averageValue": "5"}
    wanted = own["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    for way, rules in wanted.items():
        assert rules.items() <= spec["behavior"][way].items()
    here.until(lambda: here.condition(Ref.of(own), "Ready"), "KEDA is content")
    kept = here.get(Ref.of(own))["spec"]
    assert kept["advanced"].pop("scalingModifiers") == {}, "all that KEDA writes into it"
    assert kept == own["spec"]
    asked = f'sum(in_flight{{namespace="{here.namespace}",app_kubernetes_io_name="chat"}})'
    here.until(lambda: prometheus.queries, "KEDA asks")
    assert {*prometheus.queries} == {asked}


def test_replicas_follow_what_prometheus_answers(worlds: Worlds, prometheus: Prometheus) -> None:
    """Up to `max`, and down to `min`; where there is no answer the number stays as it is."""
    here = three(worlds)
    servers = scaled(here, server("chat", replicas={"min": 1, "max": 3, **OWN}))
    prometheus.value = 9
    here.started(servers, 2)
    prometheus.value = 100
    here.started(servers, 3)
    prometheus.value = None
    here.until(partial(blind, here), "the HPA says that it sees nothing")
    assert len(here.pods(servers, "Running")) == 3
    prometheus.value = 0
    here.started(servers, 1)


def test_the_first_replica_starts_above_its_value(worlds: Worlds, prometheus: Prometheus) -> None:
    """From none to one by KEDA, and back after the cooldown, which a test does not wait for."""
    here = three(worlds)
    replicas = {"min": 0, "max": 3, **OWN, "metricFrom": ASKED, "activation": 2}
    servers = scaled(here, server("chat", replicas=replicas), pollingInterval=1, cooldownPeriod=1)
    here.started(servers, 0)
    prometheus.value = 2
    asked = len(prometheus.queries)
    here.until(lambda: len(prometheus.queries) > asked + 3, "KEDA has looked")
    assert not here.pods(servers)
    prometheus.value = 3
    here.started(servers, 1)
    prometheus.value = 14
    here.started(servers, 3)
    assert {*prometheus.queries} == {'sum(in_flight{pool="chat"})'}
    prometheus.value = None
    here.until(partial(blind, here), "the HPA says that it sees nothing")
    assert len(here.pods(servers, "Running")) == 3
    prometheus.value = 0
    here.started(servers, 0)


def test_who_asked_last_finds_a_server(worlds: Worlds, prometheus: Prometheus) -> None:
    """As rendered the cooldown outlasts the start: nothing ends what was asked for a moment ago."""
    here = three(worlds)
    replicas = {"min": 0, "max": 3, **OWN, "metricFrom": ASKED}
    servers = scaled(here, server("chat", replicas=replicas), pollingInterval=1)
    here.started(servers, 0)
    prometheus.value = 1
    here.started(servers, 1)
    prometheus.value = 0
    asked = len(prometheus.queries)
    here.until(lambda: len(prometheus.queries) > asked + 10, "KEDA has looked for a while")
    assert len(here.pods(servers, "Running")) == 1


def test_the_last_server_stays_while_it_answers(worlds: Worlds, prometheus: Prometheus) -> None:
    """Nothing waits before it, and it has requests to answer: KEDA looks at both."""
    here = worlds(pool("h100", H100, nodes=2))
    replicas = {"min": 0, "max": 2, **OWN, "metricFrom": ASKED}
    prometheus.named = {"vllm:num_requests_running": 0}
    spec = spanning("chat", nodes=1, replicas=replicas)
    servers = scaled(here, spec, pollingInterval=1, cooldownPeriod=3)
    here.started(servers, 0)
    prometheus.value = 1
    here.started(servers, 1)
    prometheus.named, prometheus.value = {"vllm:num_requests_running": 1}, 0
    asked = len(prometheus.queries)
    here.until(lambda: len(prometheus.queries) > asked + 20, "KEDA has looked for a while")
    assert len(here.pods(servers, "Running")) == 1
    prometheus.named = {"vllm:num_requests_running": 0}
    here.started(servers, 0)


def test_groups_are_scaled_as_a_whole(worlds: Worlds, prometheus: Prometheus) -> None:
    """By the scale of a LeaderWorkerSet: each replica is two pods."""
    here = worlds(pool("h100", H100, nodes=4))
    spec = spanning("wide", replicas={"min": 1, "max": 2}, target="lws")
    servers = scaled(here, spec)
    here.started(servers, 2)
    prometheus.value = 9
    here.started(servers, 4)


def test_kserve_leaves_its_deployment_to_keda(worlds: Worlds, prometheus: Prometheus) -> None:
    """KServe makes no autoscaler of its own, and its controller does not set the number back."""
    here = three(worlds, targets={"service": "kserve"})
    servers = scaled(here, server("chat", replicas={"min": 1, "max": 3, **OWN}))
    here.started(servers, 1)
    assert hpa(here)["spec"]["scaleTargetRef"]["name"] == "chat-predictor"
    prometheus.value = 9
    here.started(servers, 2)
    here.client.patch(servers, {"metadata": {"labels": {"changed": "yes"}}})
    made = Ref("apps/v1", "Deployment", "chat-predictor", here.namespace)
    here.until(lambda: relabelled(here, made), "KServe has seen the change")
    assert here.get(made)["spec"]["replicas"] == 2
    (one,) = here.client.objects(Ref(KEDA, "ScaledObject", namespace=here.namespace))
    assert one["metadata"]["name"] == "chat"


def test_kserve_lets_the_last_server_go(worlds: Worlds, prometheus: Prometheus) -> None:
    """Its controller takes no replica for what it is, and makes none of its own."""
    here = three(worlds, targets={"service": "kserve"})
    replicas = {"min": 0, "max": 3, **OWN, "metricFrom": ASKED}
    servers = scaled(here, server("chat", replicas=replicas), pollingInterval=1, cooldownPeriod=1)
    made = Ref("apps/v1", "Deployment", "chat-predictor", here.namespace)
    here.until(lambda: here.client.find(made), "KServe makes a Deployment")
    here.until(lambda: here.get(made)["spec"]["replicas"] == 0, "KEDA ends the last one")
    here.client.patch(servers, {"metadata": {"labels": {"changed": "yes"}}})
    here.until(lambda: relabelled(here, made), "KServe has seen the change")
    assert here.get(made)["spec"]["replicas"] == 0
    prometheus.value = 1
    here.started(servers, 1)


def test_what_kserve_would_make_itself(worlds: Worlds, prometheus: Prometheus) -> None:
    """A ScaledObject without our policies, and with an answer of none taken for zero."""
    here = three(worlds, targets={"service": "kserve"})
    made = here.render(server("chat", replicas={"min": 1, "max": 3, **OWN}))
    (trigger,) = ours(made)["spec"]["triggers"]
    servers = next(each for each in made if each["kind"] == "InferenceService")
    servers["metadata"]["annotations"]["serving.kserve.io/autoscalerClass"] = "keda"
    behavior = ours(made)["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    servers["spec"]["predictor"]["autoScaling"] = {
        "behavior": behavior,
        "metrics": [
            {
                "type": "External",
                "external": {
                    "metric": {
                        "backend": "prometheus",
                        "serverAddress": prometheus.address,
                        "query": trigger["metadata"]["query"],
                    },
                    "target": {"type": "Value", "value": "5"},
                },
            }
        ],
    }
    here.create(each for each in made if each["kind"] != "ScaledObject")
    ref = Ref(KEDA, "ScaledObject", "chat-predictor", here.namespace)
    theirs = here.until(lambda: here.client.find(ref), "KServe makes a ScaledObject")["spec"]
    kept = theirs["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert "policies" in behavior["scaleDown"]
    assert not any("policies" in rules for rules in kept.values())
    assert {*trigger["metadata"]} - {*theirs["triggers"][0]["metadata"]} == {"ignoreNullValues"}


def three(worlds: Worlds, **profile: object) -> World:
    """Three nodes of one GPU."""
    return worlds(pool("l4", L4, nodes=3, gpus=1), **profile)


def scaled(here: World, spec: Object, **hurried: int) -> Ref:
    """Servers whose autoscaler waits for no window, and KEDA only as long as it is told."""
    made = here.render(spec)
    for each in made:
        if each["kind"] == "ScaledObject":
            config = each["spec"]["advanced"]["horizontalPodAutoscalerConfig"]
            config["behavior"] = {"scaleUp": AT_ONCE, "scaleDown": AT_ONCE}
            each["spec"] |= hurried
    here.create(made)
    return main(made)


def ours(made: list[Object]) -> Object:
    """The ScaledObject that we render."""
    return next(each for each in made if each["kind"] == "ScaledObject")


def hpa(here: World) -> Object:
    """The only HPA of the namespace, once KEDA has made it."""
    kind = Ref("autoscaling/v2", "HorizontalPodAutoscaler", namespace=here.namespace)
    (found,) = here.until(lambda: here.client.objects(kind), "KEDA makes an HPA")
    return found


def blind(here: World) -> bool:
    """Whether the HPA says that it has no metric."""
    conditions = hpa(here).get("status", {}).get("conditions", ())
    return any(one["reason"] == "FailedGetExternalMetric" for one in conditions)


def relabelled(here: World, deployment: Ref) -> bool:
    labels = here.get(deployment)["spec"]["template"]["metadata"]["labels"]
    return bool(labels.get("changed"))
