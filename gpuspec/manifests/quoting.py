"""Writing of strings in YAML so that every parser reads them back unchanged.

Parsers of YAML 1.1 and 1.2, such as kubectl's, read many plain words as other types. A string is
written plain only if none of them does.
"""

import re

from gpuspec.escaping.characters import hidden, shows

_ESCAPES = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_WORDS = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<", ".inf", ".nan")
)
# Digits, signs, dots, and letters of hexadecimal, octal and binary numbers, exponents and dates: in
# some order they are a number, a time or a date to some reader.
_NUMBERLIKE = re.compile(r"[0-9][-+.0-9a-fA-FxXoO_:,TtZz ]*")
# A flag (-c, --port=1), a path (./x) or a file (.env) may begin as only numbers and lists do.
_SIGNED_WORD = re.compile(r"-{1,2}[A-Za-z]|\.{1,2}/|\.[A-Za-z]")
_INFINITY = re.compile(r"[-+]?\.?(?:inf(?:inity)?|nan)", re.IGNORECASE)
_INDICATORS = frozenset("?:,[]{}#&*!|>'\"%@` +")
# Editors and commit hooks take blanks off the ends of lines.
_TRAILING_BLANK = re.compile(r"[ \t](?:\n|\Z)")


def quote(text: str) -> str:
    """Return a string on one line: plain if every reader takes it for that string, else quoted.

    Raises:
        ValueError: half of a surrogate pair, which is no character and cannot be written.
    """
    if is_plain(text):
        return text
    if ('"' in text or "\\" in text) and shows(text):
        return "'" + text.replace("'", "''") + "'"
    return double_quote(text)


def double_quote(text: str) -> str:
    """Return a string in double quotes, with escapes for invisible characters. Raises as `quote`
    does."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped if shows(escaped) else hidden().sub(_escape, escaped)}"'


def is_plain(text: str) -> bool:
    """Return whether every parser reads the unquoted text as this string."""
    if not text or text.lower() in _WORDS or text[0] in _INDICATORS:
        return False
    if text[-1] in ": " or ": " in text or " #" in text or not shows(text):
        return False
    if text[0] in "-.":
        return _SIGNED_WORD.match(text) is not None and not _INFINITY.fullmatch(text)
    return not _NUMBERLIKE.fullmatch(text)


def literal(text: str, pad: str) -> str | None:
    """Return a string of several lines as a block scalar (``|``) indented by ``pad``.

    None if a block would change it: it begins with a blank, a line ends with one, several line
    breaks end it, or it contains invisible characters.
    """
    if text[0].isspace() or text.endswith("\n\n") or _TRAILING_BLANK.search(text):
        return None
    if not shows(text.replace("\n", "").replace("\t", "")):
        return None
    head, body = ("|", text[:-1]) if text.endswith("\n") else ("|-", text)
    # An empty line stays empty.
    lines = [f"{pad}{line}" if line else "" for line in body.split("\n")]
    return "\n".join([head, *lines])


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("half of a surrogate pair cannot be written as YAML")
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
