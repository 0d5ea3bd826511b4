"""Properties that are computed on first use and kept."""

from __future__ import annotations

from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")
_One = TypeVar("_One")
_Found = TypeVar("_Found")


class lazy(Generic[_T]):  # noqa: N801 # a decorator, as `property` is
    """A property that is computed on first use and kept: `functools.cached_property` without the
    lock that Python 3.11 takes, which costs more than computing most of them.

    A run computes hundreds of thousands, and no two threads share an object.
    """

    def __init__(self, make: Callable[[Any], _T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> _T:
        value = instance.__dict__[self._name] = self._make(instance)
        return value


def kept(make: Callable[[_One], _Found]) -> Callable[[_One], _Found]:
    """Keep a function's result with its argument: an object, a pod or a container. Callers must not
    change the result."""
    name = f"{make.__module__}.{make.__qualname__}"

    def get(instance: _One) -> _Found:
        value: _Found
        try:
            value = instance.__dict__[name]
        except KeyError:
            value = instance.__dict__[name] = make(instance)
        return value

    return update_wrapper(get, make)
