"""The functions that expressions may call, each registered under its signatures.

A type before a colon is that of the receiver: `string:size() -> int`. A single letter is a type
parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from gpuspec.cel.types import Signature, signature
from gpuspec.cel.values import Failure

Body = Callable[..., Any]
_F = TypeVar("_F", bound=Body)


class Function(NamedTuple):
    """One overload of a function."""

    signature: Signature
    body: Body


FUNCTIONS: dict[str, list[Function]] = {}
"""The overloads of every function, by name."""

COMPARABLE = ("int", "uint", "double", "bool", "string", "bytes", "duration", "timestamp")
NUMBERS = ("int", "uint", "double")
SUMMABLE = (*NUMBERS, "duration")


def function(*lines: str) -> Callable[[_F], _F]:
    """Add a function under its signatures."""

    def known(body: _F) -> _F:
        for line in lines:
            form_signature = signature(line)
            FUNCTIONS.setdefault(form_signature.name, []).append(Function(form_signature, body))
        return body

    return known


def each(line: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return one signature for each type, put in the place of `$`."""
    return tuple(line.replace("$", name) for name in names)


def can(parser: Callable[..., Any]) -> Callable[..., bool]:
    """Return a function that tests whether a parser accepts a string."""

    def body(*arguments: Any) -> bool:
        try:
            parser(*arguments)
        except Failure:
            return False
        return True

    return body
