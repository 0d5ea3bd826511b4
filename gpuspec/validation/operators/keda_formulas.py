"""Formulas of KEDA, as far as their meaning is certain.

Source: github.com/expr-lang/expr v1.17.8, parser/ and builtin/, with which KEDA 2.21 compiles a
formula inside of `float(…)`. Formulas with texts, maps, members, variables, pipes or comments are
not checked.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

_BEYOND = re.compile(
    r"[{};#\"'`$|\\]|\?[?.]|::|//|/\*|\.\.|\.\s*[^\W0-9]|[\w)\]]\s*\[|\b(?:let|if|else)\b"
    r"|\b(?:0[xXoObB]|[0-9]+_)"
)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?!\w))|(?P<word>[^\W0-9]\w*)"
    r"|(?P<mark>[&!=*<>][&=*]?|[]+/%^(),?:[-])|(?P<odd>\w+|\S))",
)
_COMPARED = frozenset({"==", "!=", "<", ">", ">=", "<=", "in", "matches", "contains"})
_COMPARED |= {"startsWith", "endsWith", "and", "or", "&&"}
_BETWEEN = _COMPARED | {"+", "-", "*", "/", "%", "**", "^"}
_BEFORE = frozenset({"+", "-", "!", "not"})
_VALUES = frozenset({"true", "false", "nil"})
_FUNCTION = re.compile(
    r"all|none|any|one|filter|map|find|findIndex|findLast|findLastIndex|count|sum|groupBy|"
    r"sortBy|reduce|len|type|abs|ceil|floor|round|int|float|string|trim|trimPrefix|"
    r"trimSuffix|upper|lower|split|splitAfter|replace|repeat|join|indexOf|lastIndexOf|"
    r"hasPrefix|hasSuffix|max|min|mean|median|toJSON|fromJSON|toBase64|fromBase64|now|"
    r"duration|date|timezone|first|last|get|take|keys|values|toPairs|fromPairs|reverse|"
    r"uniq|concat|flatten|sort|bitnot|bitand|bitor|bitxor|bitnand|bitshl|bitshr|bitushr"
)
_CAST = "float("
_OPENED = {"(": ")", "[": "]"}


class _Opening(NamedTuple):
    """An open parenthesis or bracket."""

    end: str
    lists: bool
    """Whether it encloses a list, or a function's arguments."""
    asked: int = 0
    """How many `?` in it still lack their `:`."""


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def is_name(self) -> bool:
        """Whether it is the name of a trigger or a function, and not a keyword."""
        return self.kind == "word" and self.text not in _VALUES | _BETWEEN | _BEFORE


_CLOSED = _Token("mark", ")")
"""The end of the cast that KEDA writes around a formula."""


def problems(text: str, triggers: Set[str]) -> Iterator[str]:
    """Yield the faults that keep a formula from compiling with the names of some triggers."""
    if _BEYOND.search(text):
        return
    is_cast = text.startswith(_CAST)
    tokens = _tokens(text)
    if not is_cast:
        tokens = [*_tokens(_CAST), *tokens, _CLOSED]
    if broken := _broken(tokens):
        yield broken
        return
    if not is_cast and _is_question(tokens):
        yield "the formula is a boolean, not a number: write `CONDITION ? NUMBER : NUMBER`"
    names = [(token.text, after.text == "(") for token, after in pairwise(tokens) if token.is_name]
    for name, is_called in dict.fromkeys(names):
        if name not in triggers and not _FUNCTION.fullmatch(name):
            predicate = "no function has the name" if is_called else "no trigger has the name"
            yield f"{predicate} `{name}`"


def _tokens(text: str) -> list[_Token]:
    return [
        _Token(str(match.lastgroup), match[match.lastgroup or 0]) for match in _TOKEN.finditer(text)
    ]


def _broken(tokens: list[_Token]) -> str | None:
    """Return the fault in the order of tokens."""
    opened = [_Opening("", lists=False)]
    before = _Token("mark", "")
    wants_value = True
    for token in tokens:
        kind, text = token
        inside = opened[-1]
        if kind == "odd":
            return f"`{text}` is not valid here"
        is_empty = text == inside.end and inside.lists and before.text in ("(", "[", ",")
        if wants_value and not is_empty:
            if text in _OPENED:
                opened.append(_Opening(_OPENED[text], lists=text == "["))
            elif text == ":" and before.text == "?":
                opened[-1] = inside._replace(asked=inside.asked - 1)
            elif text in _BEFORE:
                pass
            elif token is _CLOSED:
                return "a value is missing at its end"
            elif kind == "mark" or text in _BETWEEN:
                return f"a value is missing before `{text}`"
            else:
                wants_value = False
        elif text == "(" and before.is_name:
            opened.append(_Opening(")", lists=True))
            wants_value = True
        elif text in (")", "]"):
            if inside.asked:
                return "`:` is missing after `?`"
            if text != inside.end:
                return f"`{text}` closes nothing"
            opened.pop()
            wants_value = False
        elif text == "," and inside.lists and not inside.asked:
            wants_value = True
        elif text in ("?", ":"):
            if text == ":" and not inside.asked:
                return "`:` has no `?` before it"
            opened[-1] = inside._replace(asked=inside.asked + (1 if text == "?" else -1))
            wants_value = True
        elif text in _BETWEEN:
            wants_value = True
        elif text != "not":  # which stands before `in` and others
            return f"an operator is missing before `{text}`"
        before = token
    if wants_value:
        return "a value is missing at its end"
    return f"`{opened[-1].end}` is missing" if len(opened) > 1 else None


def _is_question(tokens: list[_Token]) -> bool:
    """Return whether all of a formula, inside of its cast, is a comparison."""
    depth, outer = 0, []
    for token in tokens:
        depth += (token.text in _OPENED) - (token.text in _OPENED.values())
        if depth == 1:
            outer.append(token.text)
    return "?" not in outer and not _COMPARED.isdisjoint(outer)
