"""Access to fields of a valid object: null and an absent field are the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from gpuspec.manifests import Path, Quantity
from gpuspec.numbers import INT64, read_version, read_whole
from gpuspec.validation.violation import SchemaViolation

OLD, NEW = "1.35", "1.37"
"""The versions whose code was read. For those between them, only the faults that both refuse are
reported.
"""

_LONGEST_PREFIX, _LARGEST_ANNOTATIONS = 253, 256 * 1024
Map = dict[str, Any]
Relation = Callable[[Map, str], Iterator[SchemaViolation]]
"""From a map and the Kubernetes version to the faults in it, with paths from the map."""


def maps(value: Mapping[str, Any], field: str) -> Iterator[tuple[int, Map]]:
    """Yield the maps of a list field, each with its index; other items are another fault."""
    listed = value.get(field)
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(item, dict):
            yield index, item


def inner(value: Mapping[str, Any], *fields: str) -> Map:
    """Return the map in a field, or in a field of the map there; empty for none."""
    field_value: Any = value
    for field in fields:
        field_value = field_value.get(field)
        if not isinstance(field_value, dict):
            return {}
    mapping: Map = field_value
    return mapping


def number(value: Mapping[str, Any], field: str, default: int) -> int:
    """Return the number in a field; null is none."""
    field_value = value.get(field)
    integer: int = default if field_value is None else field_value
    return integer


def share(value: Any, default: int) -> int:
    """Return a number, or the number of a percentage such as `25%`; 0 for anything else, which is
    another fault.
    """
    if value is None:
        return default
    if isinstance(value, str):
        return read_whole(value.removesuffix("%")) or 0
    whole: int = math.trunc(value)
    return whole


def size(texts: Iterable[str | None]) -> int:
    """Return the bytes of texts together; half of a UTF-16 pair, which no text of Go has, is three."""
    return len("".join(filter(None, texts)).encode(errors="surrogatepass"))


def amount(value: Any) -> Quantity | None:
    """Return a quantity; None if it is absent or invalid, which is another fault."""
    if value is None:
        return None
    try:
        # A decoder passes over blanks around it.
        quantity = Quantity.read(value.strip() if isinstance(value, str) else value)
    except ValueError:
        return None
    # Of those in powers of two a server cuts off what it cannot hold.
    return Quantity(INT64) if quantity.family == "binary" and quantity > INT64 else quantity


def or_zero(value: Any) -> Quantity | None:
    """Read like `amount`, but take null for 0: a server does so where it expects a quantity."""
    return amount(0 if value is None else value)


@cache
def is_new(version: str) -> bool:
    """Return whether a version has the checks of `NEW` that `OLD` lacks: it is at least `NEW`."""
    return read_version(version) >= read_version(NEW)


def is_old(version: str) -> bool:
    """Return whether a version has the checks of `OLD` that `NEW` lacks: only `OLD` has."""
    return version == OLD


def alone(value: Mapping[str, Any], field: str, every: str = "*") -> Iterator[SchemaViolation]:
    """Check that an entry that stands for everything is the only one of its list."""
    items = value.get(field) or ()
    if len(items) > 1 and every in items:
        message = f"`{every}` stands for everything: remove the other entries"
        yield refused((field,), message)


def named(fields: Iterable[str], last: str = "and") -> str:
    """Return the names of fields in a sentence: `a`, `b` and `c`."""
    *others, end = (f"`{field}`" for field in fields)
    return f"{', '.join(others)} {last} {end}" if others else end


def refused(
    path: Path,
    message: str,
    hint: str | None = None,
    *,
    expected: str | None = None,
    lacking: bool = False,
) -> SchemaViolation:
    """Return that the server refuses the value at a path."""
    return SchemaViolation(path, message, "refused", expected, hint, lacking=lacking)


def too_large(path: Path, size: int, most: int) -> Iterator[SchemaViolation]:
    """Yield a violation if a value has more bytes than a server accepts."""
    if size > most:
        yield refused(path, f"expected at most {most} bytes in all, not {size}")


def to_signer(value: Mapping[str, Any], field: str) -> Iterator[SchemaViolation]:
    """Check the sizes of annotations that a user sends to a signer of certificates."""
    field_value = inner(value, field)
    for key in field_value:
        if len(key.partition("/")[0]) > _LONGEST_PREFIX:
            message = f"the part before `/` has more than {_LONGEST_PREFIX} characters"
            yield refused((field, key), message)
    yield from too_large(
        (field,), size([*field_value, *field_value.values()]), _LARGEST_ANNOTATIONS
    )


def twice(items: Iterator[tuple[int, Map]], field: str) -> Iterator[SchemaViolation]:
    """Yield the items whose field repeats that of an earlier item; items without it are skipped."""
    items_seen = set()
    for index, item in items:
        value = item.get(field)
        if not value:
            continue
        if value in items_seen:
            yield refused((index, field), f"another item has `{field}: {value}` too")
        items_seen.add(value)
