"""Weights against the memory of the GPUs that a model is divided over (C-53)."""

import pytest
import yaml

from gpuspec.lint.model import Finding
from gpuspec.manifests import Quantity
from gpuspec.settings.config import Facts
from tests.lint.pages import HERE, named_profile
from tests.lint.patched import cluster, main, said

CODE = "GPU916"
KNOWN = Facts(models={"org/large": Quantity.parse("200G"), "org/small": Quantity.parse("60G")})
L4_OR_A100 = """
nodeSelectorTerms:
  - matchExpressions:
      - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4, NVIDIA-A100-SXM4-80GB]}
"""


def server(model: str, *more: str) -> str:
    return main(yaml.safe_dump({"args": [model, "--served-model-name", "chat", *more]}))


def one(findings: list[Finding]) -> tuple[str, str]:
    [found] = findings
    return found.severity, found.message


@pytest.mark.parametrize(
    ("model", "fits"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", True),
        ("org/Llama-3.3-70B-Instruct", False),
        ("/models/llama-3.3-70b-instruct", False),
        ("/models/llama_70b", False),
        ("org/Llama-70B-FP8", True),
        ("org/Llama-70B-AWQ", True),
        ("org/Llama-405B-w4a16", False),
        ("openai/gpt-oss-120b", True),
        ("Qwen/Qwen3-30B-A3B", True),
        ("org/Qwen3-235B-A22B", False),
        ("org/Mixtral-8x7B-v0.1", False),
        ("TheBloke/Mixtral-8x7B-v0.1-AWQ", True),
        ("awq-models/Llama-70B", False),
        ("org/model-A100B", True),
        ("org/model-v70b2", True),
        ("org/70billion", True),
        ("$(MODEL)", True),
    ],
)
def test_the_name_tells_parameters_and_their_bytes(model: str, fits: bool) -> None:
    """C-53: what a name says is a warning; what it does not say for sure is nothing."""
    found = said(CODE, "deployment", server(model))
    assert [(each.severity, each.confidence) for each in found] == (
        [] if fits else [("warning", "likely")]
    )


def test_a_size_that_is_known_is_certain_and_the_sum_is_shown() -> None:
    """C-53"""
    found = said(CODE, "deployment", server("org/large"), facts=KNOWN)
    severity, message = one(found)
    assert severity == "error"
    assert "200 GB" in message
    assert "85.9 GB" in message
    assert found[0].note is not None
    assert "at least 3 GPUs" in found[0].note
    assert not said(CODE, "deployment", server("org/small"), facts=KNOWN)


def test_gpus_of_the_whole_group_count_and_the_group_is_judged_once() -> None:
    """C-53: sixteen GPUs of 80 GiB hold what eight do not."""
    text = (HERE / "bases" / "leaderworkerset.yaml").read_text().replace("qwen3-8b", "big-405b")
    large = text.replace("big-405b", "big-1000b")
    assert not said(CODE, "leaderworkerset", text)
    assert len(said(CODE, "leaderworkerset", large)) == 1


@pytest.mark.parametrize(
    "more",
    [
        ("--quantization", "fp8"),
        ("--quantization=bitsandbytes",),
        ("-q", "awq"),
        ("--quantization", "something-new"),
        ("--cpu-offload-gb", "100"),
        ("--load-format", "bitsandbytes"),
    ],
)
def test_what_makes_weights_smaller_keeps_it_silent(more: tuple[str, ...]) -> None:
    assert said(CODE, "deployment", server("org/model-70B"))
    assert not said(CODE, "deployment", server("org/model-70B", *more))


def test_one_of_two_models_that_does_not_hold_it_is_a_warning() -> None:
    patch = yaml.safe_load(server("org/small"))
    required = {"requiredDuringSchedulingIgnoredDuringExecution": yaml.safe_load(L4_OR_A100)}
    patch["spec"]["template"]["spec"]["affinity"] = {"nodeAffinity": required}
    severity, message = one(said(CODE, "deployment", yaml.safe_dump(patch), facts=KNOWN))
    assert severity == "warning"
    assert "`L4`" in message
    assert "which the pod may get" in message


def test_pools_tell_the_gpus_unless_they_share_them() -> None:
    patch = yaml.safe_load(server("org/large"))
    patch["spec"]["template"]["spec"]["affinity"] = None
    anywhere = yaml.safe_dump(patch)
    assert not said(CODE, "deployment", anywhere, facts=KNOWN), "no GPU is named"
    assert said(CODE, "deployment", anywhere, facts=KNOWN, profile=cluster())
    turns = named_profile("turns")
    assert not said(CODE, "deployment", anywhere, facts=KNOWN, profile=turns)


def test_what_the_hub_has_under_a_known_name_is_certain() -> None:
    severity, message = one(said(CODE, "deployment", server("meta-llama/Llama-3.3-70B-Instruct")))
    assert severity == "error"
    assert "141 GB" in message
    folder = one(said(CODE, "deployment", server("/models/Llama-3.3-70B-Instruct")))
    assert folder[0] == "warning", "a folder may hold another format"


@pytest.mark.parametrize(
    ("model", "fits"),
    [
        ("openai/gpt-oss-120b", True),
        ("deepseek-ai/DeepSeek-R1", False),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", True),
        ("moonshotai/Kimi-K2-Instruct", False),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", False),
    ],
)
def test_models_whose_names_say_no_size_are_known(model: str, fits: bool) -> None:
    assert bool(said(CODE, "deployment", server(model))) != fits


def test_what_is_held_in_fewer_bits_may_still_be_too_large() -> None:
    found = said(CODE, "deployment", server("org/model-405B", "--quantization", "fp8"))
    severity, message = one(found)
    assert severity == "warning"
    assert "405 GB" in message
    assert found[0].note is not None
    assert "held as fp8" in found[0].note


def test_a_method_of_files_that_are_known_changes_nothing() -> None:
    """What the configuration says are the files: `awq` is what they are already."""
    assert said(CODE, "deployment", server("org/large", "--quantization", "awq"), facts=KNOWN)
    assert not said(CODE, "deployment", server("org/large", "-q", "bitsandbytes"), facts=KNOWN)


def test_a_method_in_the_environment_counts() -> None:
    image = "ghcr.io/huggingface/text-generation-inference:3.3.5"
    told = {
        "image": image,
        "command": None,
        "args": ["--model-id", "org/model-70B", "--num-shard", "1"],
    }
    assert said(CODE, "deployment", main(yaml.safe_dump(told)))
    held = {**told, "env": [{"name": "QUANTIZE", "value": "bitsandbytes-nf4"}]}
    assert not said(CODE, "deployment", main(yaml.safe_dump(held)))


@pytest.mark.parametrize(
    ("size", "more", "fits"),
    [
        ("79G", (), True),
        ("80G", (), False),
        ("80G", ("--gpu-memory-utilization", "0.95"), True),
        ("70G", ("--gpu-memory-utilization=0.8",), False),
        ("70G", ("--gpu-memory-utilization", "$(PART)"), True),
    ],
)
def test_what_the_server_takes_of_a_gpu_counts(
    size: str, more: tuple[str, ...], fits: bool
) -> None:
    """vLLM takes 0.92 of the 85.9 GB, and does not start where the weights are more."""
    facts = Facts(models={"org/large": Quantity.parse(size)})
    found = said(CODE, "deployment", server("org/large", *more), facts=facts)
    assert bool(found) != fits
    if found:
        assert "of which vLLM uses 0." in found[0].message
