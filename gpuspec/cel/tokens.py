"""The tokens of an expression: names, operators, numbers and quoted strings."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpuspec.cel.nodes import CelError
from gpuspec.numbers import is_digits, of_digits

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_ESCAPE = (
    r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
)
_TOKEN = re.compile(
    rf"""
    (?P<space>[\t \r\n\f]+|//[^\n]*)
    |(?P<text>[bB]?[rR](?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')
        |[bB]?(?:\"\"\"(?:{_ESCAPE}|[^\\])*?\"\"\"|'''(?:{_ESCAPE}|[^\\])*?'''
            |"(?:{_ESCAPE}|[^\\"\n\r])*"|'(?:{_ESCAPE}|[^\\'\n\r])*'))
    |(?P<real>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
    |(?P<unsigned>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])
    |(?P<whole>0x[0-9a-fA-F]+|[0-9]+)
    |(?P<word>{_WORD})
    |(?P<quoted>`[A-Za-z0-9_.\-/ ]+`)
    |(?P<sign>==|!=|<=|>=|&&|\|\||[<>\[\]{{}}().,\-!?:+*/%])
    """,
    re.VERBOSE,
)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


RESERVED = frozenset(
    {"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import"}
)
RESERVED |= {
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
}
"""Reserved words, which cannot name a variable."""


class Token(NamedTuple):
    """A token, with its offset in the text."""

    kind: str
    text: str
    at: int


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text. Raises `CelError` for a character that begins none."""
    token_list, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise CelError(f"unexpected `{text[at]}`", at)
        kind = match.lastgroup or ""
        if kind == "word" and match.group() in ("in", "true", "false", "null"):
            kind = "sign"
        if kind != "space":
            token_list.append(Token(kind, match.group(), at))
        at = match.end()
    return [*token_list, Token("end", "", at)]


def text(token: Token) -> str | bytes:
    """Return the value of a quoted string or bytes literal."""
    prefix = re.match("[rRbB]*", token.text)
    assert prefix is not None
    marks, body = prefix.group().lower(), token.text[prefix.end() :]
    quote = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    body = body[quote:-quote]
    if "b" not in marks:
        return body if "r" in marks else re.sub(_ESCAPE, _meant, body)
    if "r" in marks:
        return body.encode()
    parts = re.split(f"({_ESCAPE})", body)
    return b"".join(_byte(part) if part.startswith("\\") else part.encode() for part in parts)


def _meant(match: re.Match[str]) -> str:
    mark = match.group()[1:]
    if mark[0] in "xXuU":
        return _sign(of_digits(mark[1:], 16))
    return chr(of_digits(mark, 8)) if is_digits(mark[0]) else _ESCAPED.get(mark, mark)


def _sign(code: int) -> str:
    """Return the character of a code point. Raises `CelError` if there is none."""
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise CelError(f"no character has the code {code:x}")
    return chr(code)


def _byte(escape: str) -> bytes:
    mark = escape[1:]
    if mark[0] in "xX":
        return bytes([of_digits(mark[1:], 16)])
    if is_digits(mark[0]):
        return bytes([of_digits(mark, 8)])
    return (
        _sign(of_digits(mark[1:], 16)) if mark[0] in "uU" else _ESCAPED.get(mark, mark)
    ).encode()
