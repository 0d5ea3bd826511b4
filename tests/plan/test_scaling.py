"""Autoscaling of a service: its signal, its bounds, and who makes the autoscaler of which metrics."""

from types import ModuleType
from typing import Any

import pytest

import gpuspec
from tests.plan.conftest import Made, Make, Values

SOURCE = {"source": "custom-metrics"}


def test_the_queue_is_what_a_service_scales_on(make: Make, words: ModuleType) -> None:
    """C-30: the runtime's queue metric, never CPU."""
    profile = words.cluster(metrics=SOURCE)
    made = make("Inference", profile, replicas={"min": 2, "max": 6})
    spec = made.one("HorizontalPodAutoscaler")["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 6)
    (metric,) = spec["metrics"]
    assert metric["pods"]["metric"]["name"] == "vllm_num_requests_waiting"
    assert metric["pods"]["target"] == {"type": "AverageValue", "averageValue": "5"}
    assert spec["scaleTargetRef"]["name"] == made.workload["metadata"]["name"]
    assert "replicas" not in made.workload["spec"], "each sync would set them back"


@pytest.mark.parametrize(
    ("replicas", "name", "target"),
    [
        ({"signal": "running"}, "vllm_num_requests_running", "64"),
        ({"signal": "cache", "target": 70}, "vllm_kv_cache_usage_perc", "700m"),
        ({"metric": "own_queue", "target": 3}, "own_queue", "3"),
    ],
)
def test_other_signals(
    make: Make, words: ModuleType, replicas: Values, name: str, target: str
) -> None:
    """C-30: in-flight requests, the KV cache, or a metric that the spec names."""
    replicas = {"min": 1, "max": 4, **replicas}
    made = make("Inference", words.cluster(metrics=SOURCE), replicas=replicas)
    (metric,) = made.one("HorizontalPodAutoscaler")["spec"]["metrics"]
    assert metric["pods"]["metric"]["name"] == name
    assert metric["pods"]["target"]["averageValue"] == target


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("nvcr.io/nim/meta/llama3-8b-instruct:1.0.0", "num_requests_running"),
        ("nvcr.io/nim/meta/llama3-8b-instruct:2.0.1", "vllm_num_requests_running"),
        ("nvcr.io/nim/meta/llama3-8b-instruct:latest", "vllm_num_requests_running"),
    ],
)
def test_a_metric_is_called_as_the_release_calls_it(
    make: Make, words: ModuleType, image: str, name: str
) -> None:
    """An autoscaler that waits for another name moves nothing."""
    replicas = {"min": 1, "max": 4, "signal": "running"}
    profile = words.cluster(metrics=SOURCE)
    made = make("Inference", profile, runtime="nim", image=image, replicas=replicas)
    (metric,) = made.one("HorizontalPodAutoscaler")["spec"]["metrics"]
    assert metric["pods"]["metric"]["name"] == name
    assert ("the metric was called num_requests_running" in made.loud()) is (":latest" in image)


def test_the_adapters_own_names_are_looked_up_by_the_servers(make: Make, words: ModuleType) -> None:
    names = {"vllm:num_requests_waiting": "waiting"}
    profile = words.cluster(metrics={**SOURCE, "names": names})
    made = make("Inference", profile, replicas={"min": 1, "max": 4})
    (metric,) = made.one("HorizontalPodAutoscaler")["spec"]["metrics"]
    assert metric["pods"]["metric"]["name"] == "waiting"


def test_without_a_metrics_source_there_is_no_autoscaler_and_a_word(make: Make) -> None:
    """C-30: an autoscaler on nothing, or on CPU, would be worse."""
    made = make("Inference", replicas={"min": 2, "max": 6})
    assert "HorizontalPodAutoscaler" not in made.kinds()
    assert made.workload["spec"]["replicas"] == 2
    assert "no autoscaler: the profile names no metrics source" in made.loud()


KEDA: Values = {
    "metrics": {"source": "keda", "prometheus": {"address": "http://prometheus.monitoring:9090"}},
    "installed": {"keda": "2.21", "lws": "0.10"},
}
QUEUED = {"metric": "queued_requests", "target": 5}
BOUNDS = {"min": 1, "max": 4}


