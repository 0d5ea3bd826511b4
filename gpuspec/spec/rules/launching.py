"""Rules for launchers of training, which replace `python` in the command."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.spec.jobs import TrainingFields
from gpuspec.spec.program import is_python, line, program
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation

_COMMAND: Path = ("spec", "command")
_LAUNCHER: Path = ("spec", "launcher")
_NEEDS: tuple[Path, ...] = (_COMMAND, _LAUNCHER, ("spec", "gpu", "count"), ("spec", "workers"))


def problems(spec: TrainingFields) -> Iterator[SpecViolation]:
    """Yield violations of the rules for launcher and command."""
    several = spec.gpu.count * spec.workers > 1
    launcher, (command, _) = spec.launcher, line(spec.command, spec.args)
    if launcher == "none" or (launcher is None and not several):
        return
    python = bool(command) and is_python(command[0])
    if launcher is None and not python:
        return
    chosen = launcher or "torchrun"
    if not command:
        yield SpecViolation(
            f"launcher {chosen} needs a `command` to start",
            _LAUNCHER,
            "the image's entrypoint is unknown here: set a command such as [python, -m, train]",
            needs=_NEEDS,
        )
    elif launcher is not None and program(command).starts_processes:
        yield SpecViolation(
            f"launcher {chosen} would start another launcher",
            _COMMAND,
            "set launcher: none, or only the program itself in the command",
            needs=_NEEDS,
        )
    elif not python:
        yield SpecViolation(
            f"launcher {chosen} starts a Python program, but the command begins with "
            f"{shown(command[0])}",
            (*_COMMAND, 0),
            f"write [python, …], where {chosen} replaces python; or launcher: none",
            needs=_NEEDS,
        )
    else:
        yield from _python_options(command, chosen)


def _python_options(command: tuple[str, ...], chosen: str) -> Iterator[SpecViolation]:
    """Yield Python options that launchers cannot pass on, because they start Python themselves;
    only `-m` and `-u` have an equivalent."""
    if program(command).python is not None:
        return
    at = 1 + (command[1:2] == ("-u",))
    at += command[at : at + 1] == ("-m",)
    if at >= len(command):
        message = "the command has no program"
        yield SpecViolation(message, _COMMAND, "write [python, -m, train]", needs=_NEEDS)
        return
    yield SpecViolation(
        f"{chosen} cannot pass {shown(command[at])} to Python",
        (*_COMMAND, at),
        "only -u and -m are passed: set the option by environment (PYTHONDEVMODE, "
        "PYTHONPATH …), or set launcher: none",
        needs=_NEEDS,
    )
