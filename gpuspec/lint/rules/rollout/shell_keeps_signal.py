"""A server behind a shell that stays process 1 and does not forward SIGTERM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.grace import grace_of
from gpuspec.lint.analysis.serving.scripts import ScriptCommand, commands_of, script_lines
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, whole
from gpuspec.objects.command_line import SHELLS, ArgumentWord
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU772",
    "shell-keeps-signal",
    "warning",
    "A shell is process 1 and does not forward the stop signal to its server",
)
_ENDS = {
    "|": "the output is piped",
    "|&": "the output is piped",
    "&": "the server runs in the background",
}
_THEN = frozenset({";", "&&", "||"})
# What takes signals itself, and what a line cannot tell.
_OTHERWISE = frozenset(
    {"trap", "exec", "tini", "dumb-init", "supervisord", "if", "then", "for", "while"}
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers in a shell's script that does more than start them, with nothing that passes
    SIGTERM on."""
    if pod.life == "finite" or pod.spec.get("shareProcessNamespace") is True:
        return
    grace = grace_of(pod)
    written_grace = whole(grace.seconds)
    seconds = grace.default if written_grace is None else written_grace
    for container in gpu_workers(pod):
        server = server_of(container)
        script = _script(container)
        if server is None or script is None or _hook(container) or _is_beyond(script.text):
            continue
        why = _stays(_commands(script.text), server.name)
        if why is None:
            continue
        yield RawFinding(
            script.path,
            f"{why}, so the shell stays process 1 and does not forward SIGTERM: {server.title} "
            f"runs until the grace period of {seconds} s is over, and is then killed with its "
            "running requests",
            note="start the server with `exec` as the last command of the script",
            confidence="likely",
        )


def _script(container: PodContainer) -> ArgumentWord | None:
    """Return the script of the shell that is the container's first process."""
    words = [
        ArgumentWord(item, container.path(field, at))
        for field in ("command", "args")
        for at, item in enumerate(items(container.value.get(field)))
        if isinstance(item, str)
    ]
    if not words or words[0].text.rpartition("/")[2] not in SHELLS:
        return None
    options = [at for at, word in enumerate(words[1:], 1) if word.text.startswith("-")]
    if not options or "c" not in words[options[-1]].text or options[-1] + 1 >= len(words):
        return None
    script = words[options[-1] + 1]
    return None if "<<" in script.text or "{{" in script.text else script


def _hook(container: PodContainer) -> bool:
    """Return whether a hook ends the server itself."""
    return "kill" in str(
        mapping(mapping(container.value.get("lifecycle")).get("preStop")).get("exec")
    )


def _is_beyond(script: str) -> bool:
    """Return whether a script has words that take signals, or that lines do not tell the sense
    of."""
    return any(word.rpartition("/")[2] in _OTHERWISE for word in script.split())


@cache
def _program() -> re.Pattern[str]:
    """Return patterns for the beginnings of a server's command, and for shell syntax that is not a
    simple command."""
    return re.compile("|".join((*map(re.escape, sorted(runtimes.programs())), "[\"'#]")))


def _commands(script: str) -> list[ScriptCommand]:
    """Return the simple commands of a script; none if it cannot be parsed."""
    all_commands: list[ScriptCommand] = []
    for line in filter(str.strip, script_lines(script)):
        # Taking a line apart costs a hundred times as much as to see that it is a command.
        plain = _program().search(line) is None
        commands = [ScriptCommand([], "")] if plain else commands_of(line)
        if commands is None:
            return []
        if all_commands and commands:
            all_commands[-1] = all_commands[-1]._replace(end=all_commands[-1].end or ";")
        all_commands += commands
    return all_commands


def _stays(commands: list[ScriptCommand], server: str) -> str | None:
    """Return why the shell keeps running beside its server, in words; None if it does not have to."""
    if any(
        not _OTHERWISE.isdisjoint(word.rpartition("/")[2] for word in command.words)
        for command in commands
    ):
        return None
    for at, command in enumerate(commands):
        plain = [word.rpartition("/")[2] for word in command.words]
        if runtimes.after_start(plain, server) is None:
            continue
        # What lies between is where its output goes.
        end = next(
            (
                command.end
                for command in commands[at:]
                if command.end in _ENDS or command.end in _THEN
            ),
            "",
        )
        return _ENDS.get(end) or ("other commands follow the server's" if end else None)
    return None