def scaled(make: Make, words: ModuleType, replicas: Values, **profile: Any) -> Values:
    """The ScaledObject's spec, on a cluster with KEDA unless the profile says otherwise."""
    made = make("Inference", words.cluster(**{**KEDA, **profile}), replicas=replicas)
    assert "HorizontalPodAutoscaler" not in made.kinds(), "KEDA makes it"
    assert "replicas" not in made.workload["spec"]
    spec: Values = made.one("ScaledObject")["spec"]
    return spec


def asked(spec: Values) -> str:
    (trigger,) = spec["triggers"]
    return str(trigger["metadata"]["query"])


def test_keda_asks_prometheus_for_the_servers_own_series(make: Make, words: ModuleType) -> None:
    """C-30: as the server names it, with its colon, of this workload's pods alone."""
    spec = scaled(make, words, {"min": 2, "max": 6})
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (2, 6)
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "work"}
    assert spec["triggers"] == [
        {
            "type": "prometheus",
            "metricType": "AverageValue",
            "metadata": {
                "serverAddress": "http://prometheus.monitoring:9090",
                "query": "sum(vllm:num_requests_waiting"
                '{namespace="default",app_kubernetes_io_name="work"})',
                "threshold": "5",
                # Without an answer the number of replicas stays, and does not fall to the fewest.
                "ignoreNullValues": "false",
            },
        }
    ]
    behavior = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    hpa = make("Inference", words.cluster(metrics=SOURCE), replicas={"min": 2, "max": 6})
    assert behavior == hpa.one("HorizontalPodAutoscaler")["spec"]["behavior"]
    assert {"pollingInterval", "cooldownPeriod"}.isdisjoint(spec), "both are for the way to 0 alone"


@pytest.mark.parametrize(
    ("replicas", "query", "threshold"),
    [
        (
            {"signal": "cache"},
            'sum(vllm:kv_cache_usage_perc{namespace="default",app_kubernetes_io_name="work"})',
            "0.8",
        ),
        (
            QUEUED,
            'sum(queued_requests{namespace="default",app_kubernetes_io_name="work"})',
            "5",
        ),
        (
            {**QUEUED, "metricFrom": {"external": {"labels": {"pool": 'a"b'}}}},
            'sum(queued_requests{pool="a\\"b"})',
            "5",
        ),
        ({**QUEUED, "metricFrom": {"external": {}}}, "sum(queued_requests)", "5"),
        (
            {
                "metric": "inference_extension_flow_control_queue_size",
                "target": 5,
                "metricFrom": {"external": {"labels": {"inference_pool": "work"}}},
            },
            # Of a picker that has held nothing yet there is no series.
            'sum(inference_extension_flow_control_queue_size{inference_pool="work"}) or vector(0)',
            "5",
        ),
        (
            {**QUEUED, "metric": "queued.requests", "metricFrom": {"external": {}}},
            'sum({__name__="queued.requests"})',
            "5",
        ),
        (
            {"target": 9, "metricFrom": {"query": "sum(rate(asked[2m]))"}},
            "sum(rate(asked[2m]))",
            "9",
        ),
    ],
)
def test_what_keda_asks_for(
    make: Make, words: ModuleType, replicas: Values, query: str, threshold: str
) -> None:
    spec = scaled(make, words, {**BOUNDS, **replicas})
    assert asked(spec) == query
    assert spec["triggers"][0]["metadata"]["threshold"] == threshold


def test_series_are_found_as_the_profile_labels_and_names_them(
    make: Make, words: ModuleType
) -> None:
    metrics = {
        **KEDA["metrics"],
        "labels": {"namespace": "ns", "workload": "app"},
        "names": {"vllm:num_requests_waiting": "serving:waiting:sum"},
    }
    spec = scaled(make, words, BOUNDS, metrics=metrics)
    assert asked(spec) == 'sum(serving:waiting:sum{ns="default",app="work"})'


