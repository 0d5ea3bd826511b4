"""GPU862: which connectors hand over no stages, and how their number is said."""

import json

import pytest

from tests.lint.patched import of
from tests.lint.plain import an, text

NIXL = json.dumps({"kv_connector": "NixlConnector", "kv_role": "kv_both"})


def said(*words: str, config: str = NIXL) -> list[str]:
    one = {
        "name": "main",
        "image": "vllm/vllm-openai:v0.33.0",
        "command": ["vllm", "serve", "/m/qwen", *words, "--kv-transfer-config", config],
        "resources": {"limits": {"nvidia.com/gpu": 8}},
    }
    spec = {"template": {"spec": {"containers": [one]}}}
    return [
        one.message for one in of("GPU862", text(an("apps/v1", "Deployment", "chat", spec=spec)))
    ]


@pytest.mark.parametrize("option", ["--pipeline-parallel-size", "-pp", "--pipeline_parallel_size"])
def test_stages_are_told_by_either_name(option: str) -> None:
    (message,) = said("-tp", "4", option, "2")
    assert "split into 2 pipeline stages" in message


@pytest.mark.parametrize("words", [["-pp", "1"], ["-pp", "$(STAGES)"], ["-tp", "8"]])
def test_one_stage_or_a_number_that_nobody_knows_is_not_spoken_of(words: list[str]) -> None:
    assert said(*words) == []


def test_other_connectors_may_hand_stages_over() -> None:
    other = NIXL.replace("NixlConnector", "LMCacheConnectorV1")
    assert said("-pp", "2", config=other) == []
