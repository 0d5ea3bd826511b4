"""Weights of which the spec does not say the size: one assumption for all that follows from it."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

Make = Callable[..., Any]
Refused = Callable[..., str]
HUB = {"hub": {"tokenSecret": "hf"}}
SEVENTY = {"id": "meta-llama/Llama-3.3-70B-Instruct", "source": HUB}
FOUR = {"models": ["A100-80GB"], "count": 4}


def test_a_published_size_is_one_assumption_for_disk_memory_and_time(
    make: Make, words: ModuleType
) -> None:
    """A pod whose scratch holds less than its download is evicted while it loads."""
    said = make(
        "Inference", words.cluster(words.pool()), model={**SEVENTY, "size": "132Gi"}, gpu=FOUR
    )
    made = make("Inference", words.cluster(words.pool()), model=SEVENTY, gpu=FOUR)
    assert made.volumes["home"]["emptyDir"]["sizeLimit"] == "159Gi"
    assert made.requests["memory"] == said.requests["memory"]
    assert made.requests["ephemeral-storage"] == "164Gi"
    first, second = made.main["startupProbe"], said.main["startupProbe"]
    assert abs(first["failureThreshold"] - second["failureThreshold"]) <= 3
    assert (
        "assumed: model.size is 131.4Gi: the published size of Llama-3.3-70B-Instruct"
        in made.loud()
    )
    assert "model.size is" not in said.loud()


def test_a_name_tells_what_the_table_does_not_know(make: Make) -> None:
    model = {"id": "org/Private-70B-FP8", "source": {"hub": {}}}
    made = make("Inference", model=model, gpu=FOUR)
    assert "the model's name says 70 billion parameters of 1 byte" in made.loud()
    # At most ten bits a parameter: embeddings and heads stay at 16.
    assert made.volumes["home"]["emptyDir"]["sizeLimit"] == "104Gi"


def test_of_a_download_of_which_nothing_is_known_a_word_is_said(make: Make) -> None:
    made = make("Inference", model={"id": "org/ours", "source": {"hub": {}}})
    assert made.volumes["home"]["emptyDir"]["sizeLimit"] == "14Gi"
    assert "scratch assumes small downloaded weights" in made.loud()
    kept = make("Inference", model={"id": "org/ours", "source": {"hub": {"cache": "claim"}}})
    assert "scratch assumes" not in kept.loud()
    mounted = make("Inference", model={"id": "org/ours", "source": {"pvc": "weights"}})
    assert "scratch assumes" not in mounted.loud()


def test_a_pool_that_cannot_hold_what_is_published_is_left_out(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    small = words.pool("l4", "L4", 1)
    text = refused("Inference", words.cluster(small), model=SEVENTY, gpu={"count": 1})
    assert "the weights need 131.4Gi" in text
    made = make("Inference", words.cluster(small, words.pool()), model=SEVENTY, gpu={"count": 2})
    assert "pool l4 is left out" in made.notes()


@pytest.mark.parametrize("source", [{"pvc": "weights"}, {"image": "ghcr.io/example/weights:1"}])
def test_a_volume_may_hold_the_model_in_a_smaller_format(
    make: Make, words: ModuleType, source: dict[str, str]
) -> None:
    model = {**SEVENTY, "source": source}
    assert make("Inference", words.cluster(words.pool()), model=model, gpu={"count": 1}).requests


def test_host_memory_that_is_assumed_keeps_a_pod_off_no_node(make: Make, words: ModuleType) -> None:
    """Pages of the weights' files can be dropped; it starts later, and it starts."""
    lean = words.pool(
        allocatable={"cpu": 60, "memory": "100Gi", "ephemeralStorage": "900Gi"},
        reserved={"cpu": 4, "memory": "4Gi", "ephemeralStorage": "10Gi"},
    )
    made = make("Inference", words.cluster(lean), model=SEVENTY, gpu=FOUR)
    assert made.requests["memory"] == "96Gi"
    assert "cut to what a node has" in made.reason(
        "spec.template.spec.containers[0].resources.requests.memory"
    )


