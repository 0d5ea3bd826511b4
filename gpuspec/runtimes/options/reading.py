"""Parse a command line as its program does: options, their values, and errors."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.numbers import read_decimal, read_signed
from gpuspec.runtimes.options.releases import Releases, holds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.runtimes.options.model import CommandProgram, Option

_Name = Literal["unknown", "later", "gone"]
_Value = Literal["missing", "superfluous", "ignored", "joined", "form", "choice", "range", "json"]
Problem = _Name | _Value
"""An error of an option or of its value.

`unknown`: no covered release has the option. `later`: only newer releases have it. `gone`: only
older releases have it. `missing`: the option needs a value and has none. `superfluous`: the option
takes no value and has one. `ignored`: the word after the option turns it off, but is not read.
`joined`: the value is behind `=`, which the program takes as part of the name. `range`: the number
is outside of the bounds.
"""

# What the kubelet, a shell or a template puts in: nobody knows what will stand there.
OPEN = re.compile(r"[$`]|\{\{|<[A-Za-z_]+>")
# `80m` is a number to some.
SIZE = re.compile(r"([0-9])[kKmMgGtT]\b")
_SHORTEST = len("--a")
_OFF = ("false", "False", "FALSE", "f", "F", "0")
_BOOLEANS = frozenset({*_OFF, "true", "True", "TRUE", "t", "T", "1"})
"""The booleans that Go's `strconv.ParseBool` accepts."""
_OPTION = re.compile(r"--[A-Za-z][A-Za-z0-9_-]*")
_ONE_DASH = re.compile(r"-[A-Za-z][A-Za-z0-9_-]{2,}")


class ParsedOption(msgspec.Struct, frozen=True):
    """An option of a command line, with its error."""

    name: str
    """The name as written, without the value."""
    value: str | None
    at: int
    """Index of the option's word."""
    value_at: int
    """Index of the value's word; that of the option if it has no word of its own."""
    rows: tuple[Option, ...] = ()
    """Rows that the option can be in the releases in question; empty if no release has it."""
    problem: Problem | None = None


def read(program: CommandProgram, releases: Releases, words: Sequence[str]) -> list[ParsedOption]:
    """Return the options in the words after a program, in order. Words that cannot be classified
    are skipped."""
    parsed_options: list[ParsedOption] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            break
        if not word.startswith("-") or read_decimal(word) is not None:
            if program.parsing.stops:
                break
            at += 1
            continue
        option, value_count = _option(program, releases, words, at)
        if option is not None and _is_beside(program, releases, option, words):
            after = option.at + 1
            option = msgspec.structs.replace(
                option, value=words[after], value_at=after, problem="superfluous"
            )
        if option is not None:
            parsed_options.append(option)
        elif OPEN.search(word) and program.parsing.stops:
            break
        at += 1 + value_count
    return parsed_options


def _option(
    program: CommandProgram, releases: Releases, words: Sequence[str], at: int
) -> tuple[ParsedOption | None, int]:
    """Return the option at a word, if it can be judged, and the number of further words that it
    takes."""
    name_written, equals, value = words[at].partition("=")
    name = plain(program, name_written)
    _, dot, _ = name.partition(".")
    if dot and program.parsing.dotted and name not in program.by_name:
        return _member(program, name, releases, words, at)
    every = program.by_name.get(name, ())
    rows = _rows(program, name, releases)
    if every and not rows:
        problem: Problem = "later" if _is_later(program, every, releases) else "gone"
        if releases.newer and problem == "later":
            return None, 0
        return ParsedOption(name_written, None, at, at, problem=problem), 0
    if rows and (releases.moves or releases.guessed) and not _rows(program, name, _last(releases)):
        return ParsedOption(name_written, None, at, at, problem="gone"), 0
    if rows and _has_one_dash_too_few(program, name_written, releases):
        return ParsedOption(name_written, None, at, at, problem="gone"), 0
    if not rows:
        is_option = _OPTION.fullmatch(name_written) or _lacks_a_dash(
            program, name_written, releases
        )
        if releases.newer or not is_option:
            return None, 0
        return ParsedOption(name_written, None, at, at, problem="unknown"), 0
    if equals and not program.parsing.joined:
        return ParsedOption(name_written, value, at, at, rows, problem="joined"), 0
    if equals:
        return _judged(ParsedOption(name_written, value, at, at, rows), releases), 0
    return _with_words(ParsedOption(name_written, None, at, at, rows), releases, words)


def _member(
    program: CommandProgram, name: str, releases: Releases, words: Sequence[str], at: int
) -> tuple[ParsedOption | None, int]:
    """Return `--option.member value` if the table has the member; its value is not judged here."""
    name_written, equals, value = words[at].partition("=")
    count = 0 if equals or _is_option(words, at + 1) else 1
    rows = tuple(
        row for row in program.members_by_name.get(name, ()) if holds(program, row, releases)
    )
    if not rows or not (equals or count):
        return None, count
    value = words[at + 1] if count else value
    return ParsedOption(name_written, value, at, at + count, rows), count


def _last(releases: Releases) -> Releases:
    return Releases(releases.last, releases.last, known=True)


def _is_beside(
    program: CommandProgram, releases: Releases, parsed_option: ParsedOption, words: Sequence[str]
) -> bool:
    """Return whether the word after an option without a value can belong to no other option."""
    after = parsed_option.at + 1
    if (
        parsed_option.problem is not None
        or parsed_option.value is not None
        or releases.newer
        or {row.takes for row in parsed_option.rows} != {"nothing"}
        or _is_option(words, after)
        or OPEN.search(words[after])
    ):
        return False
    match program.parsing.words:
        case "none":
            return True
        case "one":
            return not _is_option(words, 0) and not OPEN.search(words[0])
        case None:
            return False


