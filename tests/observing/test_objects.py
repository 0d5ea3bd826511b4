"""Monitors, rules and dashboards: of whom there are which, and by what they are found."""

import json
from typing import Any

import pytest

from gpuspec.plan.observing.promql import lasting, of_pods, resource
from tests.observing.conftest import Values, dashboards_of, rules_of
from tests.plan.conftest import Made, Make, cluster, pool

INSTALLED = {
    **{"prometheus-operator": "0.93", "kube-state-metrics": "2.20", "dcgm-exporter": "4.5"},
    **{"kueue": "0.19", "gateway-api": "1.4", "inference-extension": "1.5", "lws": "0.10"},
}
WATCH = {"scrape": "pod-monitor", "labels": {"release": "prometheus"}}


def watched(
    make: Make, kind: str, monitoring: Values = WATCH, more: Values | None = None, **spec: Any
) -> Made:
    profile = {"installed": INSTALLED, "monitoring": monitoring, **(more or {})}
    return make(kind, cluster(pool(), **profile), **spec)


def monitors(made: Made) -> list[Values]:
    return [one for one in made.objects if one["kind"].endswith("Monitor")]


def alerts(made: Made) -> set[str]:
    return {rule["alert"] for rule in rules_of(made.objects)}


def test_a_server_is_scraped_where_its_runtime_has_metrics(make: Make) -> None:
    (one,) = monitors(watched(make, "Inference"))
    assert one["kind"] == "PodMonitor"
    assert one["spec"]["podMetricsEndpoints"] == [{"path": "/metrics", "port": "http"}]
    assert one["spec"]["podTargetLabels"] == ["app.kubernetes.io/name"]
    assert one["metadata"]["labels"]["release"] == "prometheus"


def test_a_monitor_selects_the_pods_and_no_placeholder(make: Make) -> None:
    more = {"priorities": {"placeholder": "placeholder"}}
    made = watched(make, "Inference", more=more, warm=1)
    (one,) = monitors(made)
    chosen = one["spec"]["selector"]["matchLabels"].items()
    by_name = {
        each["metadata"]["name"]: each for each in made.objects if each["kind"] == "Deployment"
    }
    pods = {name: each["spec"]["template"]["metadata"]["labels"] for name, each in by_name.items()}
    assert [name for name, labels in pods.items() if chosen <= labels.items()] == ["work"]


def test_each_runtime_has_its_own_port_and_path(make: Make) -> None:
    nim = watched(make, "Inference", runtime="nim", image="nvcr.io/nim/meta/llama:2.1.6")
    (one,) = monitors(nim)
    assert one["spec"]["podMetricsEndpoints"] == [{"path": "/v1/metrics", "port": "http"}]
    triton = watched(
        make, "Inference", runtime="triton", image="nvcr.io/nvidia/tritonserver:26.07-py3"
    )
    (one,) = monitors(triton)
    assert one["spec"]["podMetricsEndpoints"] == [{"path": "/metrics", "port": "metrics"}]


def test_older_releases_are_asked_by_their_own_names(make: Make) -> None:
    """NIM called its series otherwise before 2.0."""
    aims = {"timeToFirstToken": "2s"}
    told: Values = {"runtime": "nim", "objectives": aims}
    for version, series in (("1.8", "rate(time_to_first"), ("2.1", "rate(vllm:time_to_first")):
        made = watched(make, "Inference", **told, image=f"nvcr.io/nim/meta/llama:{version}.0")
        (rule,) = (rule for rule in rules_of(made.objects) if rule["alert"] == "FirstTokenSlow")
        assert series in rule["expr"]


@pytest.mark.parametrize("kind", ["Training", "FineTune", "BatchInference"])
def test_a_run_is_scraped_where_its_spec_says_so(make: Make, kind: str) -> None:
    assert monitors(watched(make, kind)) == []
    made = watched(make, kind, metrics={"port": 9400, "path": "/own"})
    (one,) = monitors(made)
    assert one["spec"]["podMetricsEndpoints"] == [{"path": "/own", "port": "metrics"}]
    assert {"name": "metrics", "containerPort": 9400} in made.main["ports"]
    assert "MetricsMissing" in alerts(made)


