"""A command line that is not divided into items as the program, or its shell, takes it apart."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.variables import literal

RULE = Rule(
    "GPU739",
    "words-in-one",
    "error",
    "`command` or `args` is not split into the arguments that the program expects",
    fix="unsafe",
)
# What a shell is needed for, or nobody can divide without one.
_FOR_A_SHELL = re.compile(r"[\n$`&|;<>*?(){}\\'\"]")
_POSITIONS = re.compile(r"\$\{?[0-9@*#]")
_OPTION = re.compile(r"(--[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)[ \t]+(\S.*)", re.DOTALL)
_WHOLE = re.compile(r"\$\(([A-Za-z_]\w*)\)")
_BARE = re.compile(r"--[^\s=]+")
# What ends or redirects a command to a shell, and is one more word to a program.
_OPERATORS = frozenset({"&&", "||", "|", ">", ">>", "2>&1"})
# No programs: a shell knows them by itself.
_BUILT_IN = frozenset({"cd", "export", "source", ".", "ulimit", "set"})
# They parse their options, and end at what is none.
_STRICT = ("torchrun", "accelerate", "deepspeed")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield every container's words: the program's own name, what a shell is given, options with
    values."""
    for container in pod.every:
        command = items(container.value.get("command"))
        args = items(container.value.get("args"))
        words = [*command, *args]
        if not words or not all(isinstance(word, str) for word in words):
            continue
        if command and _is_line(command[0]):
            yield _program(container, command, len(args))
        elif (at := _script_at(words)) is not None:
            yield from _after_script(container, command, words, at)
        elif command[:1] and _is_shell(command[0]):
            continue
        else:
            yield from _operator(container, command, words)
            yield from _options(container, command, args)


def _is_line(word: str) -> bool:
    """Return whether a program's name is a whole command line; a path may hold a space."""
    first, *rest = word.split()[:2] or [""]
    return bool(rest) and not (first.startswith("/") and "/" in rest[0] and word.count(" ") == 1)


def _program(container: PodContainer, command: list[str], args: int) -> RawFinding:
    path = container.path("command", 0)
    line = command[0].strip()
    fix = None
    if len(command) == 1 and not _FOR_A_SHELL.search(line):
        fix = Fix("split it into words", (Put(container.path("command"), line.split()),))
    elif len(command) == 1 and not args:
        fix = Fix("run it in a shell", (Put(container.path("command"), ["/bin/sh", "-c", line]),))
    first = line.split()[0]
    return RawFinding(
        path,
        f"no shell reads `command`: the kubelet looks for a program named `{_short(line)}`, "
        "and the container never starts",
        note=f"write `{first}` as the first item, and each word after it as a separate item",
        fix=fix,
    )


def _script_at(words: list[str]) -> int | None:
    """Return where a shell's script stands, or would; None where no shell is given one with
    `-c`."""
    if not _is_shell(words[0]):
        return None
    has_script = False
    for index, word in enumerate(words[1:], 1):
        if not word.startswith(("-", "+")):
            return index if has_script else None
        if word == "--":
            return index + 1 if has_script else None
        has_script = has_script or (not word.startswith("--") and "c" in word)
    return len(words) if has_script else None


def _is_shell(word: str) -> bool:
    return word.rpartition("/")[2] in SHELLS


def _after_script(
    container: PodContainer, command: list[str], words: list[str], at: int
) -> Iterator[RawFinding]:
    if at >= len(words):
        yield RawFinding(
            _path(container, command, at - 1),
            f"`{words[0]} {words[at - 1]}` has no script: the container exits at startup",
            note="add the script as the next item",
        )
        return
    script, rest = words[at], words[at + 1 :]
    if not rest or _POSITIONS.search(script) or not re.search(r"\S", script):
        return
    one_word = not re.search(r"\s", script.strip())
    if not one_word and (len(rest) == 1 and not re.search(r"\s", rest[0])):
        # A name for messages, as `$0`.
        return
    if not one_word and not any(re.search(r"\s", word) for word in rest):
        message = f"the script does not read what follows it: `{_short(' '.join(rest))}` is ignored"
        yield RawFinding(
            _path(container, command, at + 1),
            message,
            note="write these words into the script, or remove them",
            severity="warning",
        )
        return
    name = words[0].rpartition("/")[2]
    runs = f"`{_short(script)}` alone" if one_word else f"only `{_short(script)}`"
    yield RawFinding(
        _path(container, command, at + 1),
        f"`{name} {words[at - 1]}` runs {runs}: the rest becomes `$0`, `$1` and so on, which the "
        "script does not read",
        note="write the whole script as one item",
        fix=_one_script(container, command, words, at, " " if one_word else " && "),
    )


