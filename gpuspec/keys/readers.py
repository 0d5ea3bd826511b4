"""Values parsed as Go, Python and C parse them."""

import json
import re
from typing import Any

from gpuspec.manifests.names import dns_subdomain
from gpuspec.manifests.quantities import Quantity
from gpuspec.numbers import read_decimal

_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:_[0-9]+)*)")
_DURATION = re.compile(r"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+")
_PART = re.compile(r"([0-9.]+)(ns|us|µs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_RELEASE = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_OPTION = re.compile(r"\s*[a-z][a-z0-9_]*\s*:(?:[^,\[\]]+|\s*\[[^\[\]]*\]\s*)")


def is_integer(value: str) -> bool:
    """Return whether C or Python reads a whole number, hexadecimal or with blanks around it too."""
    return _INTEGER.fullmatch(value.strip()) is not None


def number(value: str) -> float | None:
    """Return the number in a text; None for a hexadecimal one."""
    return read_decimal(value.strip().replace("_", ""))


def seconds(value: str) -> float | None:
    """Return the seconds of a Go duration."""
    if value == "0":
        return 0
    if _DURATION.fullmatch(value) is None:
        return None
    sign = -1 if value.startswith("-") else 1
    parts = _PART.findall(value)
    return sign * sum((read_decimal(count) or 0) * _SECONDS[unit] for count, unit in parts)


def is_release(value: str) -> bool:
    """Return whether it is a version of three numbers."""
    return _RELEASE.fullmatch(value) is not None


def is_quantity(value: str) -> bool:
    """Return whether a value is a Kubernetes quantity."""
    try:
        Quantity.parse(value)
    except ValueError:
        return False
    return True


def is_name(value: str) -> bool:
    """Return whether a value is a valid object name."""
    return dns_subdomain(value) is None


def is_interfaces(value: str, prefixed: bool) -> bool:
    """Return whether a value is a list of network interfaces; with `prefixed`, one sign before it
    may set how all of them are compared."""
    if prefixed:
        value = value.removeprefix("^").removeprefix("=")
    return not any(name.strip().startswith(("^", "=")) for name in value.split(","))


def is_json(value: str, kind: str) -> bool:
    """Return whether a value is a JSON array, or a JSON object."""
    return isinstance(read_json(value), list if kind == "array" else dict)


def read_json(value: str) -> Any:
    """Return the value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def is_options(value: str) -> bool:
    """Return whether a value is a list of options such as `a:1,b:[2:3,4:5]`."""
    return all(map(_OPTION.fullmatch, filter(str.strip, _parts(value))))


def _parts(value: str) -> list[str]:
    """Return the parts between commas; commas in brackets do not split."""
    parts, start, depth = [], 0, 0
    for index, letter in enumerate(value):
        if letter in "[]":
            depth += 1 if letter == "[" else -1
        elif letter == "," and not depth:
            parts.append(value[start:index])
            start = index + 1
    return [*parts, value[start:]]
