"""What of an object is worked out when somebody asks for it, and once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


class lazy(Generic[_T]):  # noqa: N801 # a decorator, as `property` is
    """A property that is made at the first question and kept: `functools.cached_property` without
    the lock that Python 3.11 takes there, which costs more than most of what is made.

    A run makes hundreds of thousands of them, and no two threads share an object.
    """

    def __init__(self, make: Callable[[Any], _T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, one: object, owner: type | None = None) -> _T:
        made = one.__dict__[self._name] = self._make(one)
        return made
