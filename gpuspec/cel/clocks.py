"""The parts of timestamps and durations: `timestamp(text).getHours("Europe/Berlin")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.cel import times
from gpuspec.cel.registry import function
from gpuspec.cel.values import CelDuration, Timestamp

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

_PARTS: dict[str, Callable[[datetime], int]] = {
    "getFullYear": lambda at: at.year,
    "getMonth": lambda at: at.month - 1,
    "getDayOfYear": lambda at: at.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda at: at.day - 1,
    "getDate": lambda at: at.day,
    "getDayOfWeek": lambda at: at.isoweekday() % 7,
    "getHours": lambda at: at.hour,
    "getMinutes": lambda at: at.minute,
    "getSeconds": lambda at: at.second,
    "getMilliseconds": lambda at: at.microsecond // 1000,
}
_UNITS = {"getHours": 3600, "getMinutes": 60, "getSeconds": 1}


def _part(name: str) -> Callable[..., int]:
    def body(value: Timestamp, zone: str = "UTC") -> int:
        return _PARTS[name](times.local(value, zone))

    return body


for _name in _PARTS:
    function(f"timestamp:{_name}() -> int", f"timestamp:{_name}(string) -> int")(_part(_name))


def _spent(name: str) -> Callable[..., int]:
    def body(value: CelDuration) -> int:
        count = abs(value) // (_UNITS[name] * times.SECOND)
        return -count if value < 0 else count

    return body


for _name in _UNITS:
    function(f"duration:{_name}() -> int")(_spent(_name))


@function("duration:getMilliseconds() -> int")
def _milliseconds(value: CelDuration) -> int:
    count = abs(value) // 10**6
    return -count if value < 0 else count
