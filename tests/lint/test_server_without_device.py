"""Which programs need a GPU that their pod does not request (GPU106)."""

import pytest

from tests.lint.test_devices import findings, pod


@pytest.mark.parametrize(
    ("image", "said"),
    [
        ("vllm/vllm-openai:v0.11.0", True),
        ("nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8", True),
        ("lmsysorg/sglang:v0.5.3-xeon", False),
        ("ghcr.io/huggingface/text-generation-inference:3.3-intel-cpu", False),
        ("nvcr.io/nvidia/tritonserver:25.09-py3", False),
        ("ghcr.io/example/gateway:1.0", False),
    ],
)
def test_servers_that_need_a_gpu(image: str, said: bool) -> None:
    assert bool(findings(pod("{requests: {cpu: 4}}", image), "GPU106")) is said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("[vllm, serve, /models/one]", True),
        ("[sh, -c, 'exec vllm serve /models/one']", True),
        ("[vllm, bench, serve]", False),
        ("[hf, download, org/model]", False),
        ("[vllm, serve, /models/one, --device, cpu]", False),
    ],
)
def test_an_image_that_does_something_else_needs_none(command: str, said: bool) -> None:
    text = pod("{}", "vllm/vllm-openai:v0.11.0").rstrip() + f"\n      command: {command}\n"
    assert bool(findings(text, "GPU106")) is said


@pytest.mark.parametrize(
    ("image", "is_reported"),
    [
        ("vllm/vllm-openai:v0.8.4", True),
        ("registry.example.com/hub/vllm/vllm-openai:v0.11.0-cu129", True),
        ("vllm/vllm-openai:own-build", False),
    ],
)
def test_a_variable_of_the_cpu_build_does_not_change_a_release(
    image: str, *, is_reported: bool
) -> None:
    text = pod("{}", image).rstrip() + "\n      env: [{name: VLLM_CPU_KVCACHE_SPACE, value: '4'}]\n"
    assert bool(findings(text, "GPU106")) is is_reported


@pytest.mark.parametrize(
    ("args", "is_reported"),
    [
        ("[--device, cuda]", True),
        ("['--device=cuda:0']", True),
        ("[--device, xpu]", True),
        ("[--device, npu]", True),
        ("[--device, cpu]", False),
        ("[]\n      env: [{name: DEVICE, value: cuda}]", True),
        ("[]\n      env: [{name: TORCH_DEVICE, value: 'CUDA:0'}]", True),
        ("[]\n      env: [{name: DEVICE, value: auto}]", False),
        ("[--device, cuda]\n      env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]", False),
    ],
)
def test_an_option_that_names_cuda_needs_a_gpu(args: str, *, is_reported: bool) -> None:
    text = pod("{}", "ghcr.io/example/whisper:1.0").rstrip() + f"\n      args: {args}\n"
    assert bool(findings(text, "GPU106")) is is_reported


@pytest.mark.parametrize(
    ("image", "args", "is_reported"),
    [
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", "[-ngl, '99']", True),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", "[-ngl, '0']", False),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", "[-ngl, auto]", False),
        ("ghcr.io/ggml-org/llama.cpp:server", "[-ngl, '99']", False),
    ],
)
def test_layers_on_the_gpu_need_one(image: str, args: str, *, is_reported: bool) -> None:
    text = pod("{}", image).rstrip() + f"\n      args: {args}\n"
    assert bool(findings(text, "GPU106")) is is_reported
