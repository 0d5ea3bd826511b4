"""The table of models: sums against what is published, and that each row is sound."""

import pytest

from gpuspec.models import KnownModel, known_model, known_models, read_name

MODELS = known_models()
GB = 10**9


def known(name: str) -> KnownModel:
    found = known_model(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "gb"),
    [
        # Sizes of the hub's files, as their pages list them.
        ("meta-llama/Llama-3.1-8B-Instruct", 16.06),
        ("meta-llama/Llama-3.3-70B-Instruct", 141.11),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", 15.24),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", 65.53),
        ("mistralai/Mistral-7B-Instruct-v0.3", 14.50),
        ("deepseek-ai/DeepSeek-R1", 688.6),
        ("openai/gpt-oss-120b", 65.3),
        ("openai/gpt-oss-20b", 13.8),
        ("microsoft/phi-4", 29.32),
        ("Qwen/Qwen3-8B", 16.38),
        ("BAAI/bge-m3", 2.27),
    ],
)
def test_sizes_are_those_of_the_published_files(name: str, gb: float) -> None:
    assert known(name).size / GB == pytest.approx(gb, rel=0.005)


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
def test_a_row_is_sound(model: KnownModel) -> None:
    assert model.source
    assert model.context > 0
    assert model.parameters > 0
    assert 0.4 < model.size * 8 / (GB * model.parameters * model.precision.bits) < 1.5
    assert len(model.cache) in (0, 2, 4)
    if len(model.cache) == 4:
        assert model.cache[1] == 2, "key and value"


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
def test_what_a_name_says_does_not_contradict_the_table(model: KnownModel) -> None:
    """The reader of names is for names that the table does not know: the two have to agree."""
    for name in (model.name, *model.also):
        assert known(name) == model
        named = read_name(name)
        if named is not None and named.precision.bits == model.precision.bits:
            assert named.least <= model.size * 1.3
            assert named.least >= model.size * 0.6


def test_names_are_found_in_any_case_and_only_whole() -> None:
    assert known("META-LLAMA/llama-3.1-8b-instruct").name == "meta-llama/Llama-3.1-8B-Instruct"
    assert known_model("someone/Llama-3.1-8B-Instruct") is None
    assert known_model("Llama-3.1-8B-Instruct") is None
    assert known_model("") is None


def test_no_name_is_there_twice() -> None:
    names = [name.casefold() for model in MODELS for name in (model.name, *model.also)]
    assert len(names) == len(set(names))
    assert len(MODELS) >= 100


def test_the_cache_of_a_token_is_what_papers_and_servers_say() -> None:
    # 128 KiB in 16 bits for Llama 3.1 8B, 320 KiB for 70B; DeepSeek-V3's latent: 70,272 bytes.
    assert known("meta-llama/Llama-3.1-8B").values * 2 == 128 << 10
    assert known("meta-llama/Llama-3.1-70B").values * 2 == 320 << 10
    assert known("deepseek-ai/DeepSeek-V3").values * 2 == 70_272
    assert known("google/gemma-4-31B-it").values == 0