def _has_one_dash_too_few(program: CommandProgram, word: str, releases: Releases) -> bool:
    """Return whether only older releases accept this one-dash option, which the table has with two
    dashes."""
    last = program.parsing.single
    return (
        last is not None
        and plain(program, word) != word
        and releases.known
        and releases.first > program.releases.index(last)
    )


def _lacks_a_dash(program: CommandProgram, word: str, releases: Releases) -> bool:
    """Return whether a word is a long option with one dash, and not a short option with its value."""
    return (
        _ONE_DASH.fullmatch(word) is not None
        and word[:2] not in program.by_name
        and any(
            holds(program, row, releases)
            for row in program.by_name.get(plain(program, f"-{word}"), ())
        )
    )


def plain(program: CommandProgram, word: str) -> str:
    """Return the option's name as the table writes it."""
    name = word.partition("=")[0]
    if program.parsing.single and name not in program.by_name and not name.startswith("--"):
        return f"-{name}"
    if program.parsing.underscores and name.startswith("--"):
        head, dot, rest = name.partition(".")
        return head.replace("_", "-") + dot + rest
    return name


def _rows(program: CommandProgram, name: str, releases: Releases) -> tuple[Option, ...]:
    """Return the rows of an option in these releases, by its name or its abbreviation."""
    exact = tuple(row for row in program.by_name.get(name, ()) if holds(program, row, releases))
    if exact or not name.startswith("--") or len(name) < _SHORTEST:
        return exact
    if not program.parsing.prefixes and not _may_be_cut_short(program, releases):
        return ()
    begun = tuple(row for row in program.begun(name) if holds(program, row, releases))
    # Where several options of one release begin so, it ends as at one that it does not have.
    several = releases.first == releases.last and len({row.names for row in begun}) > 1
    return () if several else begun


def _may_be_cut_short(program: CommandProgram, releases: Releases) -> bool:
    """Return whether the release is unknown, and may be an old one that accepts abbreviations."""
    return program.parsing.prefixes_until is not None and not releases.known and not releases.name


def _is_later(program: CommandProgram, rows: tuple[Option, ...], releases: Releases) -> bool:
    places = (program.releases.index(row.since) for row in rows if row.since is not None)
    return min(places, default=0) > releases.last


def _with_words(
    parsed_option: ParsedOption, releases: Releases, words: Sequence[str]
) -> tuple[ParsedOption | None, int]:
    """Return an option with the next word as its value, if it takes one."""
    takes = {row.takes for row in parsed_option.rows}
    if len(takes) > 1:
        # Releases differ: how many words it takes is not known, and nothing is said of them.
        return msgspec.structs.replace(parsed_option, rows=()), 0
    (kind,) = takes
    after = parsed_option.at + 1
    has_value = after < len(words) and not _is_option(words, after)
    if kind == "nothing":
        return parsed_option, 0
    if kind == "joined":
        if not has_value or words[after] not in _OFF or releases.newer:
            return parsed_option, 0
        return msgspec.structs.replace(parsed_option, value=words[after], problem="ignored"), 1
    if not has_value:
        wrong = kind != "optional" and not releases.newer and not _is_open_at(words, after)
        return msgspec.structs.replace(parsed_option, problem="missing" if wrong else None), 0
    if kind == "several":
        count = 1
        while after + count < len(words) and not _is_option(words, after + count):
            count += 1
        several = (
            _judged(
                msgspec.structs.replace(parsed_option, value=words[index], value_at=index), releases
            )
            for index in range(after, after + count)
        )
        first = msgspec.structs.replace(parsed_option, value=words[after], value_at=after)
        return next((option for option in several if option.problem), first), count
    return _judged(
        msgspec.structs.replace(parsed_option, value=words[after], value_at=after), releases
    ), 1


def _is_option(words: Sequence[str], at: int) -> bool:
    """Return whether the program reads a word as an option; a signed number is a value."""
    if at >= len(words):
        return True
    word = words[at]
    return word.startswith("-") and len(word) > 1 and read_decimal(word) is None and " " not in word


def _is_open_at(words: Sequence[str], at: int) -> bool:
    return at < len(words) and OPEN.search(words[at]) is not None


def _judged(parsed_option: ParsedOption, releases: Releases) -> ParsedOption:
    """Return the option with the error of its value, if every release in question has the error."""
    value = parsed_option.value or ""
    if OPEN.search(value):
        return parsed_option
    problems = {_problem(row, value) for row in parsed_option.rows}
    if None in problems or len(problems) != 1 or releases.newer:
        return parsed_option
    return msgspec.structs.replace(parsed_option, problem=problems.pop())


def _problem(row: Option, value: str) -> Problem | None:
    if row.takes == "nothing":
        return "superfluous"
    if row.takes == "joined":
        return None if value in _BOOLEANS else "choice"
    if row.choices:
        return None if value in row.choices else "choice"
    text = value.strip().replace("_", "")
    if text in ("", "None"):
        # Options that may be left open take these.
        return None
    if row.form == "whole":
        return _of_number(row, read_signed(text))
    if row.form == "decimal":
        special = text.lower().lstrip("+-") in ("inf", "infinity", "nan")
        return None if special else _of_number(row, read_decimal(text))
    if row.form == "json":
        return None if _is_json(value) else "json"
    # `auto` and `8k` are no plain numbers.
    number = read_decimal(text)
    return None if number is None else _of_number(row, number)


def _of_number(row: Option, number: float | None) -> Problem | None:
    if number is None:
        return "form"
    return None if row.has_in_range(number) else "range"


def _is_json(value: str) -> bool:
    try:
        json.loads(SIZE.sub(r"\1", value))
    except (ValueError, RecursionError):
        return False
    return True
