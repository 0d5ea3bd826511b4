"""The fast path to `gpuspec render`, `lint` and `argocd`, without typer.

CI, hooks and GitOps hosts run these commands very often with plain arguments, for which typer need
not be imported. Everything else is left to typer: help, errors, completion, `--option=value`. A
test checks that both give the same answers.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

Options = dict[str, str]
"""Options, with the parameters that they set."""

_RENDER_ONE = {
    "-o": "output",
    "--output": "output",
    "--format": "format",
    "--templates": "templates",
    "--target": "target",
}
_RENDER_MANY = {"-c": "cluster", "--cluster": "cluster", "--set": "settings"}
_RENDER_FLAGS = {
    "--no-lint": "no_lint",
    "--check": "check",
    "--skip-refused": "skip_refused",
}
_RENDER_FORMATS = ("yaml", "json")

_LINT_ONE = {
    "--severity": "severity",
    "--fail-on": "fail_on",
    "--baseline": "baseline",
    "--config": "config",
    "--stdin-filename": "stdin",
}
_LINT_MANY = {
    "-c": "cluster",
    "--cluster": "cluster",
    "--select": "select",
    "--ignore": "ignore",
    # Their order says which is for which: it is read from the words themselves.
    "-o": "output",
    "--output": "output",
    "--format": "format",
}
_LINT_FLAGS = {
    "--exit-zero": "exit_zero",
    "--write-baseline": "write_baseline",
    "--fix": "fix",
    "--unsafe-fixes": "unsafe_fixes",
    "--diff": "diff",
    "--allow-empty": "allow_empty",
    "--force-exclude": "force_exclude",
    "-q": "quiet",
    "--quiet": "quiet",
    "--statistics": "statistics",
}
_SEVERITIES = ("error", "warning", "info")


def quick(arguments: list[str]) -> Callable[[], None] | None:
    """Return the task for plain arguments; None if typer must parse them."""
    if "_GPUSPEC_COMPLETE" in os.environ:
        return None
    command, *words = arguments or [""]
    if command == "render":
        return _render(words)
    if command == "argocd":
        return _argocd(words)
    return _lint(words) if command == "lint" else None


def _render(words: list[str]) -> Callable[[], None] | None:
    specs, named = _parsed(words, _RENDER_ONE, _RENDER_MANY, _RENDER_FLAGS)
    if not specs or named.get("format", "yaml") not in _RENDER_FORMATS:
        return None
    from gpuspec.cli.rendering import render_specs

    return partial(render_specs, specs, **named)


def _argocd(words: list[str]) -> Callable[[], None] | None:
    from gpuspec.cli import generating

    tasks: dict[str, Callable[[], None]] = {
        "generate": partial(generating.generate, []),
        "discover": generating.discover,
        "parameters": generating.parameters,
    }
    return tasks.get(words[0]) if len(words) == 1 else None


def _lint(words: list[str]) -> Callable[[], None] | None:
    paths, named = _parsed(words, _LINT_ONE, _LINT_MANY, _LINT_FLAGS)
    if not paths:
        return None
    for name in ("format", "output"):
        named.pop(name, None)
    levels = [named[name] for name in ("severity", "fail_on") if name in named]
    if not {*levels} <= {*_SEVERITIES}:
        return None
    from gpuspec.cli.linting import LintOptions, lint_paths

    return partial(lint_paths, LintOptions(paths, words, **named))


def _parsed(
    words: list[str], one: Options, options: Options, flags: Options
) -> tuple[list[str], dict[str, Any]]:
    """Return the arguments, and the options by parameter; no arguments if anything is unusual."""
    arguments: list[str] = []
    named: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            arguments.append(word)
        elif word in flags:
            named[flags[word]] = True
        else:
            value = next(rest, None)
            if value is None or (value.startswith("-") and value != "-"):
                return [], {}
            if word in options:
                named.setdefault(options[word], []).append(value)
            elif word in one:
                named[one[word]] = value
            else:
                return [], {}
    return arguments, named