def test_keda_shows_prometheus_who_it_is(make: Make, words: ModuleType) -> None:
    """Without `authModes` KEDA sends nothing of what a reference holds."""
    known = {"name": "monitoring", "modes": ["bearer", "tls"]}
    prometheus = {"address": "https://prometheus:9090", "authentication": known}
    spec = scaled(make, words, BOUNDS, metrics={"source": "keda", "prometheus": prometheus})
    (trigger,) = spec["triggers"]
    assert trigger["metadata"]["authModes"] == "bearer,tls"
    assert trigger["authenticationRef"] == {
        "name": "monitoring",
        "kind": "ClusterTriggerAuthentication",
    }


def test_keda_scales_groups_as_a_whole(make: Make, words: ModuleType) -> None:
    made = make(
        "Inference",
        words.cluster(**KEDA),
        replicas=BOUNDS,
        nodes=2,
        gpu={"count": 8},
        target="lws",
    )
    of = made.one("ScaledObject")["spec"]["scaleTargetRef"]
    assert of["kind"] == "LeaderWorkerSet"


ZERO = {"min": 0, "max": 4, **QUEUED, "metricFrom": {"external": {"labels": {"pool": "work"}}}}


def test_the_last_replica_goes_when_nobody_can_be_waiting_for_it(
    make: Make, words: ModuleType
) -> None:
    """Who was counted last finds a server that is ready, and is answered."""
    spec = scaled(make, words, {**ZERO, "activation": 2})
    assert spec["minReplicaCount"] == 0
    assert spec["triggers"][0]["metadata"]["activationThreshold"] == "2"
    made = make("Inference", words.cluster(**KEDA), replicas=ZERO, longestRequest="30m")
    probe = made.main["startupProbe"]
    budget = probe["periodSeconds"] * probe["failureThreshold"]
    cooldown = made.one("ScaledObject")["spec"]["cooldownPeriod"]
    assert cooldown >= budget + 1800
    assert f"after {cooldown}s without requests" in made.reason("spec.cooldownPeriod")
    assert spec["cooldownPeriod"] >= 600
    assert "fallback" not in spec, "an HPA that sees nothing changes nothing"


def test_the_last_replica_stays_while_it_answers(make: Make, words: ModuleType) -> None:
    """What waits before servers that keep up is nothing: what they answer keeps them as well."""
    first, second = scaled(make, words, {**ZERO, "activation": 2})["triggers"]
    assert first["metadata"]["query"] == 'sum(queued_requests{pool="work"})'
    assert second["metadata"]["query"] == (
        'sum(vllm:num_requests_running{namespace="default",app_kubernetes_io_name="work"})'
        " or vector(0)"
    )
    assert second["metadata"]["threshold"] == "64"
    assert "activationThreshold" not in second["metadata"], "one answer is reason enough to stay"
    profile = words.cluster(metrics={"source": "external-metrics"}, kubernetes="1.37")
    made = make("Inference", profile, replicas=ZERO)
    metrics = made.one("HorizontalPodAutoscaler")["spec"]["metrics"]
    names = [each["external"]["metric"]["name"] for each in metrics]
    assert names == ["queued_requests", "vllm_num_requests_running"]


def test_where_nobody_knows_what_is_answered_the_metric_has_to_count_it(
    make: Make, words: ModuleType
) -> None:
    own = {
        "runtime": "custom",
        "expose": {"port": 8080},
        "probes": {"readiness": {"path": "/ready"}},
    }
    made = make("Inference", words.cluster(**KEDA), replicas=ZERO, **own)
    assert len(made.one("ScaledObject")["spec"]["triggers"]) == 1
    assert "queued_requests has to count them too" in made.loud()
    assert "has to count it" not in make("Inference", words.cluster(**KEDA), replicas=ZERO).loud()


def test_an_hpa_goes_to_zero_where_kubernetes_lets_it(make: Make, words: ModuleType) -> None:
    metrics = {"source": "external-metrics"}
    profile = words.cluster(metrics=metrics, kubernetes="1.37")
    made = make("Inference", profile, replicas=ZERO, longestRequest="20m")
    spec = made.one("HorizontalPodAutoscaler")["spec"]
    assert spec["minReplicas"] == 0
    assert spec["behavior"]["scaleDown"]["stabilizationWindowSeconds"] >= 1200
    long = make("Inference", profile, replicas=ZERO, longestRequest="2h")
    window = long.one("HorizontalPodAutoscaler")["spec"]["behavior"]["scaleDown"]
    assert window["stabilizationWindowSeconds"] == 3600, "the API server takes no more"
    assert "an HPA stops the last replica after 3600s" in long.loud()
    assert "an HPA ends" not in made.loud()


