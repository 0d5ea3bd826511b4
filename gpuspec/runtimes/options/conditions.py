"""Conditions on the options of a command line: an option is there, with some value, or compared with
another option."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.numbers import read_decimal
from gpuspec.runtimes.options.reading import is_open

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.runtimes.options.reading import ParsedOption

Operator = Literal["", "=", "!=", "<", "<=", ">", ">=", "%"]
"""`%`: the value is no multiple of the other one. Without an operator, the option is there."""

_CONDITION = re.compile(r"(--?[A-Za-z0-9][A-Za-z0-9_.-]*)(?:(!=|<=|>=|=|<|>|%)(.*))?")
_NEGATED = ("--no-", "--disable-")


class Condition(msgspec.Struct, frozen=True):
    """A condition, as a table writes it: `--name`, `--name=a|b`, `--name!=a`, `--name<1`,
    `--name>=--other`, `--name%--other`."""

    option: str
    operator: Operator
    values: tuple[str, ...] = ()
    """Values, or the name of another option."""

    @property
    def other(self) -> str | None:
        """The option that is compared with."""
        return next((value for value in self.values if value.startswith("--")), None)

    def is_met(self, given: Mapping[str, ParsedOption]) -> bool | None:
        """Return whether a command line meets the condition. None if a value is unknown, or the
        other option is absent."""
        option = given.get(self.option)
        if option is None or self.operator == "":
            return option is not None
        value = _value(option)
        if value is None:
            return None
        if self.other is None:
            return _is_met(self.operator, value, self.values)
        compared = given.get(self.other)
        other = None if compared is None else _value(compared)
        return None if other is None else _is_met(self.operator, value, (other,))


@cache
def condition(text: str) -> Condition:
    """Return the condition that a table writes.

    Raises:
        ValueError: the text is no condition.
    """
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(f"no condition on an option: {text}")
    name, operator, values = match.groups()
    return msgspec.convert(
        {"option": name, "operator": operator or "", "values": (values or "").split("|")}, Condition
    )


def by_every_name(options: Mapping[str, ParsedOption]) -> dict[str, ParsedOption]:
    """Return the options of a command line by each of their names; a name that turns an option off
    does not stand for the one that turns it on."""
    named: dict[str, ParsedOption] = {}
    for option in options.values():
        rows = {row.names for row in option.rows}
        names = next(iter(rows)) if len(rows) == 1 else ()
        if not any(name.startswith(_NEGATED) for name in names):
            named.update(dict.fromkeys(names, option))
    return {**named, **options}


def _value(option: ParsedOption) -> str | None:
    """Return the only value of an option; None if it is open, or may be one of several."""
    value = option.value
    several = any(row.takes in ("several", "nothing") for row in option.rows)
    return None if value is None or several or is_open(value) else value


def _is_met(operator: Operator, value: str, values: tuple[str, ...]) -> bool | None:
    if operator in ("=", "!="):
        equal = any(_is_equal(value, other) for other in values)
        return equal if operator == "=" else not equal
    first, second = read_decimal(value), read_decimal(values[0])
    if first is None or second is None:
        return None
    match operator:
        case "<":
            return first < second
        case "<=":
            return first <= second
        case ">":
            return first > second
        case ">=":
            return first >= second
        case _:
            return second > 0 and first % second != 0


def _is_equal(value: str, other: str) -> bool:
    first, second = read_decimal(value), read_decimal(other)
    if first is not None and second is not None:
        return first == second
    return value.lower() == other.lower()
