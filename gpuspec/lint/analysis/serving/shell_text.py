"""The text of a shell's script: its quotes, and its commands one after the other."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_COMMENT_BEFORE = frozenset(" \t\n;&|(")


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