def test_finite_work_downloads_with_the_same_room(make: Make) -> None:
    made = make("FineTune", baseModel=SEVENTY, method="lora", gpu=FOUR, run="one")
    assert made.volumes["home"]["emptyDir"]["sizeLimit"] == "155Gi"
    assert "assumed: baseModel.size is 131.4Gi" in made.loud()


@pytest.mark.parametrize(
    ("runtime", "image", "option"),
    [
        ("vllm", "vllm/vllm-openai:v0.33.0", "--quantization"),
        ("sglang", "lmsysorg/sglang:v0.5.23", "--quantization"),
        ("tgi", "ghcr.io/huggingface/text-generation-inference:3.0.1", "--quantize"),
    ],
)
def test_a_method_is_told_to_the_server_and_makes_the_weights_smaller(
    make: Make, refused: Refused, words: ModuleType, runtime: str, image: str, option: str
) -> None:
    """132Gi in 16 bits are 66Gi in eight: one GPU of 80 GB, and not two."""
    model = {"id": "meta-llama/Llama-3.3-70B-Instruct", "size": "132Gi", "source": {"pvc": "w"}}
    pools = words.cluster(words.pool("l4", "L4", 8), words.pool())
    told: dict[str, Any] = {"runtime": runtime, "image": image, "gpu": {"count": 1}}
    made = make("Inference", pools, model={**model, "quantization": "fp8"}, **told)
    assert option in made.main["args"]
    assert made.main["args"][made.main["args"].index(option) + 1] == "fp8"
    assert "pool l4 is left out: its L4 has 22.5Gi, the weights need 66Gi" in made.notes()
    assert "the weights need 132Gi" in refused("Inference", pools, model=model, **told)
    by_hand = make("Inference", pools, model=model, args=[option, "fp8"], **told)
    assert by_hand.requests == made.requests


def test_a_method_of_which_nothing_is_known_is_no_reason_to_refuse(make: Make) -> None:
    model = {"id": "org/m", "size": "132Gi", "source": {"pvc": "w"}}
    gpu = {"models": ["L4"], "count": 1}
    assert make("Inference", model={**model, "quantization": "int3-of-ours"}, gpu=gpu).requests
    assert make("Inference", model=model, args=["--cpu-offload-gb", "120"], gpu=gpu).requests


def test_what_is_rendered_anyhow_may_be_said_by_hand(make: Make) -> None:
    words = ["--tensor-parallel-size", "4", "--port=8000", "--host", "0.0.0.0", "-q", "fp8"]
    model = {"id": "org/m", "size": "16Gi", "quantization": "fp8", "source": {"pvc": "w"}}
    args = make("Inference", model=model, gpu={"count": 4}, args=words).main["args"]
    assert args[-len(words) :] == words
    assert args.count("--tensor-parallel-size") == 1
    assert "--quantization" not in args


@pytest.mark.parametrize(
    ("name", "size", "source", "doubted"),
    [
        ("meta-llama/Llama-3.1-405B-Instruct", "16Gi", "pvc", True),
        ("meta-llama/Llama-3.1-405B-Instruct", "756Gi", "pvc", False),
        ("meta-llama/Llama-3.1-405B-Instruct", "200Gi", "pvc", False),
        ("meta-llama/Llama-3.3-70B-Instruct", "16Gi", "pvc", True),
        ("meta-llama/Llama-3.3-70B-Instruct", "37Gi", "pvc", False),
        ("meta-llama/Llama-3.3-70B-Instruct", "37Gi", "hub", True),
        ("meta-llama/Llama-3.1-8B-Instruct", "132Gi", "hub", True),
        ("meta-llama/Llama-3.1-8B-Instruct", "30Gi", "hub", False),
        ("org/Private-70B", "16Gi", "pvc", True),
        ("org/Private-70B", "132Gi", "hub", False),
        ("org/private", "16Gi", "hub", False),
        ("openai/gpt-oss-120b", "61Gi", "hub", False),
    ],
)
def test_a_size_that_the_model_cannot_have_is_said(
    make: Make, name: str, size: str, source: str, doubted: bool
) -> None:
    """A volume may hold the model in fewer bits, and a hub's files may be in 32."""
    where: dict[str, Any] = {"hub": {}} if source == "hub" else {"pvc": "weights"}
    gpu = {"models": ["B200"], "count": 8}
    made = make("Inference", model={"id": name, "size": size, "source": where}, gpu=gpu)
    assert (f"`model.size` is {size}, but `{name}` has" in made.loud()) == doubted
    doubts = [note.text for note in made.rendering.notes if note.doubt]
    assert any(text.startswith("`model.size` is") for text in doubts) == doubted


