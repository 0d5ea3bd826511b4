"""The values of expressions that Python's own types cannot represent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Failure(Exception):
    """An expression that fails when it is evaluated."""


class UnknownResult(Exception):
    """A result that the API server computes and this evaluator does not: there is no verdict."""


class Unsigned(int):
    """An unsigned integer: `1u`."""


class CelDuration(int):
    """A duration, in nanoseconds."""


class Timestamp(int):
    """A timestamp, in nanoseconds since 1970."""


class Optional(NamedTuple):
    """An optional value: `optional.none()` or `optional.of(value)`."""

    values: tuple[Any, ...] = ()


class Type(NamedTuple):
    """A type as a value: `int`."""

    name: str


class CelObject:
    """An object with the fields of its schema."""

    __slots__ = ()

    def get(self, name: str) -> Any:
        """Return a field's value, or `MISSING`."""
        raise NotImplementedError

    def has(self, name: str) -> bool:
        """Return whether the operator `in` finds a field."""
        return self.get(name) is not MISSING

    def plain(self) -> dict[str, Any]:
        """Return the fields that are set."""
        raise NotImplementedError


class Opaque:
    """A value of one of Kubernetes' own types."""

    __slots__ = ("of",)
    NAME: ClassVar[str]

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and bool(self.of == other.of)

    def __hash__(self) -> int:
        return hash(self.of)


class Unordered(list[Any]):
    """A list of type `set` or `map`, which has no order."""

    keys: tuple[str, ...] = ()


MISSING: Any = object()
"""The value of an absent field."""

INT = range(-(2**63), 2**63)
UINT = range(2**64)

_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    Unsigned: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    Unordered: "list",
    dict: "map",
    CelDuration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    Optional: "optional_type",
    Type: "type",
}
_NUMBERS = {int, float, Unsigned}


def name_of(value: Any) -> str:
    """Return the type name of a value."""
    type_name = _NAMES.get(type(value))
    if type_name is None:
        type_name = "map" if isinstance(value, CelObject) else value.NAME
    return type_name


def equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal; numbers of different types may be, other values may not."""
    kinds = type(left), type(right)
    if kinds[0] in _NUMBERS and kinds[1] in _NUMBERS:
        return bool(left == right)
    if isinstance(left, CelObject) or isinstance(right, CelObject):
        return equal(_plain(left), _plain(right))
    if isinstance(left, list) and isinstance(right, list):
        return _equal_lists(left, right)
    if kinds == (dict, dict):
        return len(left) == len(right) and all(
            key in right and equal(value, right[key]) for key, value in left.items()
        )
    if kinds == (Optional, Optional):
        return equal(list(left.values), list(right.values))
    return kinds[0] is kinds[1] and bool(left == right)


def _plain(value: Any) -> Any:
    return value.plain() if isinstance(value, CelObject) else value


def _equal_lists(left: list[Any], right: list[Any]) -> bool:
    if len(left) != len(right):
        return False
    if isinstance(left, Unordered):
        return all(any(equal(item, candidate) for candidate in right) for item in left)
    return all(map(equal, left, right))


def items(value: Any) -> Iterator[Any]:
    """Return the values that a comprehension visits: a list's items or a map's keys."""
    if isinstance(value, list | dict):
        return iter(value)
    if isinstance(value, CelObject):
        return iter(value.plain())
    raise Failure("no such overload")


def is_truth(value: Any) -> bool:
    """Return whether a value is `true`. Raises `Failure` if it is not a boolean."""
    if value is True or value is False:
        return bool(value)
    raise Failure("no such overload")


def whole(value: int) -> int:
    """Return an integer. Raises `Failure` if it does not fit into 64 bits."""
    if value not in INT:
        raise Failure("integer overflow")
    return value
