"""Load the tables of options, each when its program first occurs."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table as read_table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.options.model import CommandProgram

DATA = os.path.join(os.path.dirname(__file__), "data")


@cache
def names() -> tuple[str, ...]:
    """Return the names of the programs with known options; a model server has the name of its
    runtime."""
    return tuple(_starts())


@cache
def get(name: str) -> CommandProgram:
    """Return the program with this name.

    Raises:
        KeyError: no program has this name.
    """
    if name not in names():
        raise KeyError(name)
    row = read_table(DATA, name)
    facts = {key: value for key, value in row.items() if key != "sources"}
    program = msgspec.convert(named(facts, row["sources"]), CommandProgram)
    if program.wraps is None:
        return program
    from gpuspec.runtimes.options.wrapping import with_wrapped

    return with_wrapped(program, program.wraps, get(program.wraps.program))


@cache
def phrases() -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the words that start a program, each with the program's name."""
    return tuple(
        (tuple(phrase.split()), name) for name, some in _starts().items() for phrase in some
    )


@cache
def images() -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the repositories of images that start a program other than a model server, each with
    the program's name."""
    table: dict[str, list[str]] = read_table(DATA, "images")
    return tuple((tuple(some), name) for name, some in table.items())


@cache
def beginnings() -> frozenset[str]:
    """Return the first words of the phrases."""
    return frozenset(phrase[0] for phrase, _ in phrases())


@cache
def _starts() -> dict[str, list[str]]:
    # Every container is asked for these; the tables themselves are large, and few runs need one.
    table: dict[str, list[str]] = read_table(DATA, "programs")
    return table
