r"""The escapes of JSON strings that differ from those of YAML: characters beyond U+FFFF.

JSON writes it as a surrogate pair (``\ud83d\ude00``), YAML as ``\U0001F600``.
"""

import re

from gpuspec.numbers import of_digits

_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def as_yaml(json_text: str) -> str:
    """Return JSON with its surrogate pairs in YAML's notation, padded so that columns stay."""
    return _ESCAPE.sub(_one_escape, json_text) if "\\u" in json_text else json_text


def has_half_pair(json_text: str) -> bool:
    """Return whether JSON contains a lone surrogate, which is not a character."""
    return "\\u" in json_text and any(match[3] for match in _ESCAPE.finditer(json_text))


def _one_escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    high, low = of_digits(match[1], 16) - 0xD800, of_digits(match[2], 16) - 0xDC00
    return f"\\U{0x10000 + (high << 10) + low:08X}  "
