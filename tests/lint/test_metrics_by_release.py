"""GPU809: names of metrics that another release of the server has."""

import pytest

from tests.lint.pages import HERE, raised

BASE = (HERE / "bases" / "scaledobject.yaml").read_text()
IMAGE = "vllm/vllm-openai:v0.33.0"
QUERY = "vllm:num_requests_waiting"


def said(image: str, metric: str, option: str | None = None) -> list[str]:
    text = BASE.replace(IMAGE, image).replace(QUERY, metric)
    if "/nim/" in image:
        text = text.replace("          command: [vllm, serve]\n", "")
    if option is not None:
        text = text.replace("--served-model-name", f"{option}, --served-model-name")
    return [one.found.message for one in raised(text) if one.rule.code == "GPU809"]


def test_the_base_holds_what_is_replaced() -> None:
    assert IMAGE in BASE and QUERY in BASE and "--served-model-name" in BASE


@pytest.mark.parametrize(
    ("image", "metric", "instead"),
    [
        (IMAGE, "vllm:gpu_cache_usage_perc", "it is `vllm:kv_cache_usage_perc` there"),
        (IMAGE, "vllm:gpu_prefix_cache_hits_total", "it is `vllm:prefix_cache_hits` there"),
        (IMAGE, "vllm:num_requests_swapped", "since 0.11.0"),
        (
            "vllm/vllm-openai:v0.15.1",
            "vllm:time_per_output_token_seconds_bucket",
            "it is `vllm:inter_token_latency_seconds` there",
        ),
        ("nvcr.io/nim/nvidia/llm-nim:2.0.1", "num_requests_waiting", "vllm:num_requests_waiting"),
        ("nvcr.io/nim/nvidia/llm-nim:1.8.0", "vllm:num_requests_waiting", "only since 2.0.0"),
    ],
)
def test_a_name_of_another_release_is_told(image: str, metric: str, instead: str) -> None:
    (one,) = said(image, metric)
    assert instead in one
    assert metric in one


@pytest.mark.parametrize(
    ("image", "metric", "option"),
    [
        (IMAGE, "vllm:kv_cache_usage_perc", None),
        (IMAGE, "vllm:request_time_per_output_token_seconds_sum", None),
        (IMAGE, "vllm:gpu_cache_usage_perc", "--show-hidden-metrics-for-version=0.32"),
        ("vllm/vllm-openai:v0.10.2", "vllm:gpu_cache_usage_perc", None),
        ("vllm/vllm-openai:v0.12.0", "vllm:time_per_output_token_seconds", None),
        ("vllm/vllm-openai:nightly", "vllm:gpu_cache_usage_perc", None),
        ("registry.example.com/llm/server:1.0.0", "vllm:gpu_cache_usage_perc", None),
        ("nvcr.io/nim/nvidia/llm-nim:1.8.0", "num_requests_waiting", None),
    ],
)
def test_a_name_that_the_release_has_or_may_have_is_not(
    image: str, metric: str, option: str | None
) -> None:
    assert said(image, metric, option) == []
