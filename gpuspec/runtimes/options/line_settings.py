"""The settings on one command line of a program, with the variables that the program compares with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.runtimes.options.members import full_name, members_of
from gpuspec.runtimes.options.reading import OPEN, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gpuspec.runtimes.options.model import CommandProgram
    from gpuspec.runtimes.options.reading import ParsedOption


class LineSettings(msgspec.Struct, frozen=True):
    """The settings of one program."""

    values: dict[str, str | None]
    """The value of each written setting; None if it is not known."""
    options: dict[str, ParsedOption]
    """The option that writes each setting."""
    defaults: dict[str, str]
    complete: bool
    """Whether no file, variable or template adds settings."""

    def is_absent(self, name: str) -> bool:
        """Return whether a setting is certainly not written."""
        whole, dot, _ = name.partition(".")
        # The JSON that would hold a member may not be known.
        is_open = bool(dot) and self.values.get(whole, "") is None
        return self.complete and name not in self.values and not is_open

    def value(self, name: str) -> str | None:
        """Return the value of a setting, or its default. None if it is not known."""
        if name in self.values:
            return self.values[name]
        return self.defaults.get(name) if self.is_absent(name) else None


def settings_of(
    program: CommandProgram,
    parsed_options: Sequence[ParsedOption],
    variables: Mapping[str, str | None],
    *,
    complete: bool,
) -> LineSettings:
    """Return the settings in options and variables; the last of several options with one name
    counts."""
    values: dict[str, str | None] = {f"${name}": value for name, value in variables.items()}
    options: dict[str, ParsedOption] = {}
    for option in parsed_options:
        name = full_name(program, option)
        option_values = {name: _value(program, option, name), **dict(_members(name, option))}
        values.update(option_values)
        options.update(dict.fromkeys(option_values, option))
    return LineSettings(values, options, program.defaults, complete)


def _value(program: CommandProgram, option: ParsedOption, name: str) -> str | None:
    if {row.takes for row in option.rows} == {"nothing"}:
        return "true" if name.startswith(plain(program, option.name)) else "false"
    return None if option.value is None or OPEN.search(option.value) else option.value


def _members(name: str, option: ParsedOption) -> Iterator[tuple[str, str | None]]:
    if any(row.form == "json" for row in option.rows) and option.value:
        yield from _flat(name, members_of(option.value))


def _flat(at: str, members: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    for key, value in members.items():
        name = f"{at}.{key.replace('-', '_')}"
        if isinstance(value, dict):
            yield from _flat(name, value)
        if value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield name, None if OPEN.search(text) else text
