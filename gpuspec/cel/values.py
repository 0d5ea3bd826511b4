"""The values of expressions, where Python's own would mean something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Failure(Exception):
    """An expression that does not come to a value."""


class UnknownResult(Exception):
    """What a server works out, and we do not: there is no verdict."""


class Unsigned(int):
    """A number that is never negative: `1u`."""


class CelDuration(int):
    """A time that passes, in nanoseconds."""


class Timestamp(int):
    """A moment, in nanoseconds since 1970."""


class Optional(NamedTuple):
    """A value that may not be there: of none and of one."""

    values: tuple[Any, ...] = ()


class Type(NamedTuple):
    """A type as a value: `int`."""

    name: str


class CelObject:
    """An object whose fields its schema names."""

    __slots__ = ()

    def get(self, name: str) -> Any:
        """Return a field's value; `MISSING` for none."""
        raise NotImplementedError

    def has(self, name: str) -> bool:
        """Return whether `in` finds a field."""
        return self.get(name) is not MISSING

    def plain(self) -> dict[str, Any]:
        """Return the fields that are there."""
        raise NotImplementedError


class Opaque:
    """A value of a type of Kubernetes' own."""

    __slots__ = ("of",)
    NAME: ClassVar[str]

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and bool(self.of == other.of)

    def __hash__(self) -> int:
        return hash(self.of)


class Unordered(list[Any]):
    """A list that is a set, or a map by some of its items' fields: it has no order."""

    keys: tuple[str, ...] = ()


MISSING: Any = object()
"""What is not there."""

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
    """Return the name of a value's type."""
    type_name = _NAMES.get(type(value))
    if type_name is None:
        type_name = "map" if isinstance(value, CelObject) else value.NAME
    return type_name


def equal(left: Any, right: Any) -> bool:
    """Return whether two values are the same; a number is the same in each of its types, nothing
    else is."""
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
    """Return what a comprehension goes through: a list's items, a map's keys."""
    if isinstance(value, list | dict):
        return iter(value)
    if isinstance(value, CelObject):
        return iter(value.plain())
    raise Failure("no such overload")


def is_truth(value: Any) -> bool:
    """Return whether a value is `true`. Raises `Failure` if it is no boolean."""
    if value is True or value is False:
        return bool(value)
    raise Failure("no such overload")


def whole(value: int) -> int:
    """Return a whole number that is not too large. Raises `Failure`."""
    if value not in INT:
        raise Failure("integer overflow")
    return value
