"""Images: which runtime a repository names, and what a tag says of the version."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.runtimes import (
    at_least,
    names,
    recognise,
    started,
    started_otherwise,
    version,
)

DIGEST = "sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("image", "runtime"),
    [
        ("vllm/vllm-openai", "vllm"),
        ("vllm/vllm-openai:v0.33.0", "vllm"),
        ("docker.io/vllm/vllm-openai:latest", "vllm"),
        (f"vllm/vllm-openai@{DIGEST}", "vllm"),
        (f"mirror.example.com:5000/hub/vllm/vllm-openai:v0.33.0@{DIGEST}", "vllm"),
        ("vllm/vllm-openai-rocm:nightly", "vllm"),
        ("rocm/vllm:latest", "vllm"),
        ("lmsysorg/sglang:v0.5.23-cu130", "sglang"),
        ("ghcr.io/huggingface/text-generation-inference:3.3.7", "tgi"),
        ("nvcr.io/nvidia/tritonserver:26.07-py3", "triton"),
        ("nvcr.io/nim/meta/llama-3.1-8b-instruct:2.1.6", "nim"),
        ("registry.example.com/ngc/nim/meta/llama-3.1-8b-instruct", "nim"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda13-b6500", "llamacpp"),
        ("ghcr.io/ggml-org/llama.cpp:server", "llamacpp"),
        ("ghcr.io/ggml-org/llama.cpp:full-cuda", None),
        ("ghcr.io/ggml-org/llama.cpp:light-cuda-b6500", None),
        (f"ghcr.io/ggml-org/llama.cpp@{DIGEST}", None),
        (f"ghcr.io/ggml-org/llama.cpp:server-cuda@{DIGEST}", "llamacpp"),
        ("public.ecr.aws/deep-learning-containers/llama-cpp:server-cuda-v1", "llamacpp"),
        ("public.ecr.aws/deep-learning-containers/llama-cpp:server-sagemaker-cuda-v1", None),
        ("rocm/llama.cpp:llama.cpp-b6356_rocm7.0.0_ubuntu24.04_server", "llamacpp"),
        ("rocm/llama.cpp:llama.cpp-b6356_rocm7.0.0_ubuntu24.04_light", None),
        ("ollama/ollama:0.33.0-rocm", "ollama"),
        ("docker.io/ollama/ollama", "ollama"),
        ("openmmlab/lmdeploy:v0.16.0-cu12", "lmdeploy"),
        ("ghcr.io/huggingface/text-embeddings-inference:89-1.9", "tei"),
        ("ghcr.io/huggingface/text-embeddings-inference", "tei"),
        ("ghcr.io/huggingface/text-embeddings-inference:89-1.9-grpc", None),
        ("michaelf34/infinity:0.0.77-trt-onnx", "infinity"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.2.0", "trtllm"),
        ("763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:server-cuda-v1", "vllm"),
        ("763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:server-sagemaker-cuda-v1", None),
        ("123456789012.dkr.ecr.eu-west-1.amazonaws.com/vllm:latest", None),
        ("public.ecr.aws/deep-learning-containers/sglang:server-cuda", "sglang"),
        ("registry.redhat.io/rhaiis/vllm-cuda-rhel9:3.2", "vllm"),
        ("ghcr.io/berriai/litellm:main-stable", None),
        ("ghcr.io/open-webui/open-webui:ollama", None),
        ("ghcr.io/mostlygeek/llama-swap:cuda", None),
        ("vllm-openai", None),
        ("acme/vllm-openai", None),
        ("vllm/vllm-openai/extra", None),
        ("evilvllm/vllm-openai", None),
        ("nvcr.io/nvidia/pytorch:26.07-py3", None),
        ("nim/llama", None),
        ("nginx", None),
        ("", None),
    ],
)
def test_recognise(image: str, runtime: str | None) -> None:
    assert recognise(image) == runtime


@pytest.mark.parametrize(
    ("image", "found"),
    [
        ("vllm/vllm-openai:v0.33.0", (0, 33, 0)),
        ("lmsysorg/sglang:v0.5.23-cu130", (0, 5, 23)),
        ("host:5000/a/b:1.2", (1, 2, 0)),
        (f"a/b:3.1.1@{DIGEST}", (3, 1, 1)),
        ("nvcr.io/nvidia/tritonserver:26.07-py3", (26, 7, 0)),
        ("lmsysorg/sglang:v0.4.10.post2-cu126", (0, 4, 10)),
        ("a/b:v1", None),
        ("a/b:latest", None),
        ("a/b:nightly-0123456789", None),
        ("a/b:1.2.3.4", None),
        ("host:5000/a/b", None),
        (f"a/b@{DIGEST}", None),
        ("nvcr.io/nvidia/vllm:25.09-py3", None),
        ("lmcache/vllm-openai:v0.3.9", None),
        ("ghcr.io/llm-d/llm-d-cuda:v0.4.0", None),
        (
            "763104351884.dkr.ecr.us-east-1.amazonaws.com/huggingface-pytorch-tgi-inference:2.4.0-tgi3.0.1",
            None,
        ),
    ],
)
def test_version(image: str, found: tuple[int, int, int] | None) -> None:
    assert version(image) == found


def test_at_least_compares_numbers_and_admits_ignorance() -> None:
    assert at_least("vllm/vllm-openai:v0.18.0", "0.18.0") is True
    assert at_least("vllm/vllm-openai:v0.9.2", "0.18.0") is False
    assert at_least("vllm/vllm-openai:latest", "0.18.0") is None
    assert at_least("team/chat:0.8.1", "0.18.0") is False
    assert at_least("team/chat:0.8", "0.18.0") is None
    assert at_least("nvcr.io/nvidia/tritonserver:26.07-py3", "26.1") is True
    with pytest.raises(ValueError, match="not a version"):
        at_least("a:1.0.0", "soon")


@given(st.text(max_size=80))
def test_no_text_breaks_it(image: str) -> None:
    assert recognise(image) in (*names(), None)
    version(image)


@pytest.mark.parametrize(
    ("line", "runtime"),
    [
        ("vllm serve org/model", "vllm"),
        ("/usr/local/bin/vllm serve org/model", "vllm"),
        ("python3 -m vllm.entrypoints.openai.api_server --model m", "vllm"),
        ("bash -c ray start --head && vllm serve m", "vllm"),
        ("vllm bench && vllm serve m", "vllm"),
        ("python3 -m sglang.launch_server --tp 8", "sglang"),
        ("text-generation-launcher --port 8080", "tgi"),
        ("tritonserver --model-repository=/models", "triton"),
        ("/app/llama-server -m /models/m.gguf", "llamacpp"),
        ("tini -- llama-server -m /models/m.gguf", "llamacpp"),
        ("sh -c ollama serve & sleep 5 && ollama pull llama3.2 && wait", "ollama"),
        ("lmdeploy serve api_server internlm/internlm3-8b-instruct", "lmdeploy"),
        ("text-embeddings-router --model-id BAAI/bge-m3", "tei"),
        ("infinity_emb v2 --model-id BAAI/bge-m3", "infinity"),
        ("trtllm-serve Qwen/Qwen3-8B", "trtllm"),
        ("trtllm-serve serve Qwen/Qwen3-8B", "trtllm"),
        ("trtllm-llmapi-launch trtllm-serve Qwen/Qwen3-8B", "trtllm"),
        ("trtllm-serve disaggregated -c disagg.yaml", None),
        ("lmdeploy serve proxy --server-port 8000", None),
        ("ollama pull llama3.2", None),
        ("litellm --model ollama/llama3.2", None),
        ("prober --target llama-server", None),
        ("llama-bench -m /models/m.gguf", None),
        ("vllm", None),
        ("serve vllm", None),
        ("sleep infinity", None),
        ("", None),
    ],
)
def test_started(line: str, runtime: str | None) -> None:
    assert started(line.split()) == runtime


@pytest.mark.parametrize(
    ("line", "otherwise"),
    [
        ("python3 -m vllm.entrypoints.openai.run_batch -i in", True),
        ("vllm bench serve", True),
        ("trtllm-serve disaggregated -c disagg.yaml", True),
        ("trtllm-serve Qwen/Qwen3-8B", False),
        ("ollama pull llama3.2", True),
        ("nim_download_to_cache", True),
        ("vllm serve m", False),
        ("", False),
    ],
)
def test_started_otherwise(line: str, otherwise: bool) -> None:
    assert started_otherwise(line.split()) is otherwise
