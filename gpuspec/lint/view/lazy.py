"""What of an object is worked out when somebody asks for it, and once."""

from __future__ import annotations

from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.lint.context import Context
    from gpuspec.lint.view.pods import Pod

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


def kept_in_run(make: Callable[[Pod, Context], _T]) -> Callable[[Pod, Context], _T]:
    """A function of a pod and of the run that looks at it, worked out once for each pod: several
    rules ask. What it gives is not to be changed."""
    name = f"{make.__module__}.{make.__qualname__}"

    def get(pod: Pod, context: Context) -> _T:
        there: dict[str, tuple[Context, _T]] = pod.__dict__
        known = there.get(name)
        if known is None or known[0] is not context:
            known = there[name] = context, make(pod, context)
        return known[1]

    return update_wrapper(get, make)
