"""GPU876: what a query compares, takes the rate of and groups by, beyond what its page shows."""

import pytest

from tests.lint.pages import raised

RULES = """apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: gpus, namespace: monitoring}
spec:
  groups:
    - name: gpus
      rules:
        - alert: Gpus
          expr: |-
            EXPRESSION
"""
SCALED = """apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat, namespace: serving}
spec:
  scaleTargetRef: {name: chat}
  triggers:
    - type: prometheus
      metadata: {serverAddress: 'http://p:9090', query: 'QUERY', threshold: 'THRESHOLD'}
"""
SERVER = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: serving}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
        - name: server
          image: vllm/vllm-openai:RELEASE
          resources: {limits: {nvidia.com/gpu: 1}}
"""
MONITOR = """---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: dcgm-exporter, namespace: gpu-operator}
spec:
  selector: {matchLabels: {app: nvidia-dcgm-exporter}}
  endpoints: [{port: gpu-metrics}]
"""


def said(manifest: str) -> list[str]:
    findings = [one.finding() for one in raised(manifest)]
    return [finding.message for finding in findings if finding.rule == "GPU876"]


def of_alert(expression: str, more: str = "") -> list[str]:
    return said(RULES.replace("EXPRESSION", expression) + more)


@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("vllm:kv_cache_usage_perc > 90", "never true"),
        ("avg by (pod) (vllm:kv_cache_usage_perc) >= 80", "never true"),
        ('max(avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE{pod!=""}[10m])) < 5', "always true"),
        ("DCGM_FI_DEV_GPU_UTIL > 0.9", "at any use"),
        ("DCGM_FI_DEV_FB_USED > 0.9", "in MiB, not a ratio"),
        ("DCGM_FI_DEV_FB_FREE < 1073741824", "always true"),
        ("up == 1 and on (pod) quantile(0.9, sglang:token_usage) > 85", "never true"),
        ("(DCGM_FI_DEV_GPU_UTIL > 100)", "never true"),
        ("increase(DCGM_FI_DEV_XID_ERRORS[5m]) > 0", "is a gauge"),
        ('sum(rate(vllm:num_requests_waiting{namespace="a"}[5m])) > 3', "is a gauge"),
    ],
)
def test_a_comparison_that_tells_nothing(expression: str, word: str) -> None:
    (message,) = of_alert(expression)
    assert word in message


@pytest.mark.parametrize(
    "expression",
    [
        "vllm:kv_cache_usage_perc > 0.9",
        "vllm:kv_cache_usage_perc * 100 > 90",
        "100 * avg(vllm:kv_cache_usage_perc) > 90",
        "sum(DCGM_FI_PROF_GR_ENGINE_ACTIVE) > 5",
        "count(DCGM_FI_PROF_GR_ENGINE_ACTIVE > 0.5) > 5",
        "avg_over_time(DCGM_FI_DEV_GPU_UTIL[1h]) < 0.5",
        "DCGM_FI_DEV_GPU_UTIL > 0",
        "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) > 0.95",
        "rate(vllm:generation_tokens_total[5m]) > 100",
        "delta(vllm:num_requests_waiting[5m]) > 3",
        "vllm:num_requests_waiting > 100",
        "vllm:kv_cache_usage_perc > scalar(limit)",
    ],
)
def test_a_comparison_that_may_be_meant(expression: str) -> None:
    assert not of_alert(expression)


def test_a_threshold_of_another_unit() -> None:
    cache = SCALED.replace("QUERY", "avg(vllm:kv_cache_usage_perc)")
    assert "never reaches" in said(cache.replace("THRESHOLD", "80"))[0]
    assert not said(cache.replace("THRESHOLD", "0.8"))
    use = SCALED.replace("QUERY", "avg(DCGM_FI_DEV_GPU_UTIL)")
    assert "to its maximum" in said(use.replace("THRESHOLD", "0.8"))[0]
    assert not said(use.replace("THRESHOLD", "80"))
    total = SCALED.replace("QUERY", "sum(vllm:kv_cache_usage_perc)")
    assert not said(total.replace("THRESHOLD", "2"))


def test_a_series_that_every_server_has_lost() -> None:
    query = "vllm:gpu_cache_usage_perc > 0.9"
    new = SERVER.replace("NAME", "chat").replace("RELEASE", "v0.11.0")
    old = SERVER.replace("NAME", "other").replace("RELEASE", "v0.9.0")
    assert "has no `vllm:gpu_cache_usage_perc` since 0.11.0" in of_alert(query, new)[0]
    assert not of_alert(query, new + old)
    assert not of_alert(query, new.replace("v0.11.0", "latest"))
    assert not of_alert(query)


def test_labels_of_the_exporter_itself() -> None:
    query = "avg by (namespace, pod) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[1h])) < 5"
    assert "the pod of the DCGM exporter" in of_alert(query, MONITOR)[0]
    assert not of_alert(query)
    honoured = MONITOR.replace("gpu-metrics}", "gpu-metrics, honorLabels: true}")
    assert not of_alert(query, honoured)
    assert not of_alert(query.replace("pod", "exported_pod"), MONITOR)


def test_a_namespace_that_is_the_exporters_own() -> None:
    query = 'avg(DCGM_FI_DEV_GPU_UTIL{namespace="NAME"})'
    scaled = SCALED.replace("QUERY", query).replace("THRESHOLD", "70")
    (message,) = said(MONITOR + "---\n" + scaled.replace("NAME", "vision"))
    assert 'no series has `namespace="vision"`' in message
    assert not said(scaled.replace("NAME", "vision"))
    honoured = MONITOR.replace("gpu-metrics}", "gpu-metrics, honorLabels: true}")
    assert not said(honoured + "---\n" + scaled.replace("NAME", "vision"))
    exported = scaled.replace("namespace=", "exported_namespace=")
    assert not said(MONITOR + "---\n" + exported)
