"""One sequence of the longest context beside the weights: vLLM does not start without room for it."""

import pytest
import yaml

from gpuspec.lint.model import Finding
from gpuspec.manifests import Quantity
from gpuspec.settings.config import Facts
from tests.lint.patched import main, said

CODE = "GPU924"


def found(model: str, *more: str, facts: Facts | None = None) -> list[Finding]:
    """What is said of a server on one A100 of 80 GB."""
    args = {"args": [model, "--served-model-name", "chat", *more]}
    return said(CODE, "deployment", main(yaml.safe_dump(args)), facts=facts)


@pytest.mark.parametrize(
    ("model", "more", "fits"),
    [
        # 65.5 GB of weights, 262144 bytes a token, 0.92 of 85.9 GB: 51,526 tokens.
        ("Qwen/Qwen3-32B", (), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "51000"), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "52000"), False),
        ("Qwen/Qwen3-32B", ("--max-model-len=64k",), False),
        ("Qwen/Qwen3-32B", ("--max_model_len", "64K", "--kv-cache-dtype", "fp8"), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "64k", "--kv-cache-dtype", "nvfp4"), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "64k", "--quantization", "fp8"), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "64k", "--cpu-offload-gb", "20"), True),
        ("Qwen/Qwen3-32B", ("--gpu-memory-utilization", "0.8"), False),
        ("Qwen/Qwen3-32B", ("--gpu-memory-utilization", "$(PART)"), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "auto"), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "-1"), True),
        ("Qwen/Qwen3-32B", ("--max-model-len", "64k", "-dcp", "2"), True),
        # The model's own context counts where nothing is said.
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", ("--tensor-parallel-size", "8"), False),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", (), False),
        ("meta-llama/Llama-3.1-8B-Instruct", (), True),
        # Latent attention keeps little: 70 kB a token.
        ("deepseek-ai/DeepSeek-V2-Lite", (), True),
        ("org/unknown-32B", ("--max-model-len", "1000000"), True),
        ("google/gemma-4-31B-it", ("--max-model-len", "200000"), True),
    ],
)
def test_the_sum_of_weights_and_one_sequence(model: str, more: tuple[str, ...], fits: bool) -> None:
    severities = [(one.severity, one.confidence) for one in found(model, *more)]
    assert severities == ([] if fits else [("error", "certain")])


def test_the_sum_is_shown_with_what_would_fit() -> None:
    (one,) = found("Qwen/Qwen3-32B", "--max-model-len", "65536")
    assert (
        "65.5 GB of weights and 17.2 GB of cache for 65536 tokens do not fit in 79 GB, "
        "the part of an `A100-80GB` that vLLM uses: vLLM exits at startup"
    ) in one.message
    assert one.note is not None
    assert one.note.startswith("set `--max-model-len` (in a spec: `context`) below 51526, or")


def test_weights_that_leave_nothing_are_said_so() -> None:
    facts = Facts(models={"Qwen/Qwen3-32B": Quantity.parse("80G")})
    (one,) = found("Qwen/Qwen3-32B", facts=facts)
    assert one.note is not None
    assert "the weights alone fill the GPU" in one.note


def test_heads_are_divided_as_far_as_there_are_some() -> None:
    """Qwen3-30B has four KV heads: of eight GPUs each has one of them all the same."""
    long = ("--max-model-len", "1000000")
    four = found("Qwen/Qwen3-30B-A3B", "--tensor-parallel-size", "4", *long)
    eight = found("Qwen/Qwen3-30B-A3B", "--tensor-parallel-size", "8", *long)
    assert not four
    assert not eight
    assert found("Qwen/Qwen3-30B-A3B", *long)


def test_a_server_that_makes_do_with_less_is_not_judged() -> None:
    told = {
        "image": "lmsysorg/sglang:v0.5.23",
        "command": ["python3", "-m", "sglang.launch_server"],
        "args": ["--model-path", "Qwen/Qwen3-32B", "--context-length", "65536"],
    }
    assert not said(CODE, "deployment", main(yaml.safe_dump(told)))
