"""Scalars that readers of YAML take for different things, and texts that writers get wrong."""

from typing import Any

from gpuspec.manifests import read
from tests.manifests.test_scalars import SCALARS

WRITTEN = [
    *(text for text, _ in SCALARS),
    *("12:30", "190:20:30", "2024-01-01", "2024-01-01T00:00:00Z", "=", "<<", "0b-1", "1_000.5"),
    *("'yes'", '"012"', "!!str 5", '!!int "5"', "!!binary aGk=", "!!str yes", "!!float 1"),
    *("12345678901234567890", "0xFFFFFFFFFFFFFFFF", "-9223372036854775808", "1e21", "0.1"),
    *("v1.2", "1.2.3", "10Gi", "500m", "0.5", "1E3", "0X1F", "+.5", "1e+400", "00", "0_7", "-0x1f"),
]
REFUSED = (".inf", "-.INF", ".NaN", "!!int five", "@home", "`a`")
# What writers get wrong, and what shows nothing.
MEANT = ["y", "N", "yes", "on", "012", "0o7", "1e3", "2e+07", "0x1f", "12:30", "~", "null", "true"]
MEANT += [
    "",
    " ",
    " a",
    "a ",
    "a: b",
    "a #b",
    "- a",
    "*a",
    "&a",
    "!a",
    "%a",
    "@a",
    "`a",
    "{a}",
    "?",
]
MEANT += ["a\nb", "a\nb\n", "\na", "a\n\n", "a\n b\n", "\t", "é", "\u2028", "\u200b", "\U0001f600"]
MEANT += [
    "'",
    '"',
    "\\",
    "it's",
    '"a"',
    "1.",
    ".5",
    "-",
    "--",
    "---",
    "...",
    "=",
    "<<",
    "0b1",
    "_1",
]
MEANT += [
    "1_000",
    "2024-01-01",
    "-.inf",
    ".NaN",
    "12345678901234567890",
    "a" * 2000,
    "NO",
    "a\x07b",
]


def only(text: str) -> Any:
    """The one document of a text, as we read it."""
    (document,) = read(text, "only")
    return document.value


READ: list[tuple[str, object]] = [
    (text, only(f"a: {text}\n")["a"]) for text in dict.fromkeys(WRITTEN)
]
"""Each scalar, and what we take it for."""
