"""Operators."""

from __future__ import annotations

import math
from typing import Any

from gpuspec.cel import times
from gpuspec.cel.registry import COMPARABLE, NUMBERS, each, function
from gpuspec.cel.values import (
    MISSING,
    UINT,
    CelDuration,
    CelObject,
    Failure,
    Optional,
    Timestamp,
    Unsigned,
    equal,
    name_of,
    whole,
)

# Those that do not ask for all of their arguments are the runner's own: their bodies are not called.


@function("&&(bool, bool) -> bool", "||(bool, bool) -> bool", "?(bool, A, A) -> A")
def _of_the_runner(*_: Any) -> Any:
    raise AssertionError


@function("==(A, A) -> bool")
def _equal(one: Any, other: Any) -> bool:
    return equal(one, other)


@function("!=(A, A) -> bool")
def _different(one: Any, other: Any) -> bool:
    return not equal(one, other)


@function("!(bool) -> bool")
def _not(value: bool) -> bool:
    return not value


_ORDERS = [(number, other) for number in NUMBERS for other in NUMBERS if number != other]
_ORDERS += [(name, name) for name in COMPARABLE]


def order(one: Any, other: Any) -> int:
    """Return -1, 0 or 1, as the one comes before the other, with it or after it."""
    return -1 if one < other else (1 if one > other else 0)


@function(*(f"<({one}, {other}) -> bool" for one, other in _ORDERS))
def _less(one: Any, other: Any) -> bool:
    return bool(one < other)


@function(*(f"<=({one}, {other}) -> bool" for one, other in _ORDERS))
def _less_or_equal(one: Any, other: Any) -> bool:
    return bool(one <= other)


@function(*(f">({one}, {other}) -> bool" for one, other in _ORDERS))
def _greater(one: Any, other: Any) -> bool:
    return bool(one > other)


@function(*(f">=({one}, {other}) -> bool" for one, other in _ORDERS))
def _greater_or_equal(one: Any, other: Any) -> bool:
    return bool(one >= other)


@function(
    *each("+($, $) -> $", ("int", "uint", "double", "string", "bytes", "list(A)", "duration"))
)
@function("+(timestamp, duration) -> timestamp", "+(duration, timestamp) -> timestamp")
def add(one: Any, other: Any) -> Any:
    """Return the sum of two values."""
    if isinstance(one, list):
        return [*one, *other]
    made = one + other
    if type(one) is Timestamp or type(other) is Timestamp:
        return times.moment(made)
    return like(one, made)


@function(*each("-($, $) -> $", (*NUMBERS, "duration")))
@function("-(timestamp, timestamp) -> duration", "-(timestamp, duration) -> timestamp")
def _subtract(one: Any, other: Any) -> Any:
    made = one - other
    if type(one) is Timestamp:
        return times.moment(made) if type(other) is CelDuration else CelDuration(whole(made))
    return like(one, made)


@function(*each("*($, $) -> $", NUMBERS))
def _multiply(one: Any, other: Any) -> Any:
    return like(one, one * other)


@function(*each("/($, $) -> $", NUMBERS))
def _divide(one: Any, other: Any) -> Any:
    if type(one) is float:
        if other:
            return one / other
        return (
            math.nan
            if not one or one != one
            else math.inf * one * (1 if str(other) == "0.0" else -1)
        )
    if not other:
        raise Failure("division by zero")
    made = abs(one) // abs(other)
    return like(one, made if (one < 0) == (other < 0) else -made)


@function("%(int, int) -> int", "%(uint, uint) -> uint")
def _rest(one: Any, other: Any) -> Any:
    if not other:
        raise Failure("modulus by zero")
    made = abs(one) % abs(other)
    return like(one, -made if one < 0 else made)


@function("negate(int) -> int", "negate(double) -> double")
def _negate(value: Any) -> Any:
    return like(value, -value)


def like(one: Any, made: Any) -> Any:
    """Return a result in the type of what it was made of."""
    kind = type(one)
    if kind is Unsigned:
        if made not in UINT:
            raise Failure("unsigned integer overflow")
        return Unsigned(made)
    if kind is CelDuration:
        return CelDuration(whole(made))
    return whole(made) if kind is int else made


@function("in(A, list(A)) -> bool", "in(A, map(A, B)) -> bool")
def contains(one: Any, other: Any) -> bool:
    """Return whether a list has an item, or a map a key."""
    if isinstance(other, list):
        return any(equal(one, item) for item in other)
    if isinstance(other, CelObject):
        return isinstance(one, str) and other.has(one)
    return find(other, one) is not MISSING


@function("[](list(A), int) -> A", "[](map(A, B), A) -> B")
@function("[](optional_type(list(A)), int) -> optional_type(A)")
@function("[](optional_type(map(A, B)), A) -> optional_type(B)")
def _at(one: Any, key: Any) -> Any:
    if isinstance(one, Optional):
        return _maybe_at(one, key)
    element = find(one, key)
    if element is not MISSING:
        return element
    if isinstance(one, list):
        raise Failure(f"index out of bounds: {key}")
    raise Failure(f"no such key: {key}")


@function("[?](list(A), int) -> optional_type(A)", "[?](map(A, B), A) -> optional_type(B)")
@function("[?](optional_type(list(A)), int) -> optional_type(A)")
@function("[?](optional_type(map(A, B)), A) -> optional_type(B)")
def _maybe_at(one: Any, key: Any) -> Optional:
    if isinstance(one, Optional):
        return _maybe_at(one.values[0], key) if one.values else one
    element = find(one, key)
    return Optional() if element is MISSING else Optional((element,))


def find(one: Any, key: Any) -> Any:
    """Return what a list or a map has under a key; `MISSING` for nothing. Raises `Failure`."""
    if isinstance(one, list):
        if type(key) not in (int, Unsigned, float) or key != math.trunc(key):
            raise Failure(f"unsupported index type '{name_of(key)}' in list")
        return one[math.trunc(key)] if 0 <= key < len(one) else MISSING
    if isinstance(one, CelObject):
        return one.get(key) if isinstance(key, str) else MISSING
    if not isinstance(one, dict):
        raise Failure("no such overload")
    try:
        element = one.get(key, MISSING)
    except TypeError:
        raise Failure("no such overload") from None
    # Python takes true for 1.
    if element is not MISSING and isinstance(key, int):
        return element if any(equal(key, there) for there in one) else MISSING
    return element
