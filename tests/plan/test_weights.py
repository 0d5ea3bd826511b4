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
        "model.size is taken to be 131.4Gi: as Llama-3.3-70B-Instruct is published" in made.loud()
    )
    assert "is taken to be" not in said.loud()


def test_a_name_tells_what_the_table_does_not_know(make: Make) -> None:
    model = {"id": "org/Private-70B-FP8", "source": {"hub": {}}}
    made = make("Inference", model=model, gpu=FOUR)
    assert "its name says 70 billion parameters of 1 bytes" in made.loud()
    # At most ten bits a parameter: embeddings and heads stay at 16.
    assert made.volumes["home"]["emptyDir"]["sizeLimit"] == "104Gi"


def test_of_a_download_of_which_nothing_is_known_a_word_is_said(make: Make) -> None:
    made = make("Inference", model={"id": "org/ours", "source": {"hub": {}}})
    assert made.volumes["home"]["emptyDir"]["sizeLimit"] == "14Gi"
    assert "nothing says how big the weights are that are downloaded" in made.loud()
    kept = make("Inference", model={"id": "org/ours", "source": {"hub": {"cache": "claim"}}})
    assert "are downloaded" not in kept.loud()
    mounted = make("Inference", model={"id": "org/ours", "source": {"pvc": "weights"}})
    assert "are downloaded" not in mounted.loud()


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
    assert "baseModel.size is taken to be 131.4Gi" in made.loud()
