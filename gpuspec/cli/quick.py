"""The short way to `gpuspec render`, without the command line's machinery.

Importing it is a quarter of the time that one spec takes, and CI and GitOps hosts run `render`
over and over with the plainest of arguments. Anything but those is left to typer: help, errors,
completion, `--option=value`. A test holds the two to the same answers.
"""

import os
from collections.abc import Callable
from functools import partial

from gpuspec.cli.rendering import render_specs

_SINGLE = {"-o": "output", "--output": "output", "--format": "format", "--templates": "templates"}
_REPEATED = {"-c": "cluster", "--cluster": "cluster", "--set": "settings"}
_FORMATS = ("yaml", "json")


def quick(arguments: list[str]) -> Callable[[], None] | None:
    """The rendering that plain arguments ask for; None for all that typer must see."""
    if arguments[:1] != ["render"] or "_GPUSPEC_COMPLETE" in os.environ:
        return None
    specs: list[str] = []
    single: dict[str, str] = {}
    repeated: dict[str, list[str]] = {}
    rest = iter(arguments[1:])
    for word in rest:
        if not word.startswith("-") or word == "-":
            specs.append(word)
            continue
        value = next(rest, None)
        if value is None or (value.startswith("-") and value != "-"):
            return None
        if word in _REPEATED:
            repeated.setdefault(_REPEATED[word], []).append(value)
        elif word in _SINGLE:
            single[_SINGLE[word]] = value
        else:
            return None
    if not specs or single.get("format", "yaml") not in _FORMATS:
        return None
    return partial(render_specs, specs, **single, **repeated)  # type: ignore[arg-type]
