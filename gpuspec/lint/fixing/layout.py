"""Values as text, in the style of their place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.formats import json_escaped
from gpuspec.lint.fixing.changes import NoFixError
from gpuspec.manifests import write
from gpuspec.manifests.quoting import double_quote, literal, quote

if TYPE_CHECKING:
    from gpuspec.lint.fixing.styled_text import StyledText

# libyaml looks for the colon of a key only so far.
_LONGEST_KEY = 1000
# What ends a plain word in brackets, to some reader or other.
_FLOW = frozenset(",[]{}?:")


def is_open(value: object) -> bool:
    """Return whether a value needs lines of its own in block style."""
    return isinstance(value, dict | list) and bool(value)


def block(value: Any, pad: int, style: StyledText) -> list[str]:
    """Return a nonempty mapping or list as lines; the first one without its indentation of `pad`
    columns."""
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            lines += entry(key, item, pad, style)
    else:
        for item in value:
            lines += listed(item, pad, style)
    return [lines[0][pad:], *lines[1:]]


def entry(key: str, value: Any, pad: int, style: StyledText) -> list[str]:
    """Return an entry of a mapping as lines."""
    if len(key) >= _LONGEST_KEY:
        raise NoFixError("a key too long to be written simply")
    head = f"{' ' * pad}{quote(key)}:"
    if not is_open(value):
        return [f"{head} {inline(value, style.text_pad(pad))}"]
    deeper = pad + (style.step if isinstance(value, dict) else style.dash_step)
    first, *rest = block(value, deeper, style)
    return [head, f"{' ' * deeper}{first}", *rest]


def listed(value: Any, pad: int, style: StyledText) -> list[str]:
    """Return an item of a list as lines, including the dash."""
    head = f"{' ' * pad}- "
    if not is_open(value):
        return [f"{head}{inline(value, style.text_pad(pad))}"]
    first, *rest = block(value, pad + 2, style)
    return [f"{head}{first}", *rest]


def inline(value: Any, pad: int | None = None) -> str:
    """Return a scalar or an empty collection. With a `pad`, a string of several lines becomes a
    block scalar that is indented deeper."""
    if not isinstance(value, str):
        return write([value]).rstrip("\n")
    if "\n" not in value:
        return quote(value)
    return (literal(value, " " * (pad + 2)) if pad is not None else None) or double_quote(value)


def like(value: Any, old: str, pad: int | None) -> str:
    """Return an inline value, quoted like the value that it replaces."""
    if isinstance(value, str) and "\n" not in value:
        if old.startswith('"'):
            return double_quote(value)
        if old.startswith("'") and double_quote(value) == f'"{value}"':
            escaped = value.replace("'", "''")
            return f"'{escaped}'"
    return inline(value, pad)


def flow(value: Any) -> str:
    """Return any value as flow YAML on one line."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{flow_word(key)}: {flow(item)}" for key, item in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return flow_word(value) if isinstance(value, str) else inline(value)


def flow_word(text: str) -> str:
    """Return a string in flow style."""
    quoted = quote(text)
    return double_quote(text) if quoted == text and not _FLOW.isdisjoint(text) else quoted


def json_text(value: Any, doc: StyledText, at: int, *, spread: bool) -> str:
    """Return any value as JSON, in the style of its document; on several lines, indented like the
    line on which it begins, or on one line."""
    if not spread:
        separators = (",", ":") if doc.is_tight else (", ", ": ")
        return json_escaped(json.dumps(value, ensure_ascii=False, separators=separators))
    text = json_escaped(json.dumps(value, ensure_ascii=False, indent=doc.json_step or 2))
    return text.replace("\n", f"{doc.newline}{' ' * doc.lead(at)}")
