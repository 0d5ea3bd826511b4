"""What a model's name says of its size."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.models import precisions, read_name

GB = 10**9


@pytest.mark.parametrize(
    ("name", "billions", "bits"),
    [
        ("meta-llama/Llama-3.3-70B-Instruct", "70", "16"),
        ("/models/llama_70b/", "70", "16"),
        ("Qwen/Qwen2.5-0.5B", "0.5", "16"),
        ("Qwen/Qwen3-30B-A3B", "30", "16"),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "235", "8"),
        ("org/Llama-3.1-405B-Instruct-w4a16", "405", "4"),
        ("org/Model-7B-GPTQ-Int8", "7", "8"),
        ("org/Model-7B-GPTQ", "7", "4"),
        ("org/Model-32B-4-bit", "32", "4"),
        ("unsloth/llama-3-8b-bnb-4bit", "8", "4"),
        ("nvidia/Llama-3.1-70B-Instruct-NVFP4", "70", "4.5"),
        ("openai/gpt-oss-120b", "120", "4.25"),
        ("unsloth/gpt-oss-20b-BF16", "20", "16"),
        ("bartowski/Llama-3.3-70B-Instruct-GGUF:Q4_K_M", "70", "4.2"),
        ("bartowski/Llama-3.3-70B-Instruct-GGUF", "70", "2"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "44.8", "16"),
        ("org/mixtral-8x22b-awq", "140.8", "4"),
    ],
)
def test_a_name_says_parameters_and_bits(name: str, billions: str, bits: str) -> None:
    named = read_name(name)
    assert named is not None
    assert (named.parameters, named.precision.bits) == (Fraction(billions), Fraction(bits))


@pytest.mark.parametrize(
    "name",
    [
        "meta-llama/Llama-4-Scout-17B-16E-Instruct",
        "google/gemma-3n-E4B",
        "org/model-A100B",
        "org/model-v70b2",
        "org/70billion",
        "org/16x17B",
        "70B/model",
        "",
    ],
)
def test_a_name_that_says_no_size_is_not_guessed(name: str) -> None:
    assert read_name(name) is None


@pytest.mark.parametrize("owner", ["awq-models", "fp8", "gguf-org", "4bit", "8x7b"])
def test_an_owners_name_says_nothing_of_the_model(owner: str) -> None:
    assert read_name(f"{owner}/Llama-70B") == read_name("org/Llama-70B")


@pytest.mark.parametrize("word", ["hawqs", "profp8ts", "exlibris", "unfp4", "bnbx"])
def test_a_part_of_a_word_is_no_precision(word: str) -> None:
    assert read_name(f"org/{word}-70B") == read_name("org/plain-70B")


def test_mixtures_come_near_what_is_published() -> None:
    for name, published in (("org/Mixtral-8x7B", 46.7), ("org/Mixtral-8x22B", 140.6)):
        named = read_name(name)
        assert named is not None
        assert 0.94 <= named.parameters / Fraction(published) <= 1.01


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(text: str) -> None:
    named = read_name(text)
    assert named is None or 0 < named.least <= named.most


@given(
    billions=st.integers(1, 2000),
    word=st.sampled_from([word for one in precisions().values() for word in one.words]),
    upper=st.booleans(),
)
def test_a_precision_is_found_wherever_it_stands(billions: int, word: str, upper: bool) -> None:
    spelled = word.upper() if upper else word
    names = (f"org/Chat-{billions}B-{spelled}", f"/models/{spelled}_chat_{billions}b_v2")
    found = [read_name(name) for name in names]
    assert found[0] == found[1]
    assert found[0] is not None
    assert word in found[0].precision.words


@given(small=st.integers(1, 900), more=st.integers(1, 900))
def test_more_parameters_take_more_bytes(small: int, more: int) -> None:
    less, greater = read_name(f"o/m-{small}B"), read_name(f"o/m-{small + more}B")
    assert less is not None
    assert greater is not None
    assert greater.least - less.least == 2 * more * GB
