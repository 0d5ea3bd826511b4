"""GPU819: what prefill and decode have to share."""

import json
from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

VLLM = "vllm/vllm-openai:v0.19.1"


def _config(connector: str = "NixlConnector", role: str = "kv_both") -> list[str]:
    value = {"kv_connector": connector, "kv_role": role}
    return ["--kv-transfer-config", json.dumps(value)]


def _pair(
    prefill: list[str],
    decode: list[str],
    images: tuple[str, str] = (VLLM, VLLM),
    names: tuple[str, str] = ("chat-prefill", "chat-decode"),
    start: tuple[str, ...] = ("vllm", "serve", "--model", "/m/qwen"),
) -> list[Finding]:
    found = []
    for name, image, words in zip(names, images, (prefill, decode), strict=True):
        one: dict[str, Any] = {"name": "main", "image": image, "command": [*start, *words]}
        one["resources"] = {"limits": {"nvidia.com/gpu": 8}}
        found.append(
            an("apps/v1", "Deployment", name, spec={"template": {"spec": {"containers": [one]}}})
        )
    return of("GPU819", text(found[0], *found[1:]))


@pytest.mark.parametrize(
    ("prefill", "decode", "words"),
    [
        (_config("LMCacheConnectorV1"), _config(), "NixlConnector"),
        (_config(), [], "the decode server has no `--kv-transfer-config`"),
        (_config("MooncakeConnector", "kv_consumer"), _config("MooncakeConnector"), "its own"),
        (_config(), _config(role="kv_producer"), "its own role is `kv_consumer`"),
        (["-tp", "4", *_config()], _config(), "over 4 GPUs, decode over 1:"),
        (["--dtype", "half", *_config()], ["--dtype", "bfloat16", *_config()], "`--dtype` is half"),
        ([*_config(), "--model", "/m/a"], [*_config(), "--model", "/m/b"], "runs /m/b"),
    ],
)
def test_what_differs(prefill: list[str], decode: list[str], words: str) -> None:
    (found,) = _pair(prefill, decode)
    assert words in found.message


@pytest.mark.parametrize(
    ("prefill", "decode"),
    [
        (_config(), _config()),
        (_config("MooncakeConnector", "kv_producer"), _config("MooncakeConnector", "kv_consumer")),
        (["-tp", "2", *_config()], ["--tensor-parallel-size", "4", *_config()]),
        (["-tp", "4", *_config("LMCacheConnectorV1")], _config("LMCacheConnectorV1")),
        (["-tp", "$TP", *_config()], _config()),
        (["--dtype", "half", *_config()], _config()),  # `auto` may be the same
        (["--kv-transfer-config", "$KV"], _config()),
        ([], []),
    ],
)
def test_what_does_not_or_cannot_be_told(prefill: list[str], decode: list[str]) -> None:
    assert _pair(prefill, decode) == []


@pytest.mark.parametrize(
    ("images", "count"),
    [
        ((VLLM, "vllm/vllm-openai:v0.20.0"), 1),
        ((VLLM, "mirror.example.com/vllm/vllm-openai:v0.19.1-cu130"), 0),
        ((VLLM, "example.com/my/vllm:1.0.0"), 0),
        ((VLLM, "vllm/vllm-openai:latest"), 0),
        (("vllm/vllm-openai:v0.10.1", "vllm/vllm-openai:v0.10.2"), 0),
    ],
)
def test_releases(images: tuple[str, str], count: int) -> None:
    assert len(_pair(_config(), _config(), images)) == count


def test_backends_of_sglang() -> None:
    start = ("python3", "-m", "sglang.launch_server", "--host", "0.0.0.0")
    nixl = ["--disaggregation-transfer-backend", "nixl"]
    (found,) = _pair(nixl, [], start=start)
    assert "nixl for the prefill server but mooncake for the decode server" in found.message
    assert _pair(nixl, nixl, start=start) == []
    assert _pair(["--disaggregation-transfer-backend", "mooncake"], [], start=start) == []


@pytest.mark.parametrize(
    "names", [("a-prefill", "b-decode"), ("chat", "chat-decode"), ("prefill-decode", "chat-decode")]
)
def test_servers_that_do_not_belong_together(names: tuple[str, str]) -> None:
    assert _pair(["-tp", "4", *_config()], _config(), names=names) == []


def test_a_server_that_says_no_side_decodes_for_the_one_that_is_called_prefill() -> None:
    differs = ["--dtype", "half", *_config()], ["--dtype", "bfloat16", *_config()]
    (found,) = _pair(*differs, names=("chat-prefill", "chat"))
    assert "`--dtype` is half" in found.message
    assert _pair(*differs, names=("chat-prefill", "other")) == []
    # It may have nothing to do with the other: it is told of no cache.
    assert _pair(_config(), [], names=("chat-prefill", "chat")) == []


def test_a_cache_that_goes_to_fewer_gpus_than_it_comes_from() -> None:
    wide = ["-tp", "4", *_config()], _config()
    (found,) = _pair(*wide, images=("vllm/vllm-openai:v0.11.2",) * 2)
    assert "cannot transfer most models' cache" in found.message
    (found,) = _pair(*wide, images=("vllm/vllm-openai:v0.19.1",) * 2)
    assert "only if the model has more key-value heads" in found.message
    (found,) = _pair(*wide, images=("eu.example.com/vllm:main",) * 2)
    assert "cannot transfer most models' cache" in found.message
    assert _pair(_config(), ["-tp", "4", *_config()]) == []


@pytest.mark.parametrize(
    ("model", "width", "words", "confidence"),
    [
        ("/m/qwen", 4, "only if the model has more key-value heads", "possible"),
        ("Qwen/Qwen3-8B", 4, None, None),
        ("Qwen/Qwen3-8B", 8, "`Qwen/Qwen3-8B` has 8", "possible"),
        ("Qwen/Qwen2.5-0.5B-Instruct", 4, "needs more than 4 key-value heads", "likely"),
        # Latent attention: each GPU keeps all of it.
        ("deepseek-ai/DeepSeek-V3-0324", 8, None, None),
    ],
)
@pytest.mark.parametrize("option", [(), ("--model",)])
def test_key_value_heads_of_a_known_model(
    model: str, width: int, words: str | None, confidence: str | None, option: tuple[str, ...]
) -> None:
    found = _pair(
        ["-tp", str(width), *_config()], _config(), start=("vllm", "serve", *option, model)
    )
    assert [one.confidence for one in found] == ([confidence] if confidence else [])
    assert all(words in one.message for one in found if words)
    old = ("vllm/vllm-openai:v0.11.2",) * 2
    (one,) = _pair(["-tp", "4", *_config()], _config(), old, start=("vllm", "serve", model))
    assert "cannot transfer most models' cache" in one.message


def test_models_that_are_told_without_an_option() -> None:
    models = ("Qwen/Qwen3-8B", "Qwen/Qwen3-14B")
    prefill, decode = ([model, *_config()] for model in models)
    (one,) = _pair(prefill, decode, start=("vllm", "serve"))
    assert "runs Qwen/Qwen3-14B, but the prefill server Qwen/Qwen3-8B" in one.message
