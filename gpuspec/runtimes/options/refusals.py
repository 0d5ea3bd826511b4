"""Settings that a program refuses, or ignores: together, or with a value of other releases."""

from __future__ import annotations

import operator
from math import prod
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from gpuspec.numbers import read_decimal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.runtimes.options.line_settings import LineSettings
    from gpuspec.runtimes.options.model import (
        CommandProgram,
        KnownValues,
        SettingCondition,
        SettingsRow,
    )
    from gpuspec.runtimes.options.reading import ParsedOption
    from gpuspec.runtimes.options.releases import Releases

_Row = TypeVar("_Row", bound="SettingsRow")


def rows_met(
    rows: tuple[_Row, ...], program: CommandProgram, releases: Releases, settings: LineSettings
) -> Iterator[tuple[_Row, ParsedOption, str]]:
    """Yield the rows that hold in every release in question, with the first of their options, and
    their statement."""
    for row in rows:
        # Of settings that are all absent, the finding stands at the first option that is written.
        only_absent = all(condition.present is False for condition in row.when)
        names = (*row.names, *settings.options) if only_absent else row.names
        option = next((settings.options[name] for name in names if name in settings.options), None)
        if option is None or not _is_of_all(row, program, releases):
            continue
        if all(_met(condition, settings) for condition in row.when):
            yield row, option, row.says.replace("{0}", settings.value(row.when[0].at) or "")


def _is_of_all(row: SettingsRow, program: CommandProgram, releases: Releases) -> bool:
    if row.until is not None and (
        releases.newer or program.releases.index(row.until) < releases.last
    ):
        return False
    return row.since is None or program.releases.index(row.since) <= releases.first


class UnknownValue(msgspec.Struct, frozen=True):
    """A value that the program has only in other releases, or in none."""

    option: ParsedOption
    name: str
    value: str
    problem: Literal["unknown", "later", "gone"]
    release: str
    """The first release with the value, or the last."""
    values: tuple[str, ...]
    """The values that every release in question has."""


def unknown_values(
    program: CommandProgram, releases: Releases, settings: LineSettings
) -> Iterator[UnknownValue]:
    """Yield values that no release in question has."""
    for row in program.names_by_release:
        if program.releases.index(row.since) > releases.first or row.at not in settings.options:
            continue
        as_written = settings.value(row.at) or ""
        value = as_written.lower() if row.fold else as_written
        if not value or not all(_met(condition, settings) for condition in row.when):
            continue
        since, until = (*row.values.get(value, ()), "", "")[:2]
        problem: Literal["unknown", "later", "gone"] | None = None
        if value not in row.values:
            problem = "unknown"
        elif since and program.releases.index(since) > releases.last:
            problem = "later"
        elif until and program.releases.index(until) < releases.first:
            problem = "gone"
        if problem is not None and (problem == "gone" or not releases.newer):
            values = tuple(_present(program, row, releases))
            release = since if problem == "later" else until
            option = settings.options[row.at]
            yield UnknownValue(option, row.at, as_written, problem, release, values)


def _present(program: CommandProgram, row: KnownValues, releases: Releases) -> Iterator[str]:
    for value, period in row.values.items():
        since, until = (*period, "", "")[:2]
        if (not since or program.releases.index(since) <= releases.first) and (
            not until or program.releases.index(until) >= releases.last
        ):
            yield value


def _met(condition: SettingCondition, settings: LineSettings) -> bool:
    if condition.present is not None:
        is_written = condition.at in settings.values
        return is_written if condition.present else settings.is_absent(condition.at)
    if not _compares(condition, settings):
        return False
    value = settings.value(condition.at)
    if condition.is_:
        return value is not None and value.lower() in condition.is_
    if condition.isnt:
        return value is not None and value.lower() not in condition.isnt
    return condition.like in (value or "") if condition.like else True


def _compares(condition: SettingCondition, settings: LineSettings) -> bool:
    """Return whether all comparisons of numbers hold."""
    number = _number(condition.at, settings)
    for bound, compare in (
        (condition.above, operator.gt),
        (condition.least, operator.ge),
        (condition.below, operator.lt),
        (condition.no_multiple_of, _is_no_multiple),
    ):
        if bound is not None:
            right = _number(bound, settings)
            if number is None or right is None or not compare(number, right):
                return False
    return True


def _is_no_multiple(number: float, divisor: float) -> bool:
    return divisor > 0 and number % divisor != 0


def _number(expression: str, settings: LineSettings) -> float | None:
    """Return the value of a number, a setting, or a product of settings."""
    parts = expression.split(" * ")
    words = [settings.value(part) if part.startswith(("-", "$")) else part for part in parts]
    factors = [number for word in words if (number := read_decimal(word)) is not None]
    return prod(factors) if len(factors) == len(parts) else None
