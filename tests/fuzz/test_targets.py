"""The table of what is tried holds all that the program has."""

import pytest

from tests.fuzz import oracle
from tests.fuzz.commands import choices, commands, options
from tests.fuzz.targets import TARGETS, Target

# Said once for all commands, and without input.
GENERAL = {"--help", "-h"}


def tried(words: tuple[str, ...]) -> list[Target]:
    return [
        one for one in TARGETS if one.command[: len(words)] == words and one.program == "gpuspec"
    ]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_is_tried_with_every_option(words: tuple[str, ...]) -> None:
    used = {"--format"} if any(one.formats for one in tried(words)) else set()
    for one in tried(words):
        used |= {word for each in (one.command, one.given, *one.options) for word in each}
    assert tried(words)
    for name, option in options(words).items():
        if name not in GENERAL:
            assert used & {*option.opts}, f"no target of {words} has {name}"


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_what_must_hold_of_every_format_is_known(words: tuple[str, ...]) -> None:
    for format in choices(words, "--format"):
        assert format in oracle.FORMATS


def test_targets_have_names_of_their_own() -> None:
    names = [one.name for one in TARGETS]
    assert sorted({*names}) == sorted(names)
