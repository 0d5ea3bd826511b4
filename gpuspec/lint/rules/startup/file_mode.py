"""A mounted file whose mode keeps its user from it."""

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.modes import mode_of, written_modes
from gpuspec.lint.analysis.serving.scripts import commands_of, handler_words, script_lines
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU839",
    "file-mode",
    "error",
    "A script from a ConfigMap or Secret is not executable, or its mode has the wrong base",
    fix="unsafe",
)
_EXECUTABLE = 0o111
# Decimal numbers that read as the modes that people write in octal: `0400` and the like. Those above
# 0777 are refused.
_OCTAL_LOOKING = {400: 0o400, 440: 0o440, 444: 0o444, 500: 0o500}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield programs that containers start by a path in such a volume; modes that are decimal."""
    for bits, path in written_modes(pod):
        if bits in _OCTAL_LOOKING:
            right_mode = _OCTAL_LOOKING[bits]
            yield RawFinding(
                path,
                f"`{path[-1]}: {bits}` is decimal, and means 0{bits:o}: other users may write "
                "the file that only its owner should read, and ssh rejects such a key",
                note=f"write {right_mode}, which is 0{right_mode:o} in octal",
                fix=set_field(path, right_mode),
                severity="warning",
                confidence="likely",
            )
    for container in pod.every:
        for program, at, severe in _programs(container):
            mode = mode_of(pod, container, program)
            if mode is None or mode.bits & _EXECUTABLE:
                continue
            then = (
                "the container never starts" if severe else "the program fails when it should run"
            )
            yield RawFinding(
                at,
                f"`{program}` comes from volume `{mode.volume}` with mode 0{mode.bits:o}, which "
                f"is not executable: permission denied, and {then}",
                note="set `defaultMode: 0555`, or run the script with a shell: `[sh, FILE]`",
                fix=Fix("set `defaultMode: 0555`", (Put(mode.path, 0o555),)),
                severity=None if severe else "warning",
            )


def _programs(container: PodContainer) -> Iterator[tuple[str, Path, bool]]:
    """Yield executed files, their paths, and whether the container exits with them."""
    words = [*items(container.value.get("command")), *items(container.value.get("args"))]
    command = items(container.value.get("command"))
    if command and isinstance(command[0], str):
        first = container.path("command", 0)
        if command[0].startswith("/"):
            yield command[0], first, True
        elif _is_script(words):
            yield from _in_script(words[2], _path(container, len(command)))
    for _, handler in handler_words(container):
        if handler.words[0].startswith("/"):
            yield handler.words[0], handler.places[0], False


def _is_script(words: list[object]) -> bool:
    """Return whether it is a shell with its script: `sh -c SCRIPT`."""
    return (
        len(words) >= 3
        and all(isinstance(word, str) for word in words[:3])
        and str(words[0]).rpartition("/")[2] in SHELLS
        and str(words[1]).startswith("-")
        and "c" in str(words[1])
    )


def _in_script(script: str, path: Path) -> Iterator[tuple[str, Path, bool]]:
    """Yield the first program of a script that is no more than that, or that it hands over to."""
    lines = [line for line in script_lines(script) if line.strip()]
    if len(lines) != 1:
        return
    commands = commands_of(lines[0]) or []
    words = commands[0].words if len(commands) == 1 else []
    if words[:1] == ["exec"]:
        words = words[1:]
    if words and words[0].startswith("/"):
        yield words[0], path, True


def _path(container: PodContainer, commands: int) -> Path:
    """Return the path of the third word; `commands` is the number of words in `command`."""
    return container.path("command", 2) if commands > 2 else container.path("args", 2 - commands)
