"""Writing of objects as YAML that every parser reads alike, or as JSON.

The emitter is our own: plain Python takes a tenth of the time of PyYAML's C emitter, which needs
representers in Python, and no existing emitter quotes for parsers other than its own.
"""

import json
import math
from collections.abc import Iterable
from typing import Literal

from gpuspec.escaping.formats import json_escaped
from gpuspec.manifests.quoting import double_quote, literal, quote
from gpuspec.manifests.scalars import as_json

Format = Literal["yaml", "json"]

# libyaml looks for the colon of a key only so far.
_LONGEST_KEY = 1000


def write(objects: Iterable[object], format: Format = "yaml") -> str:
    """Write plain values (as :func:`~gpuspec.manifests.read` gives them), keys in their order.

    YAML: block style, documents separated by ``---``, text of several lines as ``|`` blocks, no
    line folded, no anchors. Strings, and keys too, are quoted if any parser of YAML 1.1 or 1.2
    would read another type.

    JSON: one object as itself; none or several as the items of a ``v1`` ``List``, which is how
    kubectl prints and takes them.

    Raises:
        ValueError: a float that is not finite, or half of a surrogate pair in a string.
        TypeError: a value that JSON does not have, or a key that is not a string.
    """
    if format == "json":
        return _json(list(objects))
    strings, keys = _Strings(), _WrittenKeys()
    parts: list[str] = []
    for number, value in enumerate(objects):
        if number:
            parts.append("---\n")
        _document(parts, value, strings, keys)
    return "".join(parts)


class _Strings(dict[str, str]):
    """A cache of strings as written on one line; strings of several lines are empty."""

    def __missing__(self, text: str) -> str:
        written = "" if "\n" in text else quote(text)
        self[text] = written
        return written


class _WrittenKeys(dict[str, str]):
    """A cache of keys as written, with their colons."""

    def __missing__(self, text: str) -> str:
        if not isinstance(text, str):
            raise TypeError(f"the key {text!r} is not a string")
        written = f"{quote(text)}:" if len(text) < _LONGEST_KEY else ""
        self[text] = written
        return written


def _document(parts: list[str], value: object, strings: _Strings, keys: _WrittenKeys) -> None:
    if isinstance(value, dict) and value:
        _mapping(parts, value, "", "", strings, keys)
    elif isinstance(value, list) and value:
        _sequence(parts, value, "", "", strings, keys)
    else:
        # No block at the top: it would have no indentation to stand out from.
        text = double_quote(value) if isinstance(value, str) else _scalar(value, "", strings)
        parts.append(f"{text}\n")


def _mapping(
    parts: list[str],
    value: dict[str, object],
    lead: str,
    pad: str,
    strings: _Strings,
    keys: _WrittenKeys,
) -> None:
    """Write entries, the first after ``lead`` (which may be the dash of a list), the others after
    ``pad``."""
    for name, item in value.items():
        key = keys[name] or f"? {double_quote(name)}\n{pad}:"
        kind = item.__class__
        if kind is str and (text := strings[item]):  # type: ignore[index]
            parts.append(f"{lead}{key} {text}\n")
        elif kind is dict and item:
            parts.append(f"{lead}{key}\n")
            deeper = f"{pad}  "
            _mapping(parts, item, deeper, deeper, strings, keys)  # type: ignore[arg-type]
        elif kind is list and item:
            parts.append(f"{lead}{key}\n")
            _sequence(parts, item, pad, pad, strings, keys)  # type: ignore[arg-type]
        else:
            parts.append(f"{lead}{key} {_scalar(item, pad, strings)}\n")
        lead = pad


def _sequence(
    parts: list[str],
    value: list[object],
    lead: str,
    pad: str,
    strings: _Strings,
    keys: _WrittenKeys,
) -> None:
    """Write items, the first after ``lead``, the others after ``pad``."""
    deeper = f"{pad}  "
    for item in value:
        if isinstance(item, dict) and item:
            _mapping(parts, item, f"{lead}- ", deeper, strings, keys)
        elif isinstance(item, list) and item:
            _sequence(parts, item, f"{lead}- ", deeper, strings, keys)
        else:
            parts.append(f"{lead}- {_scalar(item, pad, strings)}\n")
        lead = pad


def _scalar(value: object, pad: str, strings: _Strings) -> str:
    """Return a scalar or an empty collection on one line, or a block indented deeper than
    ``pad``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return strings[value] or literal(value, f"{pad}  ") or double_quote(value)
    if isinstance(value, int):
        return f"{value:d}"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    raise TypeError(f"{value!r} is not a plain value")


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a JSON number, and Kubernetes accepts no other")
    number = as_json(value)
    if isinstance(number, int):
        return str(number)
    # Readers of YAML 1.1 take an exponent for one only behind a point and with a sign.
    mantissa, exponent, power = repr(number).partition("e")
    return f"{mantissa}.0{exponent}{power}" if exponent and "." not in mantissa else repr(number)


def _json(objects: list[object]) -> str:
    value = objects[0] if len(objects) == 1 else _list(objects)
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    text.encode()
    return f"{json_escaped(text)}\n"


def _list(objects: list[object]) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "List", "items": objects}
