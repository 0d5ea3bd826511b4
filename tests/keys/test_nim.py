"""Variables of NVIDIA's NIMs: names, values, and GPUs that they divide a model over."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

NIM = "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.6"


def _said(code: str, image: str = NIM, **variables: str) -> list[Finding]:
    env: list[dict[str, Any]] = [{"name": name, "value": each} for name, each in variables.items()]
    one = {
        "name": "main",
        "image": image,
        "env": env,
        "resources": {"limits": {"nvidia.com/gpu": 2}},
    }
    return of(code, text(an("v1", "Pod", "p", spec={"containers": [one]})))


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("NIM_TENSOR_PARALELL_SIZE", "NIM_TENSOR_PARALLEL_SIZE"),
        ("NIM_KV_CACHE_PERCENT", "NIM_KVCACHE_PERCENT"),
        ("NIM_CACHE_DIR", "NIM_CACHE_PATH"),
        ("NIM_API_KEY", "NGC_API_KEY"),
        ("NIM_MAX_MODEL_LENGTH", "NIM_MAX_MODEL_LEN"),
    ],
)
def test_names_that_no_nim_reads(name: str, right: str) -> None:
    (found,) = _said("GPU704", **{name: "1"})
    assert f"did you mean `{right}`?" in found.message


@pytest.mark.parametrize("name", ["NIM_HTTP_API_PORT", "NIM_MODEL_PROFILE", "NIM_SOMETHING_ELSE"])
def test_names_that_one_reads_or_nobody_knows(name: str) -> None:
    assert _said("GPU704", **{name: "1"}) == []


def test_a_client_may_call_its_own_as_it_likes() -> None:
    assert _said("GPU704", "mine/client:1", NIM_API_KEY="x") == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NIM_SERVER_PORT", "http"),
        ("NIM_MAX_MODEL_LEN", "8k"),
        ("NIM_KVCACHE_PERCENT", "90"),
        ("NIM_RELAX_MEM_CONSTRAINTS", "yes"),
        ("NIM_LOG_LEVEL", "verbose"),
    ],
)
def test_values_that_it_does_not_take(name: str, value: str) -> None:
    (found,) = _said("GPU706", **{name: value})
    assert found.severity == "warning"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NIM_SERVER_PORT", "8000"),
        ("NIM_KVCACHE_PERCENT", "0.9"),
        ("NIM_RELAX_MEM_CONSTRAINTS", "1"),
        ("NIM_JSONL_LOGGING", "True"),
        ("NIM_LOG_LEVEL", "info"),
    ],
)
def test_values_that_it_takes(name: str, value: str) -> None:
    assert _said("GPU706", **{name: value}) == []


def test_more_gpus_than_the_pod_has() -> None:
    (found,) = _said("GPU731", NIM_TENSOR_PARALLEL_SIZE="2", NIM_PIPELINE_PARALLEL_SIZE="2")
    assert "needs 4 GPUs, but the pod has 2" in found.message
    # A profile or the engine's own options may say otherwise.
    assert found.severity == "warning"
    for other in ("NIM_MODEL_PROFILE", "NIM_PASSTHROUGH_ARGS", "NIM_NUM_COMPUTE_NODES"):
        assert _said("GPU731", NIM_TENSOR_PARALLEL_SIZE="4", **{other: "2"}) == []
    assert _said("GPU731", NIM_TENSOR_PARALLEL_SIZE="2") == []
