"""The functions of strings, timestamps and durations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpuspec.cel.conversions import text
from gpuspec.cel.regexes import compiled
from gpuspec.cel.registry import function
from gpuspec.cel.values import (
    CelObject,
    Failure,
    Type,
    Unsigned,
    name_of,
)
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    pass


@function("string:contains(string) -> bool")
def _contains(value: str, part: str) -> bool:
    return part in value


@function("string:startsWith(string) -> bool")
def _starts_with(value: str, part: str) -> bool:
    return value.startswith(part)


@function("string:endsWith(string) -> bool")
def _ends_with(value: str, part: str) -> bool:
    return value.endswith(part)


@function("matches(string, string) -> bool", "string:matches(string) -> bool")
def _matches(value: str, pattern: str) -> bool:
    return compiled(pattern).search(value) is not None


@function("string:find(string) -> string")
def _find(value: str, pattern: str) -> str:
    match = compiled(pattern).search(value)
    return match.group() if match else ""


@function("string:findAll(string) -> list(string)", "string:findAll(string, int) -> list(string)")
def _find_all(value: str, pattern: str, most: int = -1) -> list[str]:
    matches, end = [], -1
    for match in compiled(pattern).finditer(value):
        # Nothing is found where something else ends.
        if match.end() > match.start() or match.start() != end:
            matches.append(match.group())
        end = match.end()
    return matches if most < 0 else matches[:most]


@function("string:charAt(int) -> string")
def _char_at(value: str, at: int) -> str:
    _within(value, at)
    return value[at : at + 1]


@function("string:indexOf(string) -> int", "string:indexOf(string, int) -> int")
def _index_of(value: str, part: str, start: int = 0) -> int:
    if start < 0:
        raise Failure(f"index out of range: {start}")
    return value.find(part, start) if part else min(start, len(value))


@function("string:lastIndexOf(string) -> int", "string:lastIndexOf(string, int) -> int")
def _last_index_of(value: str, part: str, start: int | None = None) -> int:
    if start is None:
        return value.rfind(part)
    if start < 0:
        raise Failure(f"index out of range: {start}")
    if not part:
        return min(start, len(value))
    return value.rfind(part, 0, start + len(part)) if start < len(value) else -1


@function("string:lowerAscii() -> string")
def _lower(value: str) -> str:
    return "".join(sign.lower() if sign.isascii() else sign for sign in value)


@function("string:upperAscii() -> string")
def _upper(value: str) -> str:
    return "".join(sign.upper() if sign.isascii() else sign for sign in value)


@function(
    "string:replace(string, string) -> string", "string:replace(string, string, int) -> string"
)
def _replace(value: str, old: str, new: str, most: int = -1) -> str:
    return value.replace(old, new, max(most, -1))


@function("string:split(string) -> list(string)", "string:split(string, int) -> list(string)")
def _split(value: str, separator: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    if separator:
        return value.split(separator, most - 1 if most > 0 else -1)
    signs = list(value)
    return signs if most < 0 or len(signs) <= most else [*signs[: most - 1], value[most - 1 :]]


@function("string:substring(int) -> string", "string:substring(int, int) -> string")
def _substring(value: str, start: int, end: int | None = None) -> str:
    if end is not None and start > end:
        raise Failure(f"invalid substring range. start: {start}, end: {end}")
    _within(value, start)
    _within(value, len(value) if end is None else end)
    return value[start:end]


def _within(value: str, at: int) -> None:
    if not 0 <= at <= len(value):
        raise Failure(f"index out of range: {at}")


_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


@function("string:trim() -> string")
def _trim(value: str) -> str:
    return value.strip(_SPACES)


@function("list(string):join() -> string", "list(string):join(string) -> string")
def _join(value: list[Any], separator: str = "") -> str:
    if not all(isinstance(item, str) for item in value):
        raise Failure("join: invalid input")
    return separator.join(value)


_QUOTED = {
    "\a": "a",
    "\b": "b",
    "\f": "f",
    "\n": "n",
    "\r": "r",
    "\t": "t",
    "\v": "v",
    "\\": "\\",
    '"': '"',
}


@function("strings.quote(string) -> string")
def quoted(value: str) -> str:
    """Return a quoted string."""
    return '"' + "".join(f"\\{_QUOTED[sign]}" if sign in _QUOTED else sign for sign in value) + '"'


@function("string:format(list(dyn)) -> string")
def _format(value: str, arguments: list[Any]) -> str:
    """Put values into a format string: `%s`, `%d`, `%.2f`."""
    pattern = compiled(r"%(?:%|(?:\.([0-9]+))?([a-zA-Z])?)")
    remaining = iter(arguments)
    pieces, at = [], 0
    for match in pattern.finditer(value):
        pieces.append(value[at : match.start()])
        at = match.end()
        if match.group() == "%%":
            pieces.append("%")
            continue
        try:
            pieces.append(_formatted(match[2] or "", of_digits(match[1] or "6"), next(remaining)))
        except StopIteration:
            raise Failure("index out of range") from None
    return "".join([*pieces, value[at:]])


def _formatted(verb: str, precision: int, value: Any) -> str:
    whole = type(value) is int or type(value) is Unsigned
    match verb:
        case "s":
            return _shown(value)
        case "d" if whole:
            return str(math.trunc(value))
        case "f" if type(value) is float:
            return f"{value:.{precision}f}"
        case "e" if type(value) is float:
            return f"{value:.{precision}e}"
        case "b" if whole or isinstance(value, bool):
            return f"{math.trunc(value):b}"
        case "o" if whole:
            return f"{value:o}"
        case "x" | "X" if whole:
            return format(value, verb)
        case "x" | "X" if isinstance(value, str | bytes):
            hex_digits = (value if isinstance(value, bytes) else value.encode()).hex()
            return hex_digits.upper() if verb == "X" else hex_digits
    raise Failure(f"error during formatting: %{verb} cannot show {name_of(value)}")


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case list():
            return "[" + ", ".join(map(_inside, value)) + "]"
        case dict() | CelObject():
            entries = value.plain() if isinstance(value, CelObject) else value
            pairs = sorted(
                f"{_inside(key)}:{_inside(entry_value)}" for key, entry_value in entries.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case Type():
            return value.name
    return text(value)


def _inside(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else _shown(value)
