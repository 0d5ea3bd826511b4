"""A command line that is not divided into items as the program, or its shell, takes it apart."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from gpuspec.lint.analysis.serving.scripts import (
    WordList,
    handler_words,
    is_joined,
    is_shell,
    main_words,
)
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items
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
_BUILT_IN = frozenset({"cd", "export", "source", ".", "ulimit", "set", "eval", "exec", "trap"})
_ALSO_FILES = frozenset({"cd", "ulimit"})
_SETTING = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=[^\n]*")
# What becomes of a probe or a hook whose program does not exist.
_CONSEQUENCES = {
    "postStart": "the hook fails and the kubelet kills the container",
    "preStop": "the hook does nothing",
    "startupProbe": "the probe fails and the kubelet restarts the container in a loop",
    "readinessProbe": "the probe fails and the pod is never ready",
    "livenessProbe": "the probe fails and the kubelet restarts the container in a loop",
}
# They parse their options, and end at what is none.
_STRICT = ("torchrun", "accelerate", "deepspeed")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check every container's words: the program's name, a shell's script, options with values;
    then those of its probes and hooks."""
    for container in pod.every:
        line = main_words(container)
        command = items(container.value.get("command"))
        if line is not None and line.words and not is_joined(pod, container):
            yield from _of_container(container, line, len(command))
        for field, handler in handler_words(container):
            yield from _of_handler(field, handler)


def _of_container(container: PodContainer, line: WordList, commands: int) -> Iterator[RawFinding]:
    words = line.words
    if commands and _is_line(words[0]):
        yield _program(container, line, commands)
    elif commands and (fault := _no_program(words[0])) is not None:
        yield _not_a_program(container, line, fault)
    elif (at := line.script_at) is not None:
        yield from _after_script(container, line, commands, at)
    elif commands and is_shell(words[0]):
        return
    else:
        yield from _operator(line, commands)
        yield from _options(container, line, commands)
        yield from _line_end(line, commands)


def _of_handler(field: str, line: WordList) -> Iterator[RawFinding]:
    """Yield the command of a probe or a hook that no shell splits."""
    then = _CONSEQUENCES[field]
    first = line.words[0]
    if _is_line(first):
        yield RawFinding(
            line.places[0],
            f"no shell reads the command of `{field}`: there is no program named `{_short(first)}`, "
            f"so {then}",
            note=f"write each word as an item, or put the line after `sh -c`: `[sh, -c, {_short(first)!r}]`",
            fix=Fix("split it into words", (Put(line.places[0][:-1], first.split()),))
            if len(line.words) == 1 and not _FOR_A_SHELL.search(first)
            else None,
        )
        return
    if line.script_at is not None or any(is_shell(word) or word == "eval" for word in line.words):
        return
    operator = next(((at, word) for at, word in enumerate(line.words) if word in _OPERATORS), None)
    if operator is not None and operator[0]:
        yield RawFinding(
            line.places[operator[0]],
            f"no shell reads `{operator[1]}` in the command of `{field}`: `{_short(first)}` gets it "
            "as an argument, and what follows never runs",
            note="put the whole line after `sh -c`, as one item",
            severity="warning",
            confidence="likely",
        )


def _is_line(word: str) -> bool:
    """Return whether a program's name is a whole command line; a path may hold a space."""
    first, *rest = word.split()[:2] or [""]
    return bool(rest) and not (first.startswith("/") and "/" in rest[0] and word.count(" ") == 1)


def _program(container: PodContainer, line: WordList, commands: int) -> RawFinding:
    text = line.words[0].strip()
    fix = None
    if commands == 1 and not _FOR_A_SHELL.search(text):
        fix = Fix("split it into words", (Put(container.path("command"), text.split()),))
    elif len(line.words) == 1:
        fix = Fix("run it in a shell", (Put(container.path("command"), ["/bin/sh", "-c", text]),))
    first = text.split()[0]
    return RawFinding(
        line.places[0],
        f"no shell reads `command`: the kubelet looks for a program named `{_short(text)}`, "
        "and the container never starts",
        note=f"write `{first}` as the first item, and each word after it as a separate item",
        fix=fix,
    )


def _no_program(word: str) -> str | None:
    """Return why a first word can be no program: an option, a shell's own command, a variable."""
    if word.startswith("-") and len(word) > 1:
        return "since `command` replaces the image's entrypoint"
    if word in _BUILT_IN:
        return "a command of the shell itself"
    return "which sets a variable in a shell" if _SETTING.fullmatch(word) else None


