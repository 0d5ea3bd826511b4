"""The fast path from JSON to plain values."""

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

from gpuspec.manifests.escapes import has_half_pair
from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.plain_scalars import UnusualError
from gpuspec.manifests.scalars import as_json
from gpuspec.numbers import read_decimal, read_signed

_BLANKS = re.compile(r"[ \t\r\n]*")


def load_json(text: str) -> Iterator[tuple[int, int, object, bool]]:
    """Yield JSON objects one after the other: where each begins and ends, its value, whether it
    holds.

    It does not where a key stands twice or the nesting is deep: then the node graph must judge.

    Raises:
        UnusualError: something is not JSON.
    """
    at = _skip_blanks(text, 0)
    while at < len(text):
        doubts: list[str] = []
        decoder = json.JSONDecoder(
            object_pairs_hook=functools.partial(_object, doubts),
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise UnusualError from None
        if has_half_pair(text[at:end]):
            doubts.append("half of a surrogate pair")
        brackets = text.count("{", at, end) + text.count("[", at, end)
        if brackets > MAX_DEPTH and is_deeper(value, MAX_DEPTH):
            doubts.append("deep nesting")
        yield at, end, value, not doubts
        at = _skip_blanks(text, end)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text that stands in a manifest's value.

    Raises:
        ValueError: the text is no JSON, or nests too deep for a reader that recurses.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("deep nesting") from None
    if text.count("{") + text.count("[") > MAX_DEPTH and is_deeper(value, MAX_DEPTH):
        raise ValueError("deep nesting")
    return value


def _skip_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _object(doubts: list[str], pairs: list[tuple[str, object]]) -> dict[str, object]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        doubts.append("duplicate key")
    return mapping


def is_deeper(value: object, levels: int) -> bool:
    """Return whether a value is nested more than `levels` deep."""
    if isinstance(value, dict):
        value = list(value.values())
    elif not isinstance(value, list):
        return False
    return levels == 0 or any(is_deeper(item, levels - 1) for item in value)


def _integer(digits: str) -> int | float:
    number = read_signed(digits)
    return _float(digits) if number is None else number


def _float(digits: str) -> int | float:
    number = read_decimal(digits)
    if number is None:
        raise UnusualError
    return as_json(number)


def _constant(_: str) -> None:
    # NaN and Infinity are not JSON, and plain text in YAML.
    raise UnusualError
