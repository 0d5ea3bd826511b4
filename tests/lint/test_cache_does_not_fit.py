"""GPU823: models and contexts of llama.cpp and Ollama, beyond what its page shows."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

LLAMA = "ghcr.io/ggml-org/llama.cpp:server-cuda"
OLLAMA = "ollama/ollama:0.12.0"


def _said(
    image: str,
    args: list[str],
    env: dict[str, str] | None = None,
    pull: str = "",
    gpus: int = 1,
    product: str = "NVIDIA-L4",
) -> list[Finding]:
    one: dict[str, Any] = {
        "name": "main",
        "image": image,
        "args": args,
        "env": [{"name": name, "value": each} for name, each in (env or {}).items()],
        "resources": {"limits": {"nvidia.com/gpu": gpus}},
    }
    if pull:
        one["lifecycle"] = {"postStart": {"exec": {"command": ["sh", "-c", pull]}}}
    spec = {"containers": [one], "nodeSelector": {"nvidia.com/gpu.product": product}}
    return of("GPU823", text(an("v1", "Pod", "p", spec=spec)))


def _llama(*args: str, gpus: int = 1) -> list[Finding]:
    return _said(LLAMA, list(args), gpus=gpus)


FULL = ("-m", "/models/Qwen3-32B-Q4_K_M.gguf", "-ngl", "99", "-c", "32768")


def test_llama_ends_where_its_context_has_no_room() -> None:
    (found,) = _llama(*FULL)
    assert (
        "needs at least 17.2 GB for weights and 8.59 GB for a context of 32768 tokens, but an `L4` has 24.2 GB"
        in (found.message)
    )
    assert "exits at startup" in found.message
    assert found.note is not None
    assert "fewer than 26" in found.note


@pytest.mark.parametrize(
    "args",
    [
        ("-hf", "unsloth/Qwen3-32B-GGUF:Q8_0", "--n-gpu-layers", "all", "-c", "1024"),
        ("-m", "/m/Qwen3-32B-UD-Q4_K_XL-00001-of-00002.gguf", "-ngl", "999", "-c", "65536", "-ctk", "q8_0", "-ctv", "q8_0"),
    ],
)  # fmt: skip
def test_names_of_files_and_repositories(args: tuple[str, ...]) -> None:
    assert len(_llama(*args)) == 1


@pytest.mark.parametrize(
    "args",
    [
        # What has room: a smaller cache, a shorter context, more bits nowhere.
        (*FULL, "-ctk", "q4_0", "-ctv", "q4_0"),
        (*FULL[:-1], "8192"),
        # Not all layers, or a part on the host.
        (*FULL[:2], "-ngl", "30", "-c", "32768"),
        (*FULL[:2], "-c", "32768"),
        (*FULL, "--no-kv-offload"),
        (*FULL, "-ot", "exps=CPU"),
        # Nobody knows.
        (*FULL[:-1], "0"),
        (*FULL, "-ctk", "new_type"),
        ("-m", "/models/model.gguf", *FULL[2:]),
        ("-m", "/models/Qwen3-32B-Coder-Mix-Q4_K_M.gguf", *FULL[2:]),
    ],
)
def test_llama_with_room_or_without_knowledge(args: tuple[str, ...]) -> None:
    assert _llama(*args) == []


def test_layers_lie_on_all_gpus() -> None:
    assert _llama(*FULL, gpus=2) == []


def test_variables_say_the_same() -> None:
    told = {"LLAMA_ARG_MODEL": FULL[1], "LLAMA_ARG_N_GPU_LAYERS": "99"}
    long, short = ({**told, "LLAMA_ARG_CTX_SIZE": each} for each in ("32768", "8192"))
    assert len(_said(LLAMA, [], long)) == 1
    assert _said(LLAMA, [], short) == []
    assert _said(LLAMA, [], {**long, "GGML_CUDA_ENABLE_UNIFIED_MEMORY": "1"}) == []


@pytest.mark.parametrize(
    ("pull", "env", "said"),
    [
        ("ollama pull llama3.3:70b", {}, "`llama3.3:70b` needs at least 37 GB"),
        ("sleep 5; ollama pull qwen3:32b", {"OLLAMA_CONTEXT_LENGTH": "131072"}, "a context of 40960 tokens"),
        ("ollama run qwen3:14b", {"OLLAMA_CONTEXT_LENGTH": "32768", "OLLAMA_NUM_PARALLEL": "4"}, "4 contexts of 32768 tokens"),
        ("ollama pull qwen3:14b-q8_0 && ollama pull qwen3:32b-q8_0", {}, "`qwen3:32b-q8_0` needs at least 34.8 GB"),
        ("ollama pull gpt-oss:120b", {}, "`gpt-oss:120b`"),
    ],
)  # fmt: skip
def test_ollama_leaves_to_the_cpu_what_has_no_room(
    pull: str, env: dict[str, str], said: str
) -> None:
    (found,) = _said(OLLAMA, ["serve"], env, pull)
    assert said in found.message
    assert "leaves layers on the CPU" in found.message
    assert found.severity == "warning"


@pytest.mark.parametrize(
    ("pull", "env"),
    [
        ("ollama pull qwen3:14b", {"OLLAMA_CONTEXT_LENGTH": "32768"}),
        (
            "ollama pull qwen3:14b",
            {
                "OLLAMA_CONTEXT_LENGTH": "32768",
                "OLLAMA_NUM_PARALLEL": "2",
                "OLLAMA_KV_CACHE_TYPE": "q8_0",
            },
        ),
        ("ollama pull mine/large:70b", {}),
        ("ollama pull deepseek-r1", {"OLLAMA_CONTEXT_LENGTH": "131072"}),
        ("ollama pull $MODEL", {}),
        ("ollama pull qwen3:32b", {"OLLAMA_NUM_PARALLEL": "$(MANY)"}),
    ],
)
def test_ollama_with_room_or_without_knowledge(pull: str, env: dict[str, str]) -> None:
    assert _said(OLLAMA, ["serve"], env, pull) == []


def test_which_gpu_it_gets_is_to_be_known() -> None:
    assert _said(OLLAMA, ["serve"], {}, "ollama pull llama3.3:70b", product="NVIDIA-new") == []
