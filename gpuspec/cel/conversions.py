"""Conversions between types."""

from __future__ import annotations

import math
from math import isfinite
from typing import Any

from gpuspec.cel import times
from gpuspec.cel.operators import like
from gpuspec.cel.regexes import compiled
from gpuspec.cel.registry import COMPARABLE, each, function
from gpuspec.cel.values import (
    CelDuration,
    Failure,
    Timestamp,
    Type,
    Unsigned,
    name_of,
    whole,
)
from gpuspec.numbers import inexact, of_digits


@function("dyn(A) -> dyn")
def _dyn(value: Any) -> Any:
    return value


@function("type(A) -> type")
def _type(value: Any) -> Type:
    return Type(name_of(value))


@function(*each("int($) -> int", ("int", "uint", "double", "string", "duration", "timestamp")))
def _int(value: Any) -> int:
    match value:
        case str():
            return whole(_digits(value, signed=True))
        case Timestamp():
            return value // times.SECOND
        case float() if not -(2.0**63) < value < 2.0**63:
            raise Failure("integer overflow")
    return whole(math.trunc(value))


@function(*each("uint($) -> uint", ("int", "uint", "double", "string")))
def _uint(value: Any) -> Unsigned:
    if isinstance(value, float) and not 0 <= value < 2.0**64:
        raise Failure("unsigned integer overflow")
    number = _digits(value, signed=False) if isinstance(value, str) else math.trunc(value)
    return Unsigned(like(Unsigned(0), number))


def _digits(text: str, *, signed: bool) -> int:
    pattern = r"[+-]?[0-9]{1,20}" if signed else r"[0-9]{1,20}"
    if not compiled(f"^{pattern}$").search(text):
        raise Failure(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return of_digits(text)


@function(*each("double($) -> double", ("int", "uint", "double", "string")))
def _double(value: Any) -> float:
    try:
        if isinstance(value, str) and ("_" in value or value != value.strip()):
            raise ValueError
        return inexact(value)
    except ValueError:
        raise Failure(f'strconv.ParseFloat: parsing "{value}": invalid syntax') from None


@function(*each("bool($) -> bool", ("bool", "string")))
def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if value in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise Failure(f'strconv.ParseBool: parsing "{value}": invalid syntax')


@function(*each("bytes($) -> bytes", ("bytes", "string")))
def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@function(*each("string($) -> string", COMPARABLE))
def text(value: Any) -> str:
    """Return a value as a string."""
    match value:
        case bool():
            return "true" if value else "false"
        case CelDuration():
            return times.written(value)
        case Timestamp():
            return times.stamp(value)
        case float():
            return _number(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise Failure("invalid UTF-8 in bytes, cannot convert to string") from None
    return str(value)


def _number(value: float) -> str:
    if not isfinite(value):
        return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}[str(value)]
    from decimal import Decimal

    exact = Decimal(repr(value))
    power = exact.adjusted()
    if not value or -4 <= power < 6:
        return format(exact, "f").removesuffix(".0")
    digits = format(exact.scaleb(-power).normalize(), "f")
    return f"{digits}e{'-' if power < 0 else '+'}{abs(power):02}"


@function("duration(duration) -> duration", "duration(string) -> duration")
def _duration(value: Any) -> CelDuration:
    return value if isinstance(value, CelDuration) else times.duration(value)


@function(*each("timestamp($) -> timestamp", ("timestamp", "string", "int")))
def _timestamp(value: Any) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    return times.timestamp(value) if isinstance(value, str) else times.moment(value * times.SECOND)