def _not_a_program(container: PodContainer, line: WordList, why: str) -> RawFinding:
    first, fix = line.words[0], None
    note = "put the whole line after `sh -c`, as one item"
    if first.startswith("-"):
        path = container.path("command")
        note = "move the options to `args`"
        fix = Fix("move them to `args`", (Drop(path), Put(container.path("args"), line.words)))
    elif first not in _BUILT_IN:
        note = "set the variable in `env`"
    # Some distributions have files such as `/usr/bin/cd`, which do nothing.
    doubtful = first in _ALSO_FILES and _OPERATORS.isdisjoint(line.words)
    return RawFinding(
        line.places[0],
        f"there is no program `{_short(first)}`, {why}: the container never starts",
        note=note,
        severity="warning" if doubtful else None,
        confidence="likely" if doubtful else "certain",
        fix=fix,
    )


def _line_end(line: WordList, commands: int) -> Iterator[RawFinding]:
    """Yield the first word that is the sign of a continued line in a shell."""
    at = next((at for at, word in enumerate(line.words) if word.strip() == "\\"), None)
    if at and commands:
        yield RawFinding(
            line.places[at],
            f"no shell reads the line end `\\`: `{_short(line.words[0])}` gets it as an argument",
            note="remove the backslash: each item is an argument of its own",
            severity="warning",
            confidence="likely",
            fix=Fix("remove it", (Drop(line.places[at]),)),
        )


def _after_script(
    container: PodContainer, line: WordList, commands: int, at: int
) -> Iterator[RawFinding]:
    words = line.words
    if at >= len(words):
        yield RawFinding(
            line.places[at - 1],
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
            line.places[at + 1],
            message,
            note="write these words into the script, or remove them",
            severity="warning",
        )
        return
    name = words[0].rpartition("/")[2]
    runs = f"`{_short(script)}` alone" if one_word else f"only `{_short(script)}`"
    yield RawFinding(
        line.places[at + 1],
        f"`{name} {words[at - 1]}` runs {runs}: the rest becomes `$0`, `$1` and so on, which the "
        "script does not read",
        note="write the whole script as one item",
        fix=_one_script(container, words, commands, at, " " if one_word else " && "),
    )


def _one_script(
    container: PodContainer, words: list[str], commands: int, at: int, joint: str
) -> Fix | None:
    """Return a fix that joins the script and the words after it, if both are in one list."""
    script = joint.join(word.strip() for word in words[at:])
    if commands <= at:
        change = Put(container.path("args"), [*words[commands:at], script])
    elif commands == len(words):
        change = Put(container.path("command"), [*words[:at], script])
    else:
        return None
    return Fix("join them into one script", (change,))


def _operator(line: WordList, commands: int) -> Iterator[RawFinding]:
    """Yield the first word that only a shell understands, if there is no shell."""
    words = line.words
    # What an entrypoint makes of `args` is not known, nor what a program further on is given.
    if not commands or any(is_shell(word) or word == "eval" for word in words):
        return
    at = next((at for at, word in enumerate(words) if word.strip() in _OPERATORS), None)
    if not at:
        return
    runs = (
        "the command after it never runs"
        if words[at].strip()[0] in "&|"
        else "nothing is redirected"
    )
    yield RawFinding(
        line.places[at],
        f"no shell reads `{words[at]}`: `{words[0]}` gets the argument `{words[at]}`, and {runs}",
        note="put the whole line after `sh -c`, as one item",
        severity="warning",
        confidence="likely",
    )


def _options(container: PodContainer, line: WordList, commands: int) -> Iterator[RawFinding]:
    """Yield options with their values in the same item, after a space."""
    words = line.words
    command = words[:commands]
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
        field = "command" if index < commands else "args"
        start = 0 if field == "command" else commands
        values = words[start : commands if field == "command" else None]
        at = index - start
        new = [*values[:at], match[1], *_divided(match[2]), *values[at + 1 :]]
        who = server.title if server is not None else "the program"
        fault = f"`{_short(word)}` is one argument"
        if value is not None:
            fault = f"the kubelet replaces `{word}` with all of `{_short(value)}`, as one argument"
        yield RawFinding(
            line.places[index],
            f"{fault}, and {who} has no option of that name: it exits at startup",
            note=f"write `{match[1]}` and its value as two items, or with `=` between them",
            severity=None if is_known else "warning",
            confidence="certain" if is_known else "likely",
            fix=Fix("split it into words", (Put(container.path(field), new),)),
        )
        return


def _of_variable(container: PodContainer, word: str) -> str | None:
    """Return the value that the kubelet substitutes for a word that is only a variable."""
    match = _WHOLE.fullmatch(word)
    return None if match is None else literal(container.env_value(match[1]), container.value)


def _divided(value: str) -> list[str]:
    """Return a value and the other words in its item, split like in a shell; JSON stays whole."""
    value = value.strip()
    if value[:1] in "{[":
        return [value]
    try:
        return shlex.split(value)
    except ValueError:
        return [value]


def _is_python(command: list[str]) -> bool:
    return bool(command) and command[0].rpartition("/")[2].rstrip("0123456789.") == "python"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