def _one_script(
    container: PodContainer, command: list[str], words: list[str], at: int, joint: str
) -> Fix | None:
    """Return the script and what follows it as one item, where both stand in one list."""
    line = joint.join(word.strip() for word in words[at:])
    if len(command) <= at:
        change = Put(container.path("args"), [*words[len(command) : at], line])
    elif len(command) == len(words):
        change = Put(container.path("command"), [*words[:at], line])
    else:
        return None
    return Fix("join them into one script", (change,))


def _operator(
    container: PodContainer, command: list[str], words: list[str]
) -> Iterator[RawFinding]:
    """Yield the first word that only a shell understands, where none of the words is a shell."""
    # What an entrypoint makes of `args` is not known, nor what a program further on is given.
    if not command or any(_is_shell(word) or word == "eval" for word in words):
        return
    at = next((at for at, word in enumerate(words) if word.strip() in _OPERATORS), None)
    if not at:
        return
    built_in = words[0] in _BUILT_IN
    runs = (
        "the command after it never runs"
        if words[at].strip()[0] in "&|"
        else "nothing is redirected"
    )
    then = "and the container never starts" if built_in else f"and {runs}"
    consequence = (
        f"there is no program `{words[0]}`"
        if built_in
        else f"`{words[0]}` gets the argument `{words[at]}`"
    )
    yield RawFinding(
        _path(container, command, at),
        f"no shell reads `{words[at]}`: {consequence}, {then}",
        note="put the whole line after `sh -c`, as one item",
        severity=None if built_in else "warning",
        confidence="certain" if built_in else "likely",
    )


def _options(container: PodContainer, command: list[str], args: list[str]) -> Iterator[RawFinding]:
    """Yield options that hold their values in the same item, behind a space."""
    words: list[Any] = [*command, *args]
    server = server_of(container)
    strict = any(word.rpartition("/")[2] in _STRICT for word in command)
    is_known = server is not None
    if server is not None and server.launch is not None and server.launch.divides:
        return
    if not is_known and not strict and not _is_python(command):
        return
    for index, word in enumerate(words):
        value = _of_variable(container, word)
        match = _OPTION.fullmatch((value or word).strip())
        # Behind an option it may be the value: options of another program.
        if match is None or (index and _BARE.fullmatch(words[index - 1])):
            continue
        path = _path(container, command, index)
        field, values = ("command", command) if index < len(command) else ("args", args)
        at = index if field == "command" else index - len(command)
        new = [*values[:at], match[1], *_divided(match[2]), *values[at + 1 :]]
        who = server.title if server is not None else "the program"
        fault = f"`{_short(word)}` is one argument"
        if value is not None:
            fault = f"the kubelet replaces `{word}` with all of `{_short(value)}`, as one argument"
        yield RawFinding(
            path,
            f"{fault}, and {who} has no option of that whole name: it exits at startup",
            note=f"write `{match[1]}` and its value as two items, or with `=` between them",
            severity=None if is_known else "warning",
            confidence="certain" if is_known else "likely",
            fix=Fix("split it into words", (Put(container.path(field), new),)),
        )
        return


def _of_variable(container: PodContainer, word: str) -> str | None:
    """Return what the kubelet puts in the place of a word that is a variable and nothing else."""
    match = _WHOLE.fullmatch(word)
    return None if match is None else literal(container.env_value(match[1]), container.value)


def _divided(value: str) -> list[str]:
    """Return a value, and what else stands in its item, as a shell divides it; JSON stays whole."""
    value = value.strip()
    if value[:1] in "{[":
        return [value]
    try:
        return shlex.split(value)
    except ValueError:
        return [value]


def _is_python(command: list[str]) -> bool:
    return bool(command) and command[0].rpartition("/")[2].rstrip("0123456789.") == "python"


def _path(container: PodContainer, command: list[str], index: int) -> Path:
    if index < len(command):
        return container.path("command", index)
    return container.path("args", index - len(command))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
