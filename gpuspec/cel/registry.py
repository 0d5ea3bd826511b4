"""The functions that expressions may call, each under what it takes and gives.

What stands before a colon stands before the dot: `string:size() -> int`. Single letters are types that are
the same wherever the letter is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from gpuspec.cel.types import Signature, signature
from gpuspec.cel.values import Failure

Body = Callable[..., Any]
_F = TypeVar("_F", bound=Body)


class Function(NamedTuple):
    """One form of a function."""

    signature: Signature
    body: Body


FUNCTIONS: dict[str, list[Function]] = {}
"""Every function by its name."""

COMPARABLE = ("int", "uint", "double", "bool", "string", "bytes", "duration", "timestamp")
NUMBERS = ("int", "uint", "double")
SUMMABLE = (*NUMBERS, "duration")


def function(*lines: str) -> Callable[[_F], _F]:
    """Make a function known under what it takes and gives."""

    def known(body: _F) -> _F:
        for line in lines:
            form_signature = signature(line)
            FUNCTIONS.setdefault(form_signature.name, []).append(Function(form_signature, body))
        return body

    return known


def each(line: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return a line for each of some types, which stand in it as `$`."""
    return tuple(line.replace("$", name) for name in names)


def can(parser: Callable[..., Any]) -> Callable[..., bool]:
    """Make a function that says whether another can read a text."""

    def body(*arguments: Any) -> bool:
        try:
            parser(*arguments)
        except Failure:
            return False
        return True

    return body
