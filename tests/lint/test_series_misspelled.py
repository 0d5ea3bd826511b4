"""GPU898: series of model servers with an underscore for a colon, without the server; GPU813 with a window."""

import json
from typing import Any

import pytest

from tests.lint.pages import raised


def scaled(query: str, **spec: Any) -> dict[str, Any]:
    trigger = {
        "type": "prometheus",
        "metadata": {"serverAddress": "http://p:9090", "query": query, "threshold": "8"},
    }
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": "chat", "namespace": "llm"},
        "spec": {"scaleTargetRef": {"name": "chat"}, "triggers": [trigger], **spec},
    }


def alerts(*rules: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "chat", "namespace": "llm"},
        "spec": {"groups": [{"name": "chat", "rules": list(rules)}]},
    }


def said(code: str, *objects: dict[str, Any]) -> list[str]:
    found = [one.finding() for one in raised("\n---\n".join(map(json.dumps, objects)))]
    return [one.message for one in found if one.rule == code]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (
            'sum(vllm_num_requests_waiting{namespace="llm", service="chat"})',
            "vllm:num_requests_waiting",
        ),
        ("max(sglang_num_queue_reqs)", "sglang:num_queue_reqs"),
        (
            "histogram_quantile(0.9, sum by (le) (rate(vllm_time_to_first_token_seconds_bucket[5m])))",
            "vllm:time_to_first_token_seconds_bucket",
        ),
        ("avg(vllm_gpu_cache_usage_perc)", "vllm:gpu_cache_usage_perc"),
        ("sum(vllm:num_requests_waiting)", None),
        ('sum({__name__="vllm:num_requests_waiting"})', None),
        ('sum(up{job="vllm_num_requests_waiting"})', None),
        ("sum(ray_vllm_num_requests_waiting)", None),
        ("sum(tgi_queue_size)", None),
        ("sum(vllm_queue_of_mine)", None),
        ("avg(DCGM_FI_DEV_GPU_UTIL) + sum(nv_inference_queue_duration_us)", None),
        ("sum(rate(vllm:request_success_total[1m]))", None),
        ("sum(vllm:spec_decode_of_tomorrow)", None),
        ("sum(vllm:requests:rate5m)", None),
        ("sum(tgi_queue_size) + sum(rate(te_request_duration_bucket[1m]))", None),
    ],
)
def test_a_query_without_its_server(query: str, name: str | None) -> None:
    found = said("GPU898", scaled(query))
    assert len(found) == (name is not None)
    if name is not None:
        assert f"the series is `{name}`" in found[0]
    assert len(said("GPU898", alerts({"alert": "Slow", "expr": f"{query} > 1"}))) == len(found)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("sum(vllm:queue_length)", "no release of vLLM"),
        ("avg(sglang:num_queue_requests)", "no release of SGLang"),
        ("rate(tgi_request_counts[1m])", "did you mean `tgi_request_count`"),
        ("avg(DCGM_FI_DEV_GPU_UTILIZATION)", "no release of DCGM"),
        ("avg(inference_pool_average_queue_length)", "inference_pool_average_queue_size"),
        ("rate(lmcache:num_hit_token[1m])", "lmcache:num_hit_tokens"),
        ("rate(litellm_proxy_total_request_metric[1m])", "litellm_proxy_total_requests_metric"),
        ("rate(dynamo_frontend_request_total[1m])", "dynamo_frontend_requests"),
        ("avg(ray_serve_deployment_queued_query)", "ray_serve_deployment_queued_queries"),
    ],
)
def test_a_series_of_no_release(query: str, words: str) -> None:
    (found,) = (one for one in raised(json.dumps(scaled(query))) if one.rule.code == "GPU898")
    assert words in f"{found.found.message} {found.found.note}"


def test_a_series_that_is_recorded_is_there() -> None:
    recorded = {"record": "vllm_num_requests_waiting", "expr": "sum(vllm:num_requests_waiting)"}
    assert said("GPU898", alerts(recorded), scaled("sum(vllm_num_requests_waiting)")) == []


@pytest.mark.parametrize(("window", "number"), [(None, 1), (600, 0), (0, 0)])
def test_a_cooldown_beside_a_window(window: int | None, number: int) -> None:
    more: dict[str, Any] = {"minReplicaCount": 1, "cooldownPeriod": 360}
    if window is not None:
        down = {"scaleDown": {"stabilizationWindowSeconds": window}}
        more["advanced"] = {"horizontalPodAutoscalerConfig": {"behavior": down}}
    assert len(said("GPU813", scaled("sum(vllm:num_requests_waiting)", **more))) == number