@pytest.mark.parametrize(
    ("source", "replicas", "metric"),
    [
        (
            "custom-metrics",
            {**QUEUED, "metricFrom": {"object": {"kind": "Service", "name": "gateway"}}},
            {
                "type": "Object",
                "object": {
                    "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "gateway"},
                    "metric": {"name": "queued_requests"},
                    "target": {"type": "AverageValue", "averageValue": "5"},
                },
            },
        ),
        (
            "external-metrics",
            {},
            {
                "type": "External",
                "external": {
                    "metric": {
                        "name": "vllm_num_requests_waiting",
                        "selector": {"matchLabels": {"app_kubernetes_io_name": "work"}},
                    },
                    "target": {"type": "AverageValue", "averageValue": "5"},
                },
            },
        ),
        (
            "external-metrics",
            {**QUEUED, "metricFrom": {"external": {}}},
            {
                "type": "External",
                "external": {
                    "metric": {"name": "queued_requests"},
                    "target": {"type": "AverageValue", "averageValue": "5"},
                },
            },
        ),
    ],
)
def test_forms_of_an_hpas_metric(
    make: Make, words: ModuleType, source: str, replicas: Values, metric: Values
) -> None:
    profile = words.cluster(metrics={"source": source})
    made = make("Inference", profile, replicas={**BOUNDS, **replicas})
    assert made.one("HorizontalPodAutoscaler")["spec"]["metrics"] == [metric]


@pytest.mark.parametrize(
    ("profile", "replicas", "said"),
    [
        ({}, ZERO, "the profile has no `metrics`"),
        (
            {"metrics": {"source": "external-metrics"}, "kubernetes": "1.36"},
            ZERO,
            "since Kubernetes 1.37, and the profile has 1.36",
        ),
        (
            {"metrics": SOURCE},
            {**BOUNDS, **QUEUED, "metricFrom": {"external": {}}},
            "`external` is for external-metrics and keda, and the profile has custom-metrics",
        ),
        (
            KEDA,
            {**BOUNDS, **QUEUED, "metricFrom": {"object": {"kind": "Service", "name": "a"}}},
            "`object` is for custom-metrics, and the profile has keda",
        ),
        (
            {"metrics": SOURCE},
            {**BOUNDS, "target": 5, "metricFrom": {"query": "sum(a)"}},
            "`query` is for keda, and the profile has custom-metrics",
        ),
        (
            {"metrics": {"source": "external-metrics"}},
            {**BOUNDS, **QUEUED, "metricFrom": {"external": {"labels": {"path": "/v1"}}}},
            "a Kubernetes selector selects",
        ),
        *(
            (
                KEDA,
                {**BOUNDS, "metric": metric, "target": 5, "metricFrom": {"external": {}}},
                "is a counter, which only grows",
            )
            for metric in ("asked_total", "nginx_ingress_controller_requests")
        ),
        (
            {"metrics": {"source": "external-metrics"}, "kubernetes": "1.37"},
            {**ZERO, "activation": 3},
            "only KEDA supports a threshold",
        ),
    ],
)
def test_what_no_autoscaler_of_the_cluster_can_do(
    make: Make, words: ModuleType, profile: Values, replicas: Values, said: str
) -> None:
    with pytest.raises(gpuspec.Refusal) as refused:
        make("Inference", words.cluster(**profile), replicas=replicas)
    assert said in str(refused.value)


def test_warm_room_stays_whatever_scales(make: Make, words: ModuleType) -> None:
    """C-32: the placeholders are ours, and no autoscaler counts them."""
    profile = words.cluster(**KEDA, priorities={"placeholder": "placeholder"})
    made: Made = make("Inference", profile, replicas=ZERO, warm=2)
    keeper = made.one("Deployment", "work-placeholder")
    assert keeper["spec"]["replicas"] == 2
    assert made.one("ScaledObject")["spec"]["scaleTargetRef"]["name"] == "work"
    assert made.one("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1
