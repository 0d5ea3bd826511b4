"""How training is started: a launcher takes the place of `python` in the command."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.spec.jobs import TrainingFields
from gpuspec.spec.layout import PYTHON
from gpuspec.spec.rules.broken import Broken
from gpuspec.spec.words import shown

_COMMAND: Path = ("spec", "command")
_LAUNCHER: Path = ("spec", "launcher")
LAUNCHERS = ("torchrun", "accelerate", "deepspeed")


def launcher(spec: TrainingFields) -> str:
    """The launcher: as asked, else torchrun for a Python program on more than one GPU."""
    if spec.launcher is not None:
        return spec.launcher
    several = spec.gpu.count * spec.workers > 1
    python = bool(spec.command) and spec.command[0] in PYTHON
    return "torchrun" if several and python else "none"


def problems(spec: TrainingFields) -> Iterator[Broken]:
    """Broken rules of launcher and command."""
    chosen = launcher(spec)
    if chosen == "none":
        return
    needs = (_COMMAND, _LAUNCHER, ("spec", "gpu", "count"), ("spec", "workers"))
    if not spec.command:
        yield Broken(
            f"launcher {chosen} needs a `command` to start",
            _LAUNCHER,
            "the image's entrypoint cannot be seen from here: write one such as "
            "[python, -m, train]",
            needs=needs,
        )
    elif spec.command[0] not in PYTHON:
        first = spec.command[0]
        hint = f"write [python, …], in whose place {chosen} stands; or launcher: none"
        if first in LAUNCHERS:
            hint = "write launcher: none, or leave the launcher out of the command"
        said = f"launcher {chosen} starts a Python program, and the command begins with"
        yield Broken(f"{said} {shown(first)}", (*_COMMAND, 0), hint, needs=needs)
    else:
        yield from _python_options(spec.command, chosen, needs)


def _python_options(
    command: tuple[str, ...], chosen: str, needs: tuple[Path, ...]
) -> Iterator[Broken]:
    """Launchers start Python themselves: of its options they know `-m`, and set `-u`."""
    at = 1
    while at < len(command) and command[at] == "-u":
        at += 1
    program = at + 1 if at < len(command) and command[at] == "-m" else at
    if program < len(command) and not command[program].startswith("-"):
        return
    if program >= len(command):
        yield Broken("the command starts no program", _COMMAND, "write [python, -m, train]")
        return
    yield Broken(
        f"{chosen} cannot pass {shown(command[program])} to Python",
        (*_COMMAND, program),
        "only -m and -u are passed: set the option by environment (PYTHONDEVMODE, PYTHONPATH …), "
        "or write launcher: none",
        needs=needs,
    )
