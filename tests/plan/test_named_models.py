"""What a spec's names of GPUs mean on a profile, and what is said of names that mean nothing."""

from types import ModuleType
from typing import Any

import pytest

import gpuspec
from gpuspec.manifests.limits import MAX_PROBLEMS
from tests.plan.conftest import Make

NEW = {"model": "MI455X", "count": 8, "resource": "amd.com/gpu", "memory": "431Gi"}


def profile(words: ModuleType) -> dict[str, Any]:
    return words.cluster({"name": "new", "gpu": NEW}, words.pool("l4", "L4"))


def problems(make: Make, cluster: dict[str, Any] | None = None, **gpu: Any) -> list[str]:
    with pytest.raises(gpuspec.InputError) as caught:
        make("Training", cluster, gpu=gpu, launcher="none")
    return [f"{one.message} ({one.hint})" for one in caught.value.problems]


@pytest.mark.parametrize("name", ["MI455X", "mi455x", " MI455X"])
def test_a_model_that_the_profile_describes_is_named(
    make: Make, words: ModuleType, name: str
) -> None:
    made = make("Training", profile(words), gpu={"models": [name]})
    assert made.limits["amd.com/gpu"] == "1"
    assert "pool l4 is left out: `gpu.models` does not list L4" in made.notes()


def test_a_name_close_to_one_of_either_table(make: Make, words: ModuleType) -> None:
    (said,) = problems(make, profile(words), models=["MI456X"])
    assert said.startswith('"MI456X" is not a known GPU model (did you mean MI455X')
    (said,) = problems(make, profile(words), models=["H1000"])
    close = "H100-80GB, H100-94GB, H100-96GB, V100-16GB"
    assert said == f'"H1000" is not a known GPU model (did you mean {close}?)'
    (said,) = problems(make, models=["zzzzzz"])
    assert "write one such as H100-80GB, A100-80GB, L4 or T4" in said


def test_what_is_described_elsewhere_is_not_known_here(make: Make) -> None:
    (said,) = problems(make, models=["MI455X"])
    assert said.startswith('"MI455X" is not a known GPU model (did you mean MI355X')


def test_every_name_is_said_up_to_a_bound(make: Make) -> None:
    assert len(problems(make, models=["H1000", "T4", "zzzzzz"])) == 2
    many = problems(make, models=[f"h{number}00" for number in range(2, 5_000)])
    assert len(many) <= MAX_PROBLEMS + 1
    (long,) = problems(make, models=["x" * 5_000])
    assert len(long) < 400


def test_more_memory_than_any_gpu_has(make: Make, words: ModuleType) -> None:
    (said,) = problems(make, memory="1Ti")
    assert said.startswith("no acceptable GPU has 1Ti of memory: the best, MI350X, has 288Gi")
    (said,) = problems(make, profile(words), memory="1Ti")
    assert "the best, MI455X, has 431Gi" in said
    made = make("Training", profile(words), gpu={"memory": "400Gi"})
    assert made.limits["amd.com/gpu"] == "1"
