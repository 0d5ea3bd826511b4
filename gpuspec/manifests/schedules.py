"""Cron schedules, as parsed by the CronJob controller.

It uses the standard parser of robfig/cron v3: five fields, lists, ranges, steps, names of months
and weekdays, `?` as `*`, and descriptors such as `@daily` and `@every 1h`.
"""

import re
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path as File
from typing import NamedTuple

from gpuspec.numbers import read_whole

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAYS_OF_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class _Field(NamedTuple):
    """One of the five fields: its name, its bounds, and names for its numbers."""

    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of week", 0, 6, _WEEKDAYS),
)
_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_KNOWN = f"known descriptors are {', '.join(_DESCRIPTORS)} and @every 1h"
_LONGEST = 500
_DAY = 86400
_GAPS = {"@hourly": 3600, "@daily": _DAY, "@midnight": _DAY, "@weekly": 7 * _DAY}
_EVERY = re.compile(
    r"@every [-+]?([0-9]*\.?[0-9]+(h|m|s|ms|us|µs|μs|ns)|[0-9]+\.(h|m|s|ms|us|µs|μs|ns))+"
)


def cron_problem(schedule: str) -> str | None:
    """Return why a schedule is invalid or never runs, or None."""
    if len(schedule) > _LONGEST:
        return f"longer than {_LONGEST} characters"
    return cron_unread(schedule) or _never(schedule)


@lru_cache(1024)
def cron_unread(schedule: str) -> str | None:
    """Return why a schedule is invalid; None if it is valid, even if it never runs."""
    if "TZ" in schedule:
        return "write the time zone in the field `timeZone`"
    if schedule.startswith("@"):
        return None if schedule in _DESCRIPTORS or _EVERY.fullmatch(schedule) else _KNOWN
    texts = schedule.split()
    if len(texts) != len(_FIELDS):
        return f"expected 5 fields (minute hour day month weekday), found {len(texts)}"
    for text, field in zip(texts, _FIELDS, strict=True):
        try:
            _numbers(text, field)
        except _FieldError as error:
            return f"{field.name} `{text}`: {error}"
    return None


@lru_cache(1024)
def least_gap(schedule: str) -> int | None:
    """Return the shortest interval between two runs in seconds; None if unknown."""
    if schedule in _GAPS:
        return _GAPS[schedule]
    if schedule.startswith("@") or len(schedule) > _LONGEST or cron_unread(schedule):
        return None
    texts = schedule.split()
    minutes, hours, _, _, weekdays = (
        sorted(_numbers(text, field)) for text, field in zip(texts, _FIELDS, strict=True)
    )
    times = [hour * 3600 + minute * 60 for hour in hours for minute in minutes]
    if not times:
        return None
    gaps = [later - earlier for earlier, later in pairwise(times)]
    if all(text in ("*", "?") for text in texts[2:4]) and weekdays:
        nights = (later - earlier for earlier, later in pairwise([*weekdays, weekdays[0] + 7]))
        gaps.append(min(nights) * _DAY - times[-1] + times[0])
    return min(gaps, default=None)


@cache
def time_zones() -> frozenset[str]:
    """Return all names of the bundled time zone database; that of the system would differ by
    machine."""
    import tzdata  # type: ignore[import-untyped]

    listed = File(str(tzdata.__file__)).parent / "zones"
    return frozenset(listed.read_text(encoding="utf-8").split())


class _FieldError(Exception):
    """An invalid field."""


def _numbers(text: str, field: _Field) -> set[int]:
    """Return the numbers that a field matches."""
    numbers: set[int] = set()
    # The parser passes over empty parts, so that `1,,2` is `1,2`.
    for part in filter(None, text.split(",")):
        numbers |= set(_part(part, field))
    return numbers


def _part(part: str, field: _Field) -> range:
    span, *steps = part.split("/")
    first, *last = span.split("-")
    if len(steps) > 1:
        raise _FieldError("more than one step")
    step = _integer(steps[0]) if steps else 1
    if not step:
        raise _FieldError("a step is a whole number above 0")
    if first in ("*", "?"):
        low, high = field.low, field.high
    else:
        if len(last) > 1:
            raise _FieldError("more than one hyphen")
        low = _bound(first, field)
        high = _bound(last[0], field) if last else (field.high if steps else low)
    if low < field.low or high > field.high:
        raise _FieldError(_between(field))
    if low > high:
        raise _FieldError("the range ends before it begins")
    return range(low, high + 1, step)


def _bound(text: str, field: _Field) -> int:
    lowered = text.lower()
    if lowered in field.words:
        return field.words.index(lowered) + field.low
    number = _integer(text)
    if number is None:
        raise _FieldError(_between(field))
    return number


def _between(field: _Field) -> str:
    words = f" or a name ({field.words[0]}, {field.words[1]} …)" if field.words else ""
    sunday = "; Sunday is 0" if field.words is _WEEKDAYS else ""
    return f"write a number from {field.low} to {field.high}{words}{sunday}"


def _integer(text: str) -> int | None:
    """Parse a number like Go's Atoi."""
    return read_whole(text.removeprefix("+"))


def _never(schedule: str) -> str | None:
    """Return why a schedule never runs: it is empty, or names a day that none of its months has,
    such as 30 February."""
    if schedule.startswith("@"):
        runs = schedule in _DESCRIPTORS or ("-" not in schedule and re.search("[1-9]", schedule))
        return None if runs else _KNOWN
    texts = schedule.split()
    numbers = [_numbers(text, field) for text, field in zip(texts, _FIELDS, strict=True)]
    for text, field, number in zip(texts, _FIELDS, numbers, strict=True):
        if not number:
            return f"{field.name} `{text}`: no number, so the schedule never runs"
    _, _, days, months, _ = numbers
    if texts[4] not in ("*", "?") or any(
        day <= _DAYS_OF_MONTH[month - 1] for day in days for month in months
    ):
        return None
    return "it never runs: none of the months has that day"
