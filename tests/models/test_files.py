"""Models by the names of files, of repositories of GGUF files, and of Ollama's library."""

import pytest

from gpuspec.models import cache_type_bits, in_library, known_models, stored
from gpuspec.models.tables import table


@pytest.mark.parametrize(
    ("name", "model", "gb"),
    [
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B", 2.6),
        ("bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q8_0", "meta-llama/Llama-3.1-8B-Instruct", 8.5),
        ("/models/gpt-oss-20b-MXFP4.gguf", "openai/gpt-oss-20b", 11.1),
        ("unsloth/gemma-3-27b-it-qat-GGUF:Q4_0", "google/gemma-3-27b-it", 14.4),
    ],
)
def test_files(name: str, model: str, gb: float) -> None:
    found = stored(name)
    assert found is not None
    assert found.model.name == model
    assert found.least / 1e9 == pytest.approx(gb, rel=0.25)


@pytest.mark.parametrize(
    "name", ["", "model.gguf", "org/Qwen3-8B-Uncensored-GGUF", "Qwen3-80B-Q4_K_M.gguf", "Qwen3"]
)
def test_other_files(name: str) -> None:
    assert stored(name) is None


def test_every_model_of_the_library_is_in_the_table() -> None:
    known = {one.name for one in known_models()}
    for family, tags in table("library")["models"].items():
        for tag, name in tags.items():
            assert name is None or name in known, f"{family}:{tag}"


@pytest.mark.parametrize(
    ("name", "gb"),
    [
        # Sizes that the library lists, which are those of all its layers.
        ("llama3.1", 4.9),
        ("llama3.3:70b-instruct-q8_0", 75),
        ("qwen3:14b", 9.3),
        ("gpt-oss:20b", 14),
        ("phi4", 9.1),
        ("gemma3:27b", 17),
    ],
)
def test_sizes_of_the_library_are_no_smaller(name: str, gb: float) -> None:
    found = in_library(name)
    assert found is not None
    assert 0.75 * gb < found.least / 1e9 <= gb


def test_what_the_library_does_not_have() -> None:
    for name in ("mine/llama3.1:8b", "llama3.1:9b", "deepseek-r1", ""):
        assert in_library(name) is None


def test_types_of_caches() -> None:
    assert cache_type_bits(None) == cache_type_bits("F16") == 16
    assert cache_type_bits("q8_0") == 8.5
    assert cache_type_bits("turbo") is None
