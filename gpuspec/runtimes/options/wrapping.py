"""Options that a program hands on to another, as rows of its own."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from gpuspec.runtimes.options.releases import Releases, holds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.runtimes.options.model import CommandProgram, Option, Wraps


def with_wrapped(program: CommandProgram, wraps: Wraps, inner: CommandProgram) -> CommandProgram:
    """Return a program with the options of the one that it wraps: release by release, and its own
    first."""
    places = list(_places(program, wraps, inner))
    handed = [
        row for option in inner.options for row in _rows(program, wraps, option, inner, places)
    ]
    return msgspec.structs.replace(
        program,
        options=(*program.options, *handed),
        replaced={**inner.replaced, **program.replaced},
        wraps=wraps,
    )


def _places(program: CommandProgram, wraps: Wraps, inner: CommandProgram) -> Iterator[int]:
    """Yield, by release of the program, the place of the other program's release that it
    contains."""
    held = ""
    for release in program.releases:
        held = wraps.releases.get(release, held)
        yield inner.releases.index(held)


def _rows(
    program: CommandProgram, wraps: Wraps, option: Option, inner: CommandProgram, places: list[int]
) -> Iterator[Option]:
    """Yield an option of the other program, over the releases that take it under the same names."""
    names = [
        _names(program, wraps, option, at) if _has(inner, option, place) else ()
        for at, place in enumerate(places)
    ]
    last = len(names) - 1
    for same, run in itertools.groupby(range(last + 1), names.__getitem__):
        first, *others = run
        end = others[-1] if others else first
        if same:
            yield msgspec.structs.replace(
                option,
                names=same,
                since=program.releases[first] if first else None,
                until=program.releases[end] if end < last else None,
            )


def _has(inner: CommandProgram, option: Option, place: int) -> bool:
    return holds(inner, option, Releases(place, place, known=True))


def _names(program: CommandProgram, wraps: Wraps, option: Option, at: int) -> tuple[str, ...]:
    """Return the names of an option that the program has not taken for one of its own."""
    releases = Releases(at, at, known=True)
    return tuple(
        name
        for name in option.names
        if name not in wraps.without
        and not any(holds(program, row, releases) for row in program.by_name.get(name, ()))
    )
