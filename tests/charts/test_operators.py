"""Servers that operators start of a spec are judged as the command lines that come of it."""

import pytest

import gpuspec
from gpuspec.charts.tables import servers
from gpuspec.kinds import traits_of
from gpuspec.lint.model import Finding

MODEL = """\
apiVersion: kubeai.org/v1
kind: Model
metadata: {{name: qwen}}
spec:
  features: [TextGeneration]
  url: hf://Qwen/Qwen3-14B-AWQ
  engine: {engine}
  image: {image}
  resourceProfile: nvidia-gpu-l4:1
  {more}
"""
SERVICE = """\
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {{name: qwen}}
spec:
  modelRef: qwen
  {more}
"""


def said(text: str) -> dict[str, Finding]:
    """What is said of a file, by rule."""
    return {one.rule: one for one in gpuspec.lint_text(text, "model.yaml").findings}


def test_arguments_of_a_model_are_those_of_its_engine_at_the_release_of_its_image() -> None:
    text = MODEL.format(
        engine="VLLM",
        image="vllm/vllm-openai:v0.22.1",
        more="args: ['--max-model-len=8192', '--rope-scaling={}']",
    )
    found = said(text)["GPU748"]
    assert (found.path, found.severity) == ("spec.args[1]", "error")
    assert found.message.startswith("vLLM 0.22.1 no longer has `--rope-scaling`")
    assert "GPU748" not in said(text.replace("v0.22.1", "v0.8.5"))


def test_nothing_is_said_of_what_the_operator_adds() -> None:
    text = MODEL.format(
        engine="VLLM", image="vllm/vllm-openai:v0.22.1", more="args: [--max-model-len=8192]"
    )
    assert said(text) == {}


def test_variables_of_a_model_are_those_of_its_server() -> None:
    text = MODEL.format(
        engine="OLlama", image="ollama/ollama:0.9.0", more="env: {OLLAMA_NUM_CTX: '8192'}"
    )
    found = said(text)["GPU704"]
    assert (found.path, found.line) == ("spec.env.OLLAMA_NUM_CTX", 10)


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ("extraArgs: [--no-such-cache, --jinjaa]", "spec.extraArgs[1]"),
        (
            "runtime: vllm\n  image: vllm/vllm-openai:v0.22.1\n  extraArgs: [--task=embed]",
            "spec.extraArgs[0]",
        ),
        (
            "runtime: sglang\n  image: lmsysorg/sglang:v0.5.9\n  extraArgs: [--tpp, '2']",
            "spec.extraArgs[0]",
        ),
    ],
)
def test_a_service_starts_the_server_that_it_names(more: str, path: str) -> None:
    assert said(SERVICE.format(more=more))["GPU748"].path == path


def test_fields_of_a_service_are_options_of_its_server() -> None:
    more = "cacheTypeK: q8_0\n  contextSize: 32768\n  image: ghcr.io/ggml-org/llama.cpp:server"
    assert said(SERVICE.format(more=more)) == {}
    more = "runtime: vllm\n  image: vllm/vllm-openai:v0.22.1\n  vllmConfig: {dtype: bf16, maxModelLen: 1}"
    assert said(SERVICE.format(more=more))["GPU749"].path == "spec.vllmConfig.dtype"


def test_another_command_is_another_program() -> None:
    more = "command: [my-server]\n  extraArgs: [--no-such-option]"
    assert said(SERVICE.format(more=more)) == {}


def test_every_kind_of_the_table_is_one_that_starts_a_server() -> None:
    for kind in servers():
        assert traits_of(*kind.split("/")).starts_server, kind
