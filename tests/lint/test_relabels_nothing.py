"""GPU817: what a monitor's rules read, copy and drop."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

GROUP = "monitoring.coreos.com/v1"
POD = "__meta_kubernetes_pod_label_"


def _pods(**labels: str) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "main", "image": "vllm/vllm-openai:v0.33.0"}
    container["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    template = {
        "metadata": {"labels": {"app": "chat", **labels}},
        "spec": {"containers": [container]},
    }
    return an("apps/v1", "Deployment", "chat", spec={"template": template})


def _service(**labels: str) -> dict[str, Any]:
    one = an("v1", "Service", "chat", spec={"selector": {"app": "chat"}, "ports": [{"port": 80}]})
    one["metadata"]["labels"] = {"app": "chat", **labels}
    return one


def _monitor(kind: str = "PodMonitor", **more: Any) -> dict[str, Any]:
    field = "endpoints" if kind == "ServiceMonitor" else "podMetricsEndpoints"
    spec = {key: value for key, value in more.items() if key.endswith("Labels") or "Sel" in key}
    endpoint = {key: value for key, value in more.items() if key not in spec}
    spec = {"selector": {"matchLabels": {"app": "chat"}}, field: [endpoint], **spec}
    return an(GROUP, kind, "chat", spec=spec)


def _scaler(query: str) -> dict[str, Any]:
    metadata = {"serverAddress": "http://p:9090", "query": query, "threshold": "8"}
    spec = {"scaleTargetRef": {"name": "chat"}}
    trigger = {"type": "prometheus", "metadata": metadata}
    return an("keda.sh/v1alpha1", "ScaledObject", "chat", spec={**spec, "triggers": [trigger]})


def _said(*objects: dict[str, Any]) -> list[Finding]:
    return of("GPU817", text(*objects))


class TestPlaces:
    @pytest.mark.parametrize(
        ("action", "words"),
        [("replace", "no effect"), ("keep", "nothing is scraped"), ("drop", "drops nothing")],
    )
    @pytest.mark.parametrize("kind", ["PodMonitor", "ServiceMonitor"])
    def test_names_of_metrics_before_the_scrape(self, kind: str, action: str, words: str) -> None:
        rule = {"sourceLabels": ["job", "__name__"], "regex": "DCGM_.+", "action": action}
        (found,) = _said(_monitor(kind, relabelings=[rule]))
        assert words in found.message
        assert found.path.endswith("relabelings[0].sourceLabels[1]")
        assert _said(_monitor(kind, metricRelabelings=[rule])) == []

    @pytest.mark.parametrize("regex", [".*", "(.*)", None, 5, "a{1,9}[[:alpha:]]"])
    def test_a_pattern_that_takes_anything_or_is_not_looked_into(self, regex: object) -> None:
        rule = {"sourceLabels": ["__name__"], "regex": regex, "targetLabel": "a"}
        assert _said(_monitor(relabelings=[rule])) == []

    def test_labels_of_the_target_after_the_scrape(self) -> None:
        rule = {"sourceLabels": [f"{POD}app"], "targetLabel": "app"}
        (found,) = _said(_monitor(metricRelabelings=[rule]), _pods())
        assert "`app` stays empty" in found.message
        assert _said(_monitor(relabelings=[rule]), _pods()) == []


class TestCopies:
    RULE = {"sourceLabels": [f"{POD}llm_d_ai_pool"], "targetLabel": "pool"}

    def test_a_label_that_no_pod_carries(self) -> None:
        (found,) = _said(_monitor(relabelings=[self.RULE]), _pods())
        assert found.severity == "info"
        assert _said(_monitor(relabelings=[self.RULE]), _pods(**{"llm-d.ai/pool": "a"})) == []

    @pytest.mark.parametrize(
        ("query", "severity"),
        [
            ('sum(vllm:num_requests_waiting{pool="a"})', "warning"),
            ("sum by (pool) (vllm:num_requests_waiting)", "info"),
            ('sum(vllm:num_requests_waiting{whirlpool="a"})', "info"),
        ],
    )
    def test_a_query_that_asks_for_it(self, query: str, severity: str) -> None:
        rule = {"sourceLabels": [f"{POD}pool"], "targetLabel": "pool"}
        found = _said(_monitor(relabelings=[rule]), _pods(), _scaler(query))
        assert [one.severity for one in found] == [severity]

    def test_what_keeps_those_that_have_it_keeps_none(self) -> None:
        rule = {"sourceLabels": [f"{POD}pool"], "regex": "a|b", "action": "keep"}
        (found,) = _said(_monitor(relabelings=[rule]), _pods())
        assert found.severity == "warning"
        assert "nothing is scraped" in found.message

    def test_labels_of_services_and_of_their_pods(self) -> None:
        monitor = _monitor("ServiceMonitor", targetLabels=["tier"], podTargetLabels=["role"])
        found = _said(monitor, _service(), _pods())
        assert [one.path for one in found] == ["spec.podTargetLabels[0]", "spec.targetLabels[0]"]
        assert _said(monitor, _service(tier="a"), _pods(role="b")) == []

    @pytest.mark.parametrize(
        "label", ["pod-template-hash", "leaderworkerset.sigs.k8s.io/name", "$L"]
    )
    def test_labels_that_controllers_set(self, label: str) -> None:
        assert _said(_monitor(podTargetLabels=[label]), _pods()) == []

    def test_pods_elsewhere(self) -> None:
        assert _said(_monitor(podTargetLabels=["pool"])) == []
        where = {"matchNames": ["other"]}
        pods = _pods()
        pods["metadata"]["namespace"] = "ml"
        monitor = _monitor(podTargetLabels=["pool"], namespaceSelector=where)
        assert _said(monitor, pods) == []


class TestMetrics:
    QUERY = _scaler("sum(vllm:num_requests_waiting)")

    @pytest.mark.parametrize(
        ("action", "regex", "count"),
        [
            ("keep", "vllm:(num_requests_waiting|kv_cache_usage_perc)", 0),
            ("keep", "vllm:.*", 0),
            ("keep", "vllm:num_requests_running|vllm:.*_seconds", 1),
            ("drop", "vllm:.*", 1),
            ("drop", "python_.*", 0),
            ("keep", "(((a*)*)*)*b", 0),
        ],
    )
    def test_what_an_autoscaler_reads(self, action: str, regex: str, count: int) -> None:
        rule = {"sourceLabels": ["__name__"], "regex": regex, "action": action}
        assert len(_said(_monitor(metricRelabelings=[rule]), _pods(), self.QUERY)) == count
        assert _said(_monitor(metricRelabelings=[rule]), self.QUERY) == []
