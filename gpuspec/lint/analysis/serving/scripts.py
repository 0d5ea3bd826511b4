"""Split a line of a shell script into simple commands."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

_SEPARATORS = frozenset("();<>|&")
# `2>&1` and `>/log`: streams, which end no command; elsewhere the number alone is no word of it.
_STREAMS = re.compile(r"[0-9]*(?:>>?|<)(?:&[0-9-]|\s*/[^\s;|&<>()]+)|&>>?\s*/[^\s;|&<>()]+")
_STREAM = re.compile(r"(?<=\s)[0-9](?=[<>])")


class ScriptCommand(NamedTuple):
    """One simple command."""

    words: list[str]
    end: str
    """The operator after it; empty for the last one of the line."""


def script_lines(script: str) -> list[str]:
    """Return the lines of a script, with continued lines joined."""
    return script.replace("\\\n", " ").splitlines()


def commands_of(line: str) -> list[ScriptCommand] | None:
    """Return the simple commands of a line; None for unbalanced quotes."""
    lexer = shlex.shlex(
        _STREAM.sub("", _STREAMS.sub(" ", line)), posix=True, punctuation_chars=True
    )
    lexer.commenters = ""
    lexer.whitespace_split = True
    script_commands: list[ScriptCommand] = []
    words: list[str] = []
    try:
        for token in lexer:
            if token.startswith("#"):
                break
            if _SEPARATORS.issuperset(token):
                script_commands.append(ScriptCommand(words, token))
                words = []
            else:
                words.append(token)
    except ValueError:
        return None
    if words:
        script_commands.append(ScriptCommand(words, ""))
    return script_commands
