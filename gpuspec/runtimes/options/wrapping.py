"""Options that a program passes on to another program, as rows of its own."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gpuspec.runtimes.options.releases import Releases, holds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.runtimes.options.model import (
        CommandProgram,
        KnownValues,
        Option,
        SettingsRow,
        Wraps,
    )

_Row = TypeVar("_Row", bound="SettingsRow")


def with_wrapped(program: CommandProgram, wraps: Wraps, inner: CommandProgram) -> CommandProgram:
    """Return a program with its own options first, then those of the program that it wraps, release
    by release."""
    places = list(_places(program, wraps, inner))
    handed, members = (
        [row for option in options for row in _rows(program, wraps, option, inner, places)]
        for options in (inner.options, inner.members)
    )
    return msgspec.structs.replace(
        program,
        options=(*program.options, *handed),
        members=(*program.members, *members),
        closed={
            name: first
            for name, since in inner.closed.items()
            if (first := _first(program, inner, since, places)) is not None
        },
        defaults=inner.defaults,
        refusals=tuple(_settings_rows(program, inner, inner.refusals, places)),
        ignored=tuple(_settings_rows(program, inner, inner.ignored, places)),
        names_by_release=(
            *program.names_by_release,
            *_names_by_release(program, wraps, inner, places),
        ),
        replaced={**inner.replaced, **program.replaced},
        wraps=wraps,
    )


def _first(
    program: CommandProgram, inner: CommandProgram, since: str, places: list[int]
) -> str | None:
    """Return the first release of the program that contains the other program's release."""
    least = inner.releases.index(since)
    return next((program.releases[at] for at, place in enumerate(places) if place >= least), None)


def _last(
    program: CommandProgram, inner: CommandProgram, until: str | None, places: list[int]
) -> str | None:
    """Return the last release of the program that contains at most the other program's release."""
    most = len(inner.releases) if until is None else inner.releases.index(until)
    accepted_releases = [
        release for release, place in zip(program.releases, places, strict=True) if place <= most
    ]
    return accepted_releases[-1] if accepted_releases else None


def _settings_rows(
    program: CommandProgram, inner: CommandProgram, rows: tuple[_Row, ...], places: list[int]
) -> Iterator[_Row]:
    """Yield the rows of the other program's engine, with the program's own releases."""
    for row in rows:
        first = _first(program, inner, row.since or inner.releases[0], places)
        last = _last(program, inner, row.until, places)
        if first is not None and last is not None and not row.serve:
            until = None if row.until is None else last
            yield msgspec.structs.replace(row, since=first, until=until)


def _names_by_release(
    program: CommandProgram, wraps: Wraps, inner: CommandProgram, places: list[int]
) -> Iterator[KnownValues]:
    """Yield the values that the other program's engine checks, with the program's own releases."""
    for row in inner.names_by_release:
        first = _first(program, inner, row.since, places)
        if first is not None and not row.serve and row.at not in wraps.without:
            values: dict[str, tuple[str, ...]] = {}
            for value, period in row.values.items():
                since, until = (*period, "", "")[:2]
                begun = _first(program, inner, since, places) if since else ""
                ended = _last(program, inner, until, places) if until else ""
                if begun is not None and ended is not None:
                    values[value] = (begun, ended)
            yield msgspec.structs.replace(row, since=first, values=values)


def _places(program: CommandProgram, wraps: Wraps, inner: CommandProgram) -> Iterator[int]:
    """Yield, for each release of the program, the index of the other program's release that it
    contains."""
    inner_release = ""
    for release in program.releases:
        inner_release = wraps.releases.get(release, inner_release)
        yield inner.releases.index(inner_release)


def _rows(
    program: CommandProgram, wraps: Wraps, option: Option, inner: CommandProgram, places: list[int]
) -> Iterator[Option]:
    """Yield an option of the other program for the releases that accept it under the same names."""
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
    """Return the names of an option that the program does not use for its own options."""
    releases = Releases(at, at, known=True)
    return tuple(
        name
        for name in option.names
        if name not in wraps.without
        and not any(holds(program, row, releases) for row in program.by_name.get(name, ()))
    )
