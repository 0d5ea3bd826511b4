"""The short way to `render` and `lint` and typer's take the same arguments to the same call."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.cli import lint, linting, render, rendering
from gpuspec.startup import quick

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
        "--target",
        "--no-lint",
        "--check",
        "--select",
        "--ignore",
        "--severity",
        "--fail-on",
        "info",
        "--exit-zero",
        "--fix",
        "--unsafe-fixes",
        "--diff",
        "--baseline",
        "--write-baseline",
        "--allow-empty",
        "--config",
        "--force-exclude",
        "--quiet",
        "--show-settings",
        "--statistics",
        "--stdin-filename",
        "-q",
        "--",
        "-h",
        "--format=json",
        "-ojson",
        "",
    ]
)
RENDER: dict[str, Any] = {
    "cluster": None,
    "output": None,
    "format": "yaml",
    "settings": None,
    "templates": None,
    "target": None,
    "no_lint": False,
    "check": False,
    "skip_refused": False,
}
COMMANDS = {"render": (rendering.render_specs, RENDER), "lint": (linting.lint_paths, {})}


def by_typer(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> list[Any] | None:
    """What typer calls; None when it refuses the arguments or answers them itself."""
    from gpuspec.cli import app

    seen: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(render, "render_specs", lambda *values: seen.append(values))
        patch.setattr(lint, "lint_paths", lambda *values: seen.append(values))
        patch.setattr(app, "failed", lambda error: 2)
        patch.setattr(sys, "argv", ["gpuspec", *arguments])
        app.main()
    return list(seen[0]) if seen else None


def in_short(arguments: list[str]) -> list[Any] | None:
    task: Any = quick.quick(arguments)
    if task is None:
        return None
    function, defaults = COMMANDS[arguments[0]]
    assert task.func is function
    assert task.keywords.keys() <= defaults.keys()
    return [*task.args, *(defaults | task.keywords).values()]


@given(st.sampled_from(sorted(COMMANDS)), st.lists(WORDS, max_size=7))
def test_whatever_goes_the_short_way_is_what_typer_makes_of_it(
    command: str, words: list[str]
) -> None:
    arguments = [command, *words]
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
        ["render", "specs/", "-o", "out", "--check", "--no-lint"],
        ["lint", "."],
        ["lint", "-", "-c", "eu.yaml", "--select", "GPU4", "--severity", "warning", "--exit-zero"],
        ["lint", "a.yaml", "b.yaml", "--format", "sarif", "-o", "x", "--format", "text", "--fix"],
    ],
)
def test_the_usual_arguments_go_the_short_way(arguments: list[str]) -> None:
    assert in_short(arguments) is not None


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["render"],
        ["explain", "a"],
        ["render", "a", "-h"],
        ["render", "a", "--format", "xml"],
        ["lint"],
        ["lint", "a", "--help"],
        ["lint", "a", "--severity", "loud"],
        ["lint", "a", "--select=GPU4"],
    ],
)
def test_all_else_is_left_to_typer(arguments: list[str]) -> None:
    assert quick.quick(arguments) is None


def test_a_shell_that_completes_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_GPUSPEC_COMPLETE", "complete_bash")
    assert quick.quick(["render", "a.yaml"]) is None
