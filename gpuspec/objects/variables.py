"""Expansion of variables on a command line that the container itself sets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.manifests.values import items

if TYPE_CHECKING:
    from gpuspec.manifests import Path

_MENTION = re.compile(
    r"\$\((?P<kubelet>[A-Za-z_]\w*)\)|\$(?:\{(?P<braced>[A-Za-z_]\w*)\}|(?P<bare>[A-Za-z_]\w*))"
)
# What a shell, or the kubelet, would read once more: the words that come of it are not known.
_READ_AGAIN = re.compile(r"[$`\"'\\*?\[\]{}<>|&;()#~]")


class ResolvedWord(NamedTuple):
    """A word of a command line, with the path of the variable's value; None if the word is literal."""

    text: str
    path: Path | None


def plain_variables(container: dict[str, Any], base: Path) -> dict[str, tuple[str, Path]]:
    """Return the variables of a container that have literal values."""
    variables: dict[str, tuple[str, Path]] = {}
    for index, entry in enumerate(items(container.get("env"))):
        if not isinstance(entry, dict) or not isinstance(name := entry.get("name"), str):
            continue
        variables.pop(name, None)
        value = entry.get("value")
        if isinstance(value, str) and value.strip() and _READ_AGAIN.search(value) is None:
            variables[name] = value, (*base, "env", index, "value")
    return variables


def filled(
    word: str, variables: dict[str, tuple[str, Path]], script: str | None = None
) -> list[ResolvedWord]:
    """Return a word with its variables expanded, or the words into which the shell splits it.

    `script` is the shell's script that the word is of. Without, the word is handed over as it is:
    the kubelet alone fills in, and nobody takes what comes of it apart.
    """
    if "$" not in word or not variables:
        return [ResolvedWord(word, None)]
    whole = _MENTION.fullmatch(word)
    if whole is not None:
        variable = _found(whole, variables, script)
        if variable is None:
            return [ResolvedWord(word, None)]
        value, path = variable
        parts = [value] if script is None else value.split()
        return [ResolvedWord(part, path) for part in parts]
    return [ResolvedWord(_MENTION.sub(lambda match: _inside(match, variables, script), word), None)]


def _inside(
    mention: re.Match[str], variables: dict[str, tuple[str, Path]], script: str | None
) -> str:
    variable = _found(mention, variables, script)
    if variable is None or (script is not None and len(variable[0].split()) > 1):
        return mention[0]
    return variable[0]


def _found(
    mention: re.Match[str], variables: dict[str, tuple[str, Path]], script: str | None
) -> tuple[str, Path] | None:
    """Return the replacement of a variable; None if it stays as it is, or is unknown."""
    name = mention["kubelet"] or mention["braced"] or mention["bare"]
    if name not in variables or (script is None and mention["kubelet"] is None):
        return None
    value, _ = variable = variables[name]
    if script is not None and (_is_set(name, script) or _is_quoted(mention[0], value, script)):
        return None
    return variable


def _is_set(name: str, script: str) -> bool:
    """Return whether the script assigns the variable."""
    word = re.escape(name)
    return re.search(rf"\b(?:{word}\+?=|for {word}\b|read\b[^\n]*\b{word}\b)", script) is not None


def _is_quoted(mention: str, value: str, script: str) -> bool:
    """Return whether quotes may keep a value of several words together."""
    return (
        len(value.split()) > 1
        and re.search(rf"[\"'][^\"'\s]*{re.escape(mention)}", script) is not None
    )


def literal(value: str | None, container: dict[str, Any]) -> str | None:
    """Return the value of a variable; None if it contains another variable whose value is unknown."""
    if value is None or "$(" not in value:
        return value
    plain = plain_variables(container, ())
    text = _MENTION.sub(lambda match: _value_of(match, plain), value)
    return None if "$(" in text else text


def _value_of(mention: re.Match[str], variables: dict[str, tuple[str, Path]]) -> str:
    name = mention["kubelet"]
    return variables[name][0] if name in variables else mention[0]
