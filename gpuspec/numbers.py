"""Numbers that others wrote: ASCII digits, and no more of them than Kubernetes can hold.

Python's own readers take more, and fail where one does not expect it: `int` knows the digits of all
scripts and `1_000`, `isdigit` says yes to `²`, which `int` refuses as it does five thousand digits,
and `float` takes `nan`. So nothing else reads a number: `tests/test_numbers.py` holds that. What is
a number already goes through `math.floor` or `inexact`, which take no text.
"""

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

INT32 = 2**31 - 1
"""The most that replicas, ports and other counts of Kubernetes hold."""
INT64 = 2**63 - 1
"""The most that its quantities and everything else hold."""
_DIGITS64 = 19
_MOST_DIGITS = 1000  # Python itself stops at 4300, and far below it takes no time
_VERSION = re.compile(r"v?([0-9]{1,9}(?:\.[0-9]{1,9})*)(?![0-9])")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def is_digits(text: str) -> bool:
    """Return whether a text is ASCII digits and nothing else, however many."""
    return text.isascii() and text.isdigit()


def read_whole(text: object, most: int = INT64) -> int | None:
    """Return the whole number that a text of digits says; None for anything else, and for more than
    `most`."""
    if not isinstance(text, str) or not is_digits(text):
        return None
    if len(text) > _DIGITS64 and len(text := text.lstrip("0") or "0") > _DIGITS64:
        return None
    number = int(text)
    return number if number <= most else None


def parse_whole(text: str, least: int = 0, most: int = INT64) -> int:
    """Read a whole number, as `read_whole` does.

    Raises:
        ValueError: no whole number, less than `least`, or more than `most`; the message says which.
    """
    number = read_whole(text, most)
    if number is not None and number >= least:
        return number
    shown = text if len(text) <= 40 else f"{text[:20]}… ({len(text)} characters)"
    if number is None and is_digits(text):
        raise ValueError(f"`{shown}` is more than Kubernetes can hold: at most {most}")
    above = f" above {least - 1}" if least else ""
    raise ValueError(f"`{shown}` is not a whole number{above}")


def read_signed(text: str) -> int | None:
    """Return a whole number of 64 bits with or without a sign, as Go reads it; None for anything
    else."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if len(digits) < _DIGITS64 and is_digits(digits):
        return int(text)
    number = read_whole(digits, INT64 + 1)
    if text[:1] == "-":
        return None if number is None else -number
    return None if number == INT64 + 1 else number


def read_percent(value: object) -> int | None:
    """Return the number of a percentage, as counts of pods are written: 25 of `25%`; None for
    others."""
    return read_whole(value[:-1]) if isinstance(value, str) and value.endswith("%") else None


def read_decimal(value: object) -> float | None:
    """Return a number as YAML or a text has it, with a point or an exponent too; None unless it is
    finite."""
    if isinstance(value, str):
        # As float reads no more than so much of it, the rest only costs time.
        value = float(value) if _DECIMAL.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return inexact(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def read_fraction(text: str) -> "Fraction | None":
    """Return a number of up to sixteen digits exactly, as `read_decimal` reads it."""
    number = read_decimal(text)
    if number is None:
        return None
    from fractions import Fraction

    # Of the float's own digits: a text's exponent may ask for gigabytes of them.
    return Fraction(repr(number))


def read_version(text: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with: 1 and 36 of `v1.36-eks`; empty for
    `latest`."""
    match = _VERSION.match(text)
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def of_digits(text: str, base: int = 10) -> int:
    """Return the number of digits that a grammar has matched already, with or without a sign.

    Raises:
        ValueError: anything else, and more digits than any number needs.
    """
    if len(text) > _MOST_DIGITS or not text.isascii() or "_" in text:
        raise ValueError(f"{text[:40]!r} is not a number")
    return int(text, base)


def inexact(number: "int | float | Fraction") -> float:
    """Return a number as the float next to it. Not for texts: `read_decimal` reads them."""
    return float(number)
