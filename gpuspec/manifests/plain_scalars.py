"""A cache of unquoted YAML scalars, and the error with which the fast parsers give up."""

from __future__ import annotations

import math

from gpuspec.manifests.scalars import Scalar, ScalarError, resolve, resolve_key


class UnusualError(Exception):
    """The text contains something that the fast parser does not support."""


MOST_WORDS = 4_000
"""The maximum number of cached words. Names and digests, whose number is unlimited, occur once."""


class PlainScalars:
    """The values of unquoted scalars and keys, each resolved once for all documents of a run."""

    __slots__ = ("in_flow", "keys", "scalars")

    def __init__(self, *, flow: bool = False) -> None:
        self.scalars = _Scalars(flow=flow)
        self.keys = _Keys(flow=flow)
        self.in_flow: PlainScalars = self if flow else PlainScalars(flow=True)


class _Scalars(dict[str, Scalar]):
    def __init__(self, *, flow: bool) -> None:
        super().__init__()
        self.flow = flow

    def __missing__(self, text: str) -> Scalar:
        value = resolve(text)
        if (isinstance(value, float) and not math.isfinite(value)) or (self.flow and "?" in text):
            raise UnusualError
        if len(self) >= MOST_WORDS:
            self.clear()
        self[text] = value
        return value


class _Keys(dict[str, str]):
    def __init__(self, *, flow: bool) -> None:
        super().__init__()
        self.flow = flow

    def __missing__(self, text: str) -> str:
        if text == "<<" or (self.flow and "?" in text):
            raise UnusualError
        try:
            key = resolve_key(text)
        except ScalarError:
            raise UnusualError from None
        if len(self) >= MOST_WORDS:
            self.clear()
        self[text] = key
        return key
