"""Spellings: the answers of `difflib`, with few comparisons."""

import difflib
import random

import pytest

from gpuspec.escaping.spellings import Spellings, nearest
from gpuspec.runtimes import options


@pytest.mark.parametrize("likeness", [0.6, 0.8, 0.85])
def test_the_nearest_word_is_that_of_difflib(likeness: float) -> None:
    names = sorted(options.get("vllm").by_name)[::8]
    spellings = Spellings(names)
    draw = random.Random(3)
    for _ in range(60):
        letters = list(draw.choice(names))
        for _ in range(draw.randint(1, 6)):
            at = draw.randrange(len(letters))
            letters[at : at + draw.randint(0, 1)] = draw.choice("abcxyz-")
        word = "".join(letters)
        if word not in names:
            assert spellings.nearest(word, likeness) == difflib.get_close_matches(
                word, names, n=1, cutoff=likeness
            )


def test_few_words_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    close_matches = difflib.get_close_matches

    def count(word: str, words: list[str], n: int, cutoff: float) -> list[str]:
        compared.append(len(words))
        return close_matches(word, words, n, cutoff)

    monkeypatch.setattr(difflib, "get_close_matches", count)
    names = list(options.get("vllm").by_name)
    assert nearest("--max-modle-len", names, 0.8) == "--max-model-len"
    assert sum(compared) < len(names) // 10


def test_a_word_itself_is_the_nearest() -> None:
    assert nearest("a", ["b", "a"], 0.8) == "a"
    assert nearest("", [], 0.8) is None
