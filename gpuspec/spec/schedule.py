"""Cron schedules as the CronJob controller reads them.

It uses the standard parser of robfig/cron v3: five fields, lists, ranges, steps, names of months
and weekdays, `?` as `*`, and descriptors such as `@daily` and `@every 1h`.
"""

import re

_FIELDS = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of month", 1, 31, ()),
    (
        "month",
        1,
        12,
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ),
    ("day of week", 0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat")),
)
_DESCRIPTORS = {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
_EVERY = re.compile(r"^@every (\d+(\.\d+)?(h|m|s|ms))+$")


def cron_problem(schedule: str) -> str | None:
    """Why a schedule does not parse, or None when it does."""
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        return "the time zone has a field of its own, `timeZone`"
    if schedule.startswith("@"):
        if schedule in _DESCRIPTORS or _EVERY.match(schedule):
            return None
        return f"known descriptors are {', '.join(sorted(_DESCRIPTORS))} and @every 1h"
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        return f"expected 5 fields (minute hour day month weekday), found {len(fields)}"
    for text, (name, low, high, words) in zip(fields, _FIELDS, strict=True):
        for part in text.split(","):
            if reason := _part_problem(part, low, high, words):
                return f"{name} `{part}`: {reason}"
    return None


def _part_problem(part: str, low: int, high: int, words: tuple[str, ...]) -> str | None:
    span, slash, step = part.partition("/")
    if slash and (not step.isdigit() or int(step) == 0):
        return "a step is a whole number above 0"
    if span in ("*", "?"):
        return None
    first, dash, last = span.partition("-")
    bounds = [_number(first, low, words)] + ([_number(last, low, words)] if dash else [])
    if any(bound is None for bound in bounds):
        return f"not a number between {low} and {high}" + (" or a name" if words else "")
    numbers = [bound for bound in bounds if bound is not None]
    if any(not low <= number <= high for number in numbers):
        return f"not between {low} and {high}"
    if len(numbers) == 2 and numbers[0] > numbers[1]:
        return "the range ends before it begins"
    return None


def _number(text: str, low: int, words: tuple[str, ...]) -> int | None:
    if text.isdigit():
        return int(text)
    lowered = text.lower()
    return words.index(lowered) + low if lowered in words else None
