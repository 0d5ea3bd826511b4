"""The short way to `render` and typer's take the same arguments to the same call."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.cli import quick, render, rendering

WORDS = st.sampled_from(
    [
        "a.yaml",
        "-",
        "specs/",
        "x y",
        "-c",
        "--cluster",
        "-o",
        "--output",
        "--format",
        "json",
        "yaml",
        "xml",
        "--set",
        "a:b=c",
        "--templates",
        "--",
        "-h",
        "--format=json",
        "-ojson",
        "",
    ]
)


def by_typer(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> list[Any] | None:
    """What typer calls; None when it refuses the arguments or answers them itself."""
    from gpuspec.cli import app

    seen: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(render, "render_specs", lambda *values: seen.append(values))
        patch.setattr(app, "failed", lambda error: 2)
        patch.setattr(sys, "argv", ["gpuspec", *arguments])
        app.main()
    return list(seen[0]) if seen else None


def in_short(arguments: list[str]) -> list[Any] | None:
    task: Any = quick.quick(arguments)
    if task is None:
        return None
    assert task.func is rendering.render_specs
    named = {"cluster": None, "output": None, "format": "yaml", "settings": None, "templates": None}
    assert task.keywords.keys() <= named.keys()
    return [*task.args, *(named | task.keywords).values()]


@given(st.lists(WORDS, max_size=7))
def test_whatever_goes_the_short_way_is_what_typer_makes_of_it(words: list[str]) -> None:
    arguments = ["render", *words]
    short = in_short(arguments)
    if short is not None:
        with pytest.MonkeyPatch.context() as patch:
            assert short == by_typer(arguments, patch)


@pytest.mark.parametrize(
    "arguments",
    [
        ["render", "chat.yaml"],
        ["render", "specs/", "-c", "eu.yaml", "-c", "us.yaml", "-o", "out/{profile}/"],
        ["render", "-", "--set", "chat:replicas=3", "--format", "json", "--templates", "mine"],
    ],
)
def test_the_usual_arguments_go_the_short_way(arguments: list[str]) -> None:
    assert quick.quick(arguments) is not None


@pytest.mark.parametrize(
    "arguments",
    [[], ["render"], ["explain", "a"], ["render", "a", "-h"], ["render", "a", "--format", "xml"]],
)
def test_all_else_is_left_to_typer(arguments: list[str]) -> None:
    assert quick.quick(arguments) is None


def test_a_shell_that_completes_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_GPUSPEC_COMPLETE", "complete_bash")
    assert quick.quick(["render", "a.yaml"]) is None