@pytest.mark.parametrize(
    ("args", "count", "fits"),
    [
        (["--max-model-len", "65536"], 1, False),
        (["--max-model-len=16k"], 1, True),
        (["--max-model-len", "auto"], 1, True),
        (["--max-model-len", "65536", "--kv-cache-dtype", "fp8"], 1, True),
        (["--max-model-len", "65536"], 2, True),
        (["--gpu-memory-utilization", "0.8"], 1, False),
        ([], 1, True),
    ],
)
def test_a_context_that_mounted_weights_leave_no_room_for_is_said(
    make: Make, words: ModuleType, args: list[str], count: int, fits: bool
) -> None:
    """A word, no refusal: what the volume holds is not seen."""
    model = {"id": "Qwen/Qwen3-32B", "size": "61Gi", "source": {"pvc": "weights"}}
    pools = words.cluster(words.pool())
    made = make("Inference", pools, model=model, args=args, gpu={"count": count})
    assert ("vLLM does not start: each GPU needs" in made.loud()) != fits


@pytest.mark.parametrize(
    ("runtime", "image", "option"),
    [
        ("vllm", "vllm/vllm-openai:v0.33.0", "--max-model-len"),
        ("sglang", "lmsysorg/sglang:v0.5.23", "--context-length"),
    ],
)
def test_a_context_is_told_to_the_server_and_counts(
    make: Make, words: ModuleType, runtime: str, image: str, option: str
) -> None:
    model = {"id": "Qwen/Qwen3-32B", "size": "61Gi", "source": {"pvc": "weights"}}
    told: dict[str, Any] = {"runtime": runtime, "image": image, "model": model}
    pools = words.cluster(words.pool())
    short = make("Inference", pools, context=16384, gpu={"count": 1}, **told)
    args = short.main["args"]
    assert args[args.index(option) + 1] == "16384"
    assert "does not start" not in short.loud()
    long = make("Inference", pools, context=65536, gpu={"count": 1}, **told)
    assert ("16Gi for a sequence of 65536 tokens" in long.loud()) == (runtime == "vllm")


@pytest.mark.parametrize(
    ("name", "source", "more", "said"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", {"hub": {}}, {}, True),
        ("meta-llama/Llama-3.1-8B-Instruct", {"hub": {"tokenSecret": "hf"}}, {}, False),
        ("meta-llama/Llama-3.1-8B-Instruct", {"hub": {"cache": "claim"}}, {}, False),
        ("meta-llama/Llama-3.1-8B-Instruct", {"pvc": "weights"}, {}, False),
        ("meta-llama/Llama-3.1-8B-Instruct", {"hub": {}}, {"envFrom": [{"secret": "all"}]}, False),
        (
            "meta-llama/Llama-3.1-8B-Instruct",
            {"hub": {}},
            {"env": {"HF_TOKEN": {"secret": "hf", "key": "token"}}},
            False,
        ),
        ("Qwen/Qwen3-8B", {"hub": {}}, {}, False),
    ],
)
def test_a_gated_model_without_a_token_is_said(
    make: Make, name: str, source: dict[str, Any], more: dict[str, Any], said: bool
) -> None:
    made = make("Inference", model={"id": name, "source": source}, context=8192, **more)
    assert (f"{name} is gated, and there is no token" in made.loud()) == said
