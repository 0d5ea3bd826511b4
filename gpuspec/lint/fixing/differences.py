"""What fixes change, as a patch."""

import os
import re


def diff(name: str, before: str, after: str) -> str:
    """A unified diff that `git apply` and `patch -p1` take; empty where nothing differs.

    Lines keep their ends, so a file with Windows line ends has them in its patch too.
    """
    # Few runs print one.
    from difflib import unified_diff

    old, new = (f"{side}/{name}" for side in "ab") if _is_relative(name) else (name, name)
    lines = unified_diff(_lines(before), _lines(after), _quoted(old), _quoted(new))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _is_relative(name: str) -> bool:
    return not name.startswith(("/", "<", "..")) and ":" not in name


def _quoted(name: str) -> str:
    """A name as git writes one with bytes that are no text: in quotes, these bytes as octal numbers."""
    if not re.search(r'[\x00-\x1f"\\\x7f\ud800-\udfff]', name):
        return name
    escaped = (
        f"\\{one:03o}" if one in b'"\\' or not 32 <= one < 127 else chr(one)
        for one in os.fsencode(name)
    )
    return f'"{"".join(escaped)}"'


def _lines(text: str) -> list[str]:
    """Lines with their ends. Only a line feed ends one, as in every program that reads patches."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], lines[-1][:-1]] if lines[-1] != "\n" else lines[:-1]