def test_a_run_is_the_same_whether_it_is_watched_or_not(make: Make) -> None:
    """A Job without a name is called by a digest of its pods: monitoring alone makes no new run."""
    here, bare = watched(make, "Training"), make("Training", cluster(pool(), installed=INSTALLED))
    assert here.workload["metadata"]["name"] == bare.workload["metadata"]["name"]


def test_metrics_of_a_port_that_is_declared_already(make: Make) -> None:
    """A sidecar's, or the server's own: no second port of the number is declared."""
    side = {"name": "log", "image": "log:1", "ports": {"stats": 9100}}
    made = watched(make, "Training", sidecars=[side], metrics={"port": 9100})
    (one,) = monitors(made)
    assert one["spec"]["podMetricsEndpoints"][0]["port"] == "stats"
    assert "ports" not in made.main
    server = watched(make, "Inference", metrics={"port": 8000, "path": "/other"})
    (one,) = monitors(server)
    assert one["spec"]["podMetricsEndpoints"] == [{"path": "/other", "port": "http"}]


def test_a_network_policy_lets_the_scraper_to_the_port_of_the_metrics(make: Make) -> None:
    network = {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
    made = watched(make, "Inference", more={"network": network}, metrics={"port": 9400})
    rules = made.one("NetworkPolicy")["spec"]["ingress"]
    (scraped,) = (one for one in rules if "monitoring" in str(one["from"]))
    assert scraped["ports"] == [{"port": 9400, "protocol": "TCP"}]


def test_a_service_monitor_where_a_service_of_ours_leads_to_the_metrics(make: Make) -> None:
    by_service = {**WATCH, "scrape": "service-monitor"}
    (one,) = monitors(watched(make, "Inference", by_service))
    assert one["kind"] == "ServiceMonitor"
    assert one["spec"]["endpoints"] == [{"path": "/metrics", "port": "http"}]
    assert "podMetricsEndpoints" not in one["spec"]
    side = {"name": "auth", "image": "auth:1", "ports": {"proxy": 9000}}
    behind: Values = {"sidecars": [side], "expose": {"through": "proxy"}}
    for made in (
        watched(make, "Training", by_service, metrics={"port": 9400}),
        watched(make, "Inference", by_service, **behind),
    ):
        (one,) = monitors(made)
        assert one["kind"] == "PodMonitor"


def test_annotations_in_the_place_of_a_monitor(make: Make) -> None:
    made = watched(make, "Inference", {"scrape": "annotations"})
    assert monitors(made) == []
    told = made.template["metadata"]["annotations"]
    assert {key: value for key, value in told.items() if key.startswith("prometheus.io/")} == {
        **{"prometheus.io/scrape": "true", "prometheus.io/port": "8000"},
        "prometheus.io/path": "/metrics",
    }


def test_both_sides_of_a_divided_server_are_scraped(make: Make) -> None:
    made = watched(make, "Inference", prefill={}, objectives={"timeToFirstToken": "2s"})
    assert {one["metadata"]["name"] for one in monitors(made)} == {"work", "work-prefill"}
    rules = {
        one["metadata"]["name"]: one for one in made.objects if one["kind"] == "PrometheusRule"
    }
    told = {name: {rule["alert"] for rule in rules_of([one])} for name, one in rules.items()}
    assert "FirstTokenSlow" in told["work"] and "FirstTokenSlow" not in told["work-prefill"]


def test_a_picker_is_scraped_where_a_policy_says_who_may(make: Make) -> None:
    image = "registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0"
    more: Values = {"gateway": {"name": "g", "namespace": "g", "picker": {"image": image}}}
    route = {"hosts": ["chat.example.com"]}
    closed = {"network": {"ingress": [{"namespace": "g"}], "metrics": [{"namespace": "m"}]}}
    names = [
        {one["metadata"]["name"] for one in monitors(made)}
        for made in (
            watched(make, "Inference", more=more, route=route),
            watched(make, "Inference", more={**more, **closed}, route=route),
        )
    ]
    assert names == [{"work"}, {"work", "work-epp"}]


def test_the_name_that_autoscalers_know_is_written_too(make: Make) -> None:
    metrics = {"source": "external-metrics", "labels": {"workload": "app"}}
    made = watched(make, "Inference", more={"metrics": metrics})
    (one,) = monitors(made)
    (relabelled,) = one["spec"]["podMetricsEndpoints"][0]["relabelings"]
    assert relabelled["targetLabel"] == "app"
    (rule,) = (rule for rule in rules_of(made.objects) if rule["alert"] == "KVCacheNearlyFull")
    assert '{namespace="default",app="work"}' in rule["expr"]


def test_what_nobody_counts_is_not_watched(make: Make) -> None:
    def told(*without: str, **spec: Any) -> set[str]:
        installed = {key: value for key, value in INSTALLED.items() if key not in without}
        return alerts(watched(make, "Inference", more={"installed": installed}, **spec))

    assert "GPUsIdle" in told()
    assert "GPUsIdle" not in told("dcgm-exporter")
    assert told("kube-state-metrics") == {"RequestsWaiting", "KVCacheNearlyFull", "MetricsMissing"}
    otel = {"opentelemetry-operator": "0.140"}
    made = watched(make, "Inference", more={"installed": otel})
    assert monitors(made) and not alerts(made)
    assert "no alerts: they need prometheus-operator" in made.notes()


def test_gpus_that_pods_share_tell_nothing_of_one_of_them(make: Make) -> None:
    shared = pool(sharing={"mode": "time-slicing", "replicas": 4})
    profile = cluster(shared, installed=INSTALLED, monitoring=WATCH)
    spec = {
        "gpu": {"memory": "16Gi"},
        "waivers": {"timeSlicing": "it is a toy"},
        "latency": "relaxed",
    }
    assert "GPUsIdle" not in alerts(make("Inference", profile, **spec))


def test_no_aim_no_alert_of_it(make: Make) -> None:
    assert not {"FirstTokenSlow", "TokensSlow"} & alerts(watched(make, "Inference"))
    loud = make("Inference", cluster(pool()), objectives={"timeToFirstToken": "2s"}).loud()
    assert "objectives: nothing monitors them" in loud


def test_thresholds_say_why_they_are_so(make: Make) -> None:
    """C-50: `explain` names the aim, the target, the budget."""
    made = watched(make, "Inference", objectives={"timePerOutputToken": "50ms"})
    told = {
        str(one.origin): one.reason
        for one in made.rendering.explanations()
        if one.object.startswith("PrometheusRule")
    }
    assert told["spec spec.objectives.timePerOutputToken"].startswith("TokensSlow: 95 of 100")


def test_a_dashboard_is_grafanas(made: dict[str, list[Values]]) -> None:
    """C-50: Panels have places that do not overlap, queries, and units; nothing is asked of a fixed source."""
    for objects in made.values():
        for board in dashboards_of(objects):
            assert {"uid", "title", "schemaVersion", "templating", "time", "panels"} <= board.keys()
            assert len(board["uid"]) <= 40
            places = [tuple(panel["gridPos"].values()) for panel in board["panels"]]
            assert len(set(places)) == len(places)
            assert all(x + width <= 24 for x, _, width, _ in places)
            ids = [panel["id"] for panel in board["panels"]]
            assert ids == list(range(1, len(ids) + 1))
            for panel in board["panels"]:
                assert panel["datasource"] == {"type": "prometheus", "uid": "$datasource"}
                assert panel["targets"] and panel["fieldConfig"]["defaults"]["unit"]
            # Flux puts variables in the place of what stands in such braces.
            assert "${" not in json.dumps(board)


def test_two_workloads_have_dashboards_of_their_own(made: dict[str, list[Values]]) -> None:
    boards = [board for objects in made.values() for board in dashboards_of(objects)]
    assert len({board["uid"] for board in boards}) == len(boards) == 4


def test_durations_and_resources_as_others_write_them() -> None:
    assert [lasting(each) for each in (0, 60, 5400, 90061)] == ["0s", "1m", "1h30m", "1d1h1m1s"]
    assert resource("nvidia.com/mig-1g.10gb") == "nvidia_com_mig_1g_10gb"
    assert of_pods("a").count("label_replace") == 2
