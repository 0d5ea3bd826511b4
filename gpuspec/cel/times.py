"""Timestamps and durations, as Go reads and writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from gpuspec.cel.values import INT, CelDuration, Failure, Timestamp
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from datetime import tzinfo

SECOND = 10**9
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": 60 * SECOND,
}
_UNITS["h"] = 3600 * SECOND
_PART = re.compile(r"([0-9]{1,25})?(?:\.([0-9]{0,99}))?(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_STAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))",
    re.ASCII,
)
_OFFSET = re.compile(r"([+-]?)([0-9]{2}):([0-9]{2})", re.ASCII)
_DAY = 86400
_EPOCH = datetime(1970, 1, 1)
_FIRST = -62135596800
_LAST = 253402300799


def duration(text: str) -> CelDuration:
    """Read `1h30m`, `-1.5s`. Raises `Failure`."""
    body = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    total, at = 0, 0
    if body == "0":
        return CelDuration(0)
    while at < len(body):
        part = _PART.match(body, at)
        if part is None or (part[1] is None and not part[2]):
            raise Failure(f'time: invalid duration "{text}"')
        unit = _UNITS[part[3]]
        total += of_digits(part[1] or "0") * unit
        if part[2]:
            total += of_digits(part[2]) * unit // 10 ** len(part[2])
        at = part.end()
    if not body or total not in INT:
        raise Failure(f'time: invalid duration "{text}"')
    return CelDuration(-total if text.startswith("-") else total)


def timestamp(text: str) -> Timestamp:
    """Read an RFC 3339 timestamp. Raises `Failure`."""
    match = _STAMP.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        year, month, day, hour, minute, second = (of_digits(part) for part in match.groups()[:6])
        moved = datetime(year, month, day, hour, minute, second) - _EPOCH
        seconds = moved.days * _DAY + moved.seconds
        if match[8]:
            if of_digits(match[9]) > 23 or of_digits(match[10]) > 59:
                raise ValueError
            offset = of_digits(match[9]) * 3600 + of_digits(match[10]) * 60
            seconds -= offset if match[8] == "+" else -offset
    except ValueError:
        raise Failure(f'parsing time "{text}"') from None
    nanos = of_digits((match[7] or "0")[:9].ljust(9, "0"))
    return moment(seconds * SECOND + nanos)


def moment(nanos: int) -> Timestamp:
    """Return the timestamp at a number of nanoseconds since 1970. Raises `Failure` outside years 1
    to 9999."""
    if not _FIRST <= nanos // SECOND <= _LAST:
        raise Failure("timestamp overflow")
    return Timestamp(nanos)


def stamp(value: Timestamp) -> str:
    """Return a timestamp in RFC 3339."""
    seconds, nanos = divmod(value, SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).isoformat()
    return text + (f".{nanos:09}".rstrip("0") if nanos else "") + "Z"


def written(value: CelDuration) -> str:
    """Return a duration in seconds: `90s`, `1.5s`."""
    seconds, nanos = divmod(abs(value), SECOND)
    return (
        ("-" if value < 0 else "")
        + str(seconds)
        + (f".{nanos:09}".rstrip("0") if nanos else "")
        + "s"
    )


def local(value: Timestamp, zone: str = "UTC") -> datetime:
    """Return a timestamp in a time zone. Raises `Failure` for an unknown zone."""
    return (_EPOCH.replace(tzinfo=UTC) + timedelta(microseconds=value // 1000)).astimezone(
        _zone(zone)
    )


def _zone(name: str) -> tzinfo:
    if match := _OFFSET.fullmatch(name):
        minutes = of_digits(match[2]) * 60 + of_digits(match[3])
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Failure(f"unknown time zone {name}") from None
