"""Members of options whose value is JSON: wrong values, and unknown members."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.json_loading import parse_json
from gpuspec.numbers import read_decimal, read_signed
from gpuspec.runtimes.options.reading import OPEN, SIZE, Problem, plain
from gpuspec.runtimes.options.releases import holds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.runtimes.options.model import CommandProgram, Option
    from gpuspec.runtimes.options.reading import ParsedOption
    from gpuspec.runtimes.options.releases import Releases

# The texts that pydantic accepts for a boolean.
_BOOLEANS = frozenset(["0", "off", "f", "false", "n", "no", "1", "on", "t", "true", "y", "yes"])


class WrongMember(msgspec.Struct, frozen=True):
    """A member of an option's JSON that the program rejects."""

    option: str
    """The option as written."""
    path: str
    """The member inside of the JSON, with dots."""
    value: str
    problem: Problem
    rows: tuple[Option, ...] = ()
    """Its rows in the releases in question; for an unknown member, those of other releases."""


def wrong_members(
    program: CommandProgram, releases: Releases, parsed_option: ParsedOption
) -> Iterator[WrongMember]:
    """Yield the members that every release in question rejects."""
    name = full_name(program, parsed_option)
    if releases.newer or parsed_option.problem is not None or parsed_option.value is None:
        return
    if name in program.members_by_name:
        rows = parsed_option.rows
        problem = _of_rows(rows, _loaded(parsed_option.value))
        if problem is not None:
            yield WrongMember(parsed_option.name, "", parsed_option.value, problem, rows)
    elif any(row.form == "json" for row in parsed_option.rows):
        loaded = members_of(parsed_option.value)
        yield from _in(program, releases, parsed_option.name, name, loaded)


def members_of(value: str) -> dict[str, Any]:
    """Return the members in an option's JSON; none if it is no JSON object."""
    loaded = _loaded(value)
    return loaded if isinstance(loaded, dict) else {}


def full_name(program: CommandProgram, parsed_option: ParsedOption) -> str:
    """Return the name of an option by which conditions and members name it."""
    rows = parsed_option.rows
    return rows[0].names[0] if rows else plain(program, parsed_option.name)


def _loaded(value: str) -> Any:
    try:
        return parse_json(SIZE.sub(r"\1", value))
    except ValueError:
        return value


def _in(
    program: CommandProgram, releases: Releases, option: str, at: str, loaded: dict[str, Any]
) -> Iterator[WrongMember]:
    closed = program.closed.get(at)
    is_closed = closed is not None and program.releases.index(closed) <= releases.first
    for key, value in loaded.items():
        name = f"{at}.{key.replace('-', '_')}"
        path = name.partition(".")[2]
        every = program.members_by_name.get(name, ())
        rows = tuple(row for row in every if holds(program, row, releases))
        if not rows:
            if is_closed and not OPEN.search(key):
                yield WrongMember(option, path, "", "unknown", every)
            continue
        problem = _of_rows(rows, value)
        if problem is not None:
            yield WrongMember(option, path, json.dumps(value), problem, rows)
        elif isinstance(value, dict):
            yield from _in(program, releases, option, name, value)


def _of_rows(rows: tuple[Option, ...], value: Any) -> Problem | None:
    """Return the error of a value, if the member has it in every release in question."""
    if value is None or (isinstance(value, str) and OPEN.search(value)):
        return None
    problems = {_problem(row, value) for row in rows}
    return problems.pop() if len(problems) == 1 else None


def _problem(row: Option, value: Any) -> Problem | None:
    match row.form:
        case "json":
            return None
        case "text" if row.choices:
            return None if value in row.choices else "choice"
        case "text":
            return None if isinstance(value, str) else "form"
        case "boolean":
            ok = value in (0, 1) if isinstance(value, int | float) else _is_boolean(value)
            return None if ok else "form"
        case "whole" | "decimal":
            number = _number(row, value)
            if number is None:
                return "form"
            return None if row.has_in_range(number) else "range"


def _is_boolean(value: Any) -> bool:
    return isinstance(value, str) and value.lower() in _BOOLEANS


def _number(row: Option, value: Any) -> float | None:
    """Return a number as pydantic reads it: also from a text, and 3.0 as a whole number."""
    text = value.strip().replace("_", "") if isinstance(value, str) else value
    if isinstance(text, str):
        whole = read_signed(text)
        text = read_decimal(text) if whole is None else whole
    if not isinstance(text, int | float) or (row.form == "whole" and text % 1):
        return None
    return text
