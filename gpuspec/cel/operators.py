"""The operators."""

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
def _equal(left: Any, right: Any) -> bool:
    return equal(left, right)


@function("!=(A, A) -> bool")
def _different(left: Any, right: Any) -> bool:
    return not equal(left, right)


@function("!(bool) -> bool")
def _not(value: bool) -> bool:
    return not value


_ORDERS = [
    (number, other_number)
    for number in NUMBERS
    for other_number in NUMBERS
    if number != other_number
]
_ORDERS += [(name, name) for name in COMPARABLE]


def order(left: Any, right: Any) -> int:
    """Return -1, 0 or 1: the left value is less than, equal to or greater than the right one."""
    return -1 if left < right else (1 if left > right else 0)


@function(*(f"<({left}, {right}) -> bool" for left, right in _ORDERS))
def _less(left: Any, right: Any) -> bool:
    return bool(left < right)


@function(*(f"<=({left}, {right}) -> bool" for left, right in _ORDERS))
def _less_or_equal(left: Any, right: Any) -> bool:
    return bool(left <= right)


@function(*(f">({left}, {right}) -> bool" for left, right in _ORDERS))
def _greater(left: Any, right: Any) -> bool:
    return bool(left > right)


@function(*(f">=({left}, {right}) -> bool" for left, right in _ORDERS))
def _greater_or_equal(left: Any, right: Any) -> bool:
    return bool(left >= right)


@function(
    *each("+($, $) -> $", ("int", "uint", "double", "string", "bytes", "list(A)", "duration"))
)
@function("+(timestamp, duration) -> timestamp", "+(duration, timestamp) -> timestamp")
def add(left: Any, right: Any) -> Any:
    """Return the sum of two values."""
    if isinstance(left, list):
        return [*left, *right]
    total = left + right
    if type(left) is Timestamp or type(right) is Timestamp:
        return times.moment(total)
    return like(left, total)


@function(*each("-($, $) -> $", (*NUMBERS, "duration")))
@function("-(timestamp, timestamp) -> duration", "-(timestamp, duration) -> timestamp")
def _subtract(left: Any, right: Any) -> Any:
    difference = left - right
    if type(left) is Timestamp:
        return (
            times.moment(difference)
            if type(right) is CelDuration
            else CelDuration(whole(difference))
        )
    return like(left, difference)


@function(*each("*($, $) -> $", NUMBERS))
def _multiply(left: Any, right: Any) -> Any:
    return like(left, left * right)


@function(*each("/($, $) -> $", NUMBERS))
def _divide(dividend: Any, divisor: Any) -> Any:
    if type(dividend) is float:
        if divisor:
            return dividend / divisor
        return (
            math.nan
            if not dividend or dividend != dividend
            else math.inf * dividend * (1 if str(divisor) == "0.0" else -1)
        )
    if not divisor:
        raise Failure("division by zero")
    quotient = abs(dividend) // abs(divisor)
    return like(dividend, quotient if (dividend < 0) == (divisor < 0) else -quotient)


@function("%(int, int) -> int", "%(uint, uint) -> uint")
def _rest(dividend: Any, divisor: Any) -> Any:
    if not divisor:
        raise Failure("modulus by zero")
    remainder = abs(dividend) % abs(divisor)
    return like(dividend, -remainder if dividend < 0 else remainder)


@function("negate(int) -> int", "negate(double) -> double")
def _negate(value: Any) -> Any:
    return like(value, -value)


def like(operand: Any, result: Any) -> Any:
    """Return a result in the type of its operand."""
    kind = type(operand)
    if kind is Unsigned:
        if result not in UINT:
            raise Failure("unsigned integer overflow")
        return Unsigned(result)
    if kind is CelDuration:
        return CelDuration(whole(result))
    return whole(result) if kind is int else result


@function("in(A, list(A)) -> bool", "in(A, map(A, B)) -> bool")
def contains(element: Any, container: Any) -> bool:
    """Return whether a list contains an item, or a map a key."""
    if isinstance(container, list):
        return any(equal(element, item) for item in container)
    if isinstance(container, CelObject):
        return isinstance(element, str) and container.has(element)
    return find(container, element) is not MISSING


@function("[](list(A), int) -> A", "[](map(A, B), A) -> B")
@function("[](optional_type(list(A)), int) -> optional_type(A)")
@function("[](optional_type(map(A, B)), A) -> optional_type(B)")
def _at(container: Any, key: Any) -> Any:
    if isinstance(container, Optional):
        return _maybe_at(container, key)
    element = find(container, key)
    if element is not MISSING:
        return element
    if isinstance(container, list):
        raise Failure(f"index out of bounds: {key}")
    raise Failure(f"no such key: {key}")


@function("[?](list(A), int) -> optional_type(A)", "[?](map(A, B), A) -> optional_type(B)")
@function("[?](optional_type(list(A)), int) -> optional_type(A)")
@function("[?](optional_type(map(A, B)), A) -> optional_type(B)")
def _maybe_at(container: Any, key: Any) -> Optional:
    if isinstance(container, Optional):
        return _maybe_at(container.values[0], key) if container.values else container
    element = find(container, key)
    return Optional() if element is MISSING else Optional((element,))


def find(container: Any, key: Any) -> Any:
    """Return a list item or map value by its key, or `MISSING`. Raises `Failure` for other types."""
    if isinstance(container, list):
        if type(key) not in (int, Unsigned, float) or key != math.trunc(key):
            raise Failure(f"unsupported index type '{name_of(key)}' in list")
        return container[math.trunc(key)] if 0 <= key < len(container) else MISSING
    if isinstance(container, CelObject):
        return container.get(key) if isinstance(key, str) else MISSING
    if not isinstance(container, dict):
        raise Failure("no such overload")
    try:
        element = container.get(key, MISSING)
    except TypeError:
        raise Failure("no such overload") from None
    # Python takes true for 1.
    if element is not MISSING and isinstance(key, int):
        return element if any(equal(key, map_key) for map_key in container) else MISSING
    return element
