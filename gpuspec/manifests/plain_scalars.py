"""What unquoted words of YAML mean, remembered; and when the fast readers give up."""

from __future__ import annotations

import math

from gpuspec.manifests.scalars import Scalar, ScalarError, resolve, resolve_key


class UnusualError(Exception):
    """The text holds something that the fast way does not read."""


MOST_WORDS = 4_000
"""How many words are remembered. Names and digests, of which there is no end, come once."""


class PlainScalars:
    """What unquoted scalars and keys mean, worked out once each for all documents of a run."""

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
