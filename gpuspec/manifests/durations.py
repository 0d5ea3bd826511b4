"""Durations in the usual notation: ``90s``, ``30m``, ``12h``, ``1h30m``, ``2d``."""

import re

from gpuspec.numbers import of_digits

_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_DURATION = re.compile(r"(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?")


def parse_duration(text: str | int | float) -> int:
    """Return the seconds of a duration: whole days, hours, minutes and seconds, in that order.

    Raises:
        ValueError: no duration, or a number without a unit.
    """
    if isinstance(text, int | float) or re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        raise ValueError(f"{text} has no unit: write {text}s, {text}m or {text}h")
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        raise ValueError(
            f"{text!r} is not a duration: write whole numbers with d, h, m or s, such as 90s, 30m,"
            " 12h or 1h30m"
        )
    counts = zip(match.groups(default="0"), _SECONDS.values(), strict=True)
    return sum(of_digits(count) * seconds for count, seconds in counts)


def format_duration(seconds: int) -> str:
    """Write a duration in hours, minutes and seconds (``1h30m``), which Go's programs read too.

    Raises:
        ValueError: a negative number.
    """
    if seconds < 0:
        raise ValueError(f"a duration cannot be negative: {seconds}s")
    hours, rest = divmod(seconds, 3600)
    parts = ((hours, "h"), (rest // 60, "m"), (rest % 60, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0s"
