"""The functions of lists, maps, sets and optional values."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from gpuspec.cel.operators import add, contains, order
from gpuspec.cel.registry import COMPARABLE, SUMMABLE, each, function
from gpuspec.cel.values import CelObject, Failure, Optional, equal


@function(*each("size($) -> int", ("string", "bytes", "list(A)", "map(A, B)")))
@function(*each("$:size() -> int", ("string", "bytes", "list(A)", "map(A, B)")))
def _size(value: Any) -> int:
    return len(value.plain()) if isinstance(value, CelObject) else len(value)


@function("list(A):slice(int, int) -> list(A)")
def _slice(value: list[Any], start: int, end: int) -> list[Any]:
    if start < 0 or end < 0 or start > end or end > len(value):
        raise Failure(f"cannot slice({start}, {end}), list is length {len(value)}")
    return value[start:end]


@function("list(list(A)):flatten() -> list(A)", "list(dyn):flatten(int) -> list(dyn)")
def _flatten(value: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise Failure("level must be non-negative")
    flat_items: list[Any] = []
    for item in value:
        flat_items += _flatten(item, depth - 1) if isinstance(item, list) and depth else [item]
    return flat_items


@function(*each("list($):sort() -> list($)", COMPARABLE))
def sort(value: list[Any]) -> list[Any]:
    """Return a sorted list."""
    return sorted(value, key=cmp_to_key(ordered))


def ordered(left: Any, right: Any) -> int:
    """Compare two items of a list. Raises `Failure` if their types differ."""
    if type(left) is not type(right):
        raise Failure("list elements must have the same type")
    return order(left, right)


@function("lists.range(int) -> list(int)")
def _range(count: int) -> list[int]:
    if count > 1_000_000:
        raise Failure("the range is too large")
    return [*range(count)]


@function("list(A):reverse() -> list(A)")
def _reverse(value: list[Any]) -> list[Any]:
    return value[::-1]


@function("list(A):distinct() -> list(A)")
def _distinct(value: list[Any]) -> list[Any]:
    distinct_items: list[Any] = []
    for item in value:
        if not any(equal(item, distinct_item) for distinct_item in distinct_items):
            distinct_items.append(item)
    return distinct_items


@function("list(A):first() -> optional_type(A)")
def _first(value: list[Any]) -> Optional:
    return Optional(tuple(value[:1]))


@function("list(A):last() -> optional_type(A)")
def _last(value: list[Any]) -> Optional:
    return Optional(tuple(value[-1:]))


@function("sets.contains(list(A), list(A)) -> bool")
def _contains_set(superset: list[Any], subset: list[Any]) -> bool:
    return all(contains(item, superset) for item in subset)


@function("sets.equivalent(list(A), list(A)) -> bool")
def _equivalent(left: list[Any], right: list[Any]) -> bool:
    return _contains_set(left, right) and _contains_set(right, left)


@function("sets.intersects(list(A), list(A)) -> bool")
def _intersects(left: list[Any], right: list[Any]) -> bool:
    return any(contains(item, left) for item in right)


# What may not be there.


@function("optional.of(A) -> optional_type(A)")
def _of(value: Any) -> Optional:
    return Optional((value,))


@function("optional.ofNonZeroValue(A) -> optional_type(A)")
def _of_some(value: Any) -> Optional:
    plain = value.plain() if isinstance(value, CelObject) else value
    return Optional((value,)) if plain else Optional()


@function("optional.none() -> optional_type(A)")
def _none() -> Optional:
    return Optional()


@function("optional_type(A):value() -> A")
def _value(value: Optional) -> Any:
    if not value.values:
        raise Failure("optional.none() dereference")
    return value.values[0]


@function("optional_type(A):hasValue() -> bool")
def _has_value(value: Optional) -> bool:
    return bool(value.values)


@function("optional_type(A):or(optional_type(A)) -> optional_type(A)")
def _or(optional: Optional, alternative: Optional) -> Optional:
    return optional if optional.values else alternative


@function("optional_type(A):orValue(A) -> A")
def _or_value(optional: Optional, alternative: Any) -> Any:
    return optional.values[0] if optional.values else alternative


@function("optional.unwrap(list(optional_type(A))) -> list(A)")
@function("list(optional_type(A)):unwrapOpt() -> list(A)")
def _unwrap(value: list[Any]) -> list[Any]:
    return [element for item in value for element in item.values]


# Those that only Kubernetes has.


@function(*each("list($):isSorted() -> bool", COMPARABLE))
def _is_sorted(value: list[Any]) -> bool:
    return all(order(left, right) < 1 for left, right in pairwise(value))


@function(*each("list($):sum() -> $", SUMMABLE))
def _sum(value: list[Any]) -> Any:
    total = value[0] if value else 0
    for item in value[1:]:
        total = add(total, item)
    return total


@function(*each("list($):max() -> $", COMPARABLE))
def _max(value: list[Any]) -> Any:
    return _best("max", value, 1)


@function(*each("list($):min() -> $", COMPARABLE))
def _min(value: list[Any]) -> Any:
    return _best("min", value, -1)


def _best(name: str, value: list[Any], sign: int) -> Any:
    if not value:
        raise Failure(f"{name} called on empty list")
    best = value[0]
    for item in value[1:]:
        best = item if ordered(item, best) == sign else best
    return best


@function("list(A):indexOf(A) -> int")
def _index_of(value: list[Any], element: Any) -> int:
    return next((index for index, item in enumerate(value) if equal(item, element)), -1)


@function("list(A):lastIndexOf(A) -> int")
def _last_index_of(value: list[Any], element: Any) -> int:
    return next(
        (index for index in range(len(value) - 1, -1, -1) if equal(value[index], element)), -1
    )


@function("dyn:includes(dyn) -> bool")
def _includes(value: Any, element: Any) -> bool:
    return _index_of(value, element) >= 0 if isinstance(value, list) else equal(value, element)
