"""The text of a shell's script: its quotes, and its commands one after the other."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_COMPOUND = re.compile(
    r"[(){}]|(?:^|[;&|\n])[ \t]*(?:if|for|while|until|case|function|trap|exit|return)\b",
    re.MULTILINE,
)
_LIST_OPERATOR = re.compile(r"(&&|\|\||;|&|\n)")
_STREAMS = re.compile(r"[0-9]*>>?[ \t]*&?[^ \t;|&\n]*|&>>?[ \t]*[^ \t;|&\n]*")
_COMMENT_BEFORE = frozenset(" \t\n;&|(")


class Pipeline(NamedTuple):
    """Commands joined by `|`, and the operator that ends them: `;` for a line end too."""

    commands: list[list[str]]
    end: str


class _Scan(NamedTuple):
    plain: str
    """The script with its quoted text and its comments blanked out; line ends stay."""
    closed: bool


def is_closed(script: str) -> bool:
    """Return whether every quote of a script is closed, as far as it can be told."""
    return _scan(script).closed or any(sign in script for sign in ("`", "$(", "$'"))


def unquoted(script: str) -> str:
    """Return a script with the signs between its quotes, and the quotes, replaced by `x`."""
    return _scan(script).plain


def commands_in(plain: str) -> list[list[str]]:
    """Return the commands of a script without quoted text, each as its words."""
    joined = plain.replace("\\\n", " ")
    commands = (part.split() for part in re.split(r"\n|;|&&|\|\||(?<!>)&(?!>)|\|", joined))
    return [words for words in commands if words]


def pipelines_in(plain: str) -> list[Pipeline] | None:
    """Return the pipelines of a script without quoted text, in their order; None for a script with
    branches, loops, functions or subshells."""
    joined = plain.replace("\\\n", " ")
    lines = "\n".join(line for line in joined.splitlines() if not line.lstrip().startswith("#"))
    if _COMPOUND.search(lines) is not None:
        return None
    parts = _LIST_OPERATOR.split(_STREAMS.sub(" ", lines))
    pipelines: list[Pipeline] = []
    for index in range(0, len(parts), 2):
        commands = [command.split() for command in parts[index].split("|")]
        if any(commands):
            operator = parts[index + 1] if index + 1 < len(parts) else ""
            pipelines.append(
                Pipeline([words for words in commands if words], operator.replace("\n", ";"))
            )
    return pipelines


@lru_cache(256)
def _scan(script: str) -> _Scan:
    signs: list[str] = []
    quote = ""
    index = 0
    while index < len(script):
        sign = script[index]
        after = script[index + 1 : index + 2]
        if quote:
            if sign == "\\" and quote == '"' and after:
                signs += ["x", "\n" if after == "\n" else "x"]
                index += 2
                continue
            quote = "" if sign == quote else quote
            signs.append("\n" if sign == "\n" else "x")
        elif sign == "\\" and after:
            signs += [sign, after if after in " \t\n" else "x"]
            index += 1
        elif sign in "'\"":
            quote = sign
            signs.append("x")
        elif sign == "#" and (not index or script[index - 1] in _COMMENT_BEFORE):
            end = script.find("\n", index)
            end = len(script) if end < 0 else end
            signs += ["#", *" " * (end - index - 1)]
            index = end
            continue
        else:
            signs.append(sign)
        index += 1
    return _Scan("".join(signs), not quote)
