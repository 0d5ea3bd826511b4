"""Formats that programs read. Any text can be written in them, always escaped."""

import re
from collections.abc import Iterable, Mapping

from gpuspec.escaping.characters import COMMAND, hidden, hidden_in_lines, visible

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "::")
"""The beginnings of a spreadsheet's formula and of a log command."""
_APART = re.compile('[,;"]')
"""The separators and quotes of cells; some countries separate by semicolons."""


def json_text(value: object, *, indent: int | None = 2) -> str:
    """Return JSON with a final newline. Invisible characters are escaped, and read back unchanged."""
    import json

    return json_escaped(json.dumps(value, indent=indent, ensure_ascii=False)) + "\n"


def json_escaped(text: str) -> str:
    """Return JSON of another writer, with invisible characters escaped."""
    if not text.isascii() or "\x7f" in text:
        text = hidden_in_lines().sub(lambda match: _utf16(match[0]), text)
    return re.sub(COMMAND, r"\\u0023", text) if "##" in text else text


def _utf16(char: str) -> str:
    units = char.encode("utf-16-be", errors="surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def csv_line(cells: Iterable[object]) -> str:
    """Return a line of CSV with its newline. No text becomes a formula; None is an empty cell."""
    texts = (
        "" if cell is None else _cell(cell) if isinstance(cell, str) else str(cell)
        for cell in cells
    )
    return ",".join(texts) + "\n"


def _cell(text: str) -> str:
    text = visible(text)
    if text.lstrip().startswith(_FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if _APART.search(text) else text


def xml(text: str) -> str:
    """Return a text or an attribute in double quotes. Characters that XML cannot contain even as
    references are shown as escapes."""
    for char, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        if char in text:
            text = text.replace(char, f"&{name};")
    text = re.sub(COMMAND, "&#35;", text) if "##" in text else text
    return hidden().sub(lambda match: _reference(match[0]), text)


def _reference(char: str) -> str:
    allowed = (
        char in "\t\n\r" or " " <= char < "\ud800" or "\ue000" <= char < "\ufffe" or char > "\uffff"
    )
    return f"&#{ord(char)};" if allowed else visible(char)


def html(text: str) -> str:
    """Return the same for pages and pictures, which people read: invisible characters are shown as
    escapes."""
    return xml(visible(text)).replace("'", "&#39;")


def workflow_command(name: str, properties: Mapping[str, object], message: Iterable[str]) -> str:
    """Return a workflow command of GitHub Actions with its newline; `message` are the lines of its
    message."""
    property_list = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    text = "\n".join(map(visible, message))
    return f"::{name} {property_list}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def patch_name(name: str) -> str:
    """Return a file's name in the header of a patch, quoted if necessary, as git and patch(1) read
    it."""
    if not hidden().search(name) and not re.search(r'["\\]', name):
        return name
    octets = name.encode(errors="surrogateescape")
    return '"' + "".join(_octet(octet) for octet in octets) + '"'


def _octet(octet: int) -> str:
    char = chr(octet)
    if char in '"\\':
        return f"\\{char}"
    return char if " " <= char <= "~" else f"\\{octet:03o}"
