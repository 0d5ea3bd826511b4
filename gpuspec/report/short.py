"""Values as short YAML, on one line if they fit."""

import json
import re

from gpuspec.escaping.characters import shows, visible

_PLAIN = re.compile(r"[\w./$(+-][\w./$@+=()<>~^%:;!'… -]*")
# What YAML 1.1 or 1.2 takes for a number, a date, a time, a boolean or nothing.
_TYPED = re.compile(
    r"[-+]?([0-9][0-9_]*(:[0-9]+)*)?\.?[0-9_]*(e[-+]?[0-9]+)?|[-+]?0[xob][0-9a-f_]+|[0-9]{4}-[0-9-]+([t ].*)?"
    r"|[-+]?\.(inf|nan)|null|true|false|yes|no|on|off|y|n|[-.+]+",
    re.IGNORECASE,
)


def short(value: object) -> str:
    """Return a value on one line: `{maxSurge: 1, maxUnavailable: 0}`, `[vllm, serve]`, `"1"`."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_text(str(key))}: {short(item)}" for key, item in value.items())
        return "{" + inner + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(short(item) for item in value) + "]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def block(value: object, width: int) -> list[str]:
    """Return a value in lines of about `width` columns, each part on one line if it fits."""
    line = short(value)
    if len(line) <= width and "\\n" not in line:
        return [line]
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _entry(str(key), item, width)]
    if isinstance(value, list | tuple) and value:
        if all(isinstance(item, str | int | float) and "\n" not in str(item) for item in value):
            return _filled(value, width)
        return [
            ("- " if index == 0 else "  ") + line
            for item in value
            for index, line in enumerate(block(item, width - 2))
        ]
    if isinstance(value, str) and "\n" in value and _printable(value):
        return ["|", *(f"  {visible(line)}" for line in value.removesuffix("\n").split("\n"))]
    return [line]


def _entry(key: str, value: object, width: int) -> list[str]:
    head = f"{_text(key)}:"
    lines = block(value, width - 2)
    if lines[0] == "|":
        return [f"{head} |", *lines[1:]]
    line = short(value)
    if not isinstance(value, dict | list) or len(head) + 1 + len(line) <= width:
        return [f"{head} {line}"]
    return [head, *(f"  {line}" for line in lines)]


def _filled(items: "list[object] | tuple[object, ...]", width: int) -> list[str]:
    """Return a list of scalars, as many in a line as fit."""
    lines: list[str] = []
    line = "["
    for index, item in enumerate(items):
        word = short(item) + ("," if index < len(items) - 1 else "]")
        if len(line) + len(word) + 1 > width and line.strip(" ["):
            lines.append(line)
            line = " " + word
        else:
            line += word if line in ("[", " ") else f" {word}"
    return [*lines, line]


def _text(text: str) -> str:
    """Return a text without quotes if YAML reads it as the same text."""
    plain = _PLAIN.fullmatch(text) and not _TYPED.fullmatch(text) and text == text.strip()
    if plain and ": " not in text and not text.endswith(":") and not text.startswith("- "):
        return text
    return visible(json.dumps(text, ensure_ascii=False))


def _printable(text: str) -> bool:
    return shows(text.replace("\n", ""))
