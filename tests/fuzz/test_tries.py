"""Tries are told by their numbers, and what is written is what was meant."""

import json
from typing import Any

import pytest
import yaml

from tests.fuzz import shapes
from tests.fuzz.nodes import mapping, of, plain, quoted, read, sequence, write, write_json
from tests.fuzz.seeds import donors, texts, trees
from tests.fuzz.targets import TARGETS
from tests.fuzz.tries import make

ROLES = ("spec", "profile", "manifests", "dump", "config", "baseline", "kustomization", "resources")


def test_a_number_is_always_the_same_try() -> None:
    first = [make(target, 7, number) for target in TARGETS for number in range(3)]
    assert first == [make(target, 7, number) for target in TARGETS for number in range(3)]
    assert first != [make(target, 8, number) for target in TARGETS for number in range(3)]


@pytest.mark.parametrize("role", ROLES)
def test_trees_say_what_their_texts_say(role: str) -> None:
    found = [text for text in texts(role) if readable(text)]
    assert len(found) >= len(texts(role)) * 0.9
    for text in found:
        documents = read(text)
        assert data(write(documents)) == data(text)
        if len(documents) == 1:
            assert data(write_json(documents[0])) == data(text)


def test_a_tree_holds_what_plain_data_cannot() -> None:
    tree = mapping(quoted("a"), plain("1"), quoted("a"), sequence(plain("*x"), quoted("\x1b\n²")))
    tree.items[1].before = "&x !!str"
    assert write([tree]) == '"a": &x !!str 1\n"a":\n  - *x\n  - "\\x1b\\n²"\n'


@pytest.mark.parametrize("number", range(60))
def test_a_change_changes(number: int) -> None:
    from random import Random

    rng = Random(number)
    before = [one.copy() for one in rng.choice(trees("manifests"))]
    text = write(before)
    for _ in range(5):
        before = shapes.mutate(before, rng, donors())
    assert write(before) != text


def test_plain_data_becomes_a_tree() -> None:
    value = {"a": [1, None, True, "x"], "b": {}}
    assert json.loads(write_json(of(value))) == value


def readable(text: str) -> bool:
    try:
        data(text)
    except yaml.YAMLError:
        return False
    return True


def data(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=yaml.CBaseLoader))
