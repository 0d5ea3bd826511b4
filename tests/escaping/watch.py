"""What no output may hold, told by Unicode's own tables and by what CI systems are known to obey."""

import re
from unicodedata import category

SHOWN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Signs before Arabic and Indic numbers: of the category of marks that do not show, but they do."""


def raw(text: str, kept: str = "\n") -> list[str]:
    """The characters of a text that steer a terminal, break a line or do not show."""
    return [
        char
        for char in text
        if char not in kept + SHOWN
        and (
            category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
            or (category(char) == "Zs" and char != " ")
        )
    ]


def obeyed(text: str) -> list[str]:
    """The lines of a log that GitHub, Azure or TeamCity would take for a command."""
    return [
        line
        for line in re.split(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)
        if line.lstrip().startswith("::") or re.search(r"##\w*\[", line)
    ]
