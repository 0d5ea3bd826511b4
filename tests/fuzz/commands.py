"""The program's commands and options, as the program itself knows them."""

from functools import cache
from typing import Any

import typer.main

from gpuspec.cli.app import app


@cache
def commands() -> dict[tuple[str, ...], Any]:
    """Every command by its words."""
    found: dict[tuple[str, ...], Any] = {}
    waiting: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(app))]
    while waiting:
        words, one = waiting.pop()
        if hasattr(one, "commands"):
            waiting += [((*words, name), inner) for name, inner in one.commands.items()]
        else:
            found[words] = one
    return dict(sorted(found.items()))


def command(words: tuple[str, ...]) -> Any:
    """The command that a command line begins with."""
    known = commands()
    return known[next(words[:n] for n in (2, 1) if words[:n] in known)]


def options(words: tuple[str, ...]) -> dict[str, Any]:
    """A command's options by every name that they have."""
    return {name: one for one in command(words).params for name in one.opts if name[0] == "-"}


def choices(words: tuple[str, ...], option: str) -> tuple[str, ...]:
    """What an option takes one of; nothing where there is no such option."""
    one = options(words).get(option)
    if one is None:
        return ()
    if found := getattr(one.type, "choices", None):
        return tuple(found)
    from gpuspec.report.lint import FORMATS  # of `lint`, which may be asked for several

    assert words[0] == "lint", f"what {option} of {words} takes is not known"
    return tuple(FORMATS)
