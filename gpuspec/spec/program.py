"""The program that a training command starts: a Python program, a launcher, or something else."""

import re

from msgspec import Struct

_PYTHON = re.compile(r"(?:.*/)?python(?:3(?:\.[0-9]+)?)?")
# Programs and modules that start one process per GPU by themselves.
_LAUNCHERS = {"torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "horovodrun"}
_LAUNCHER_MODULES = ("torch.distributed.", "accelerate.commands.", "deepspeed.launcher.")


class LaunchedProgram(Struct, frozen=True):
    """A command, parsed as far as a launcher needs it."""

    python: str | None
    """The interpreter as written; None if the command starts something else."""
    module: bool
    """Whether `words` begin with a module's name instead of a file's."""
    words: tuple[str, ...]
    """Script, module or program, and its arguments."""
    unbuffered: bool = False
    """Whether `-u` was given, which no launcher passes on; PYTHONUNBUFFERED has the same effect."""

    @property
    def starts_processes(self) -> bool:
        """Whether it is itself a launcher."""
        first = self.words[0] if self.words else ""
        if self.module:
            return first.startswith(_LAUNCHER_MODULES)
        return first.rpartition("/")[2] in _LAUNCHERS


def is_python(name: str) -> bool:
    """Return whether a program is a Python interpreter, by its name."""
    return _PYTHON.fullmatch(name) is not None


def line(
    command: tuple[str, ...], args: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the program and its arguments. If the command is only an interpreter, it starts the
    first word of `args`."""
    bare = bool(command) and is_python(command[0]) and set(command[1:]) <= {"-u", "-m"}
    return ((*command, *args), ()) if bare else (command, args)


def program(command: tuple[str, ...]) -> LaunchedProgram:
    """Parse a command: `python -u -m pkg --x` is the module `pkg` with its arguments.

    A command with an interpreter option that a launcher cannot pass on counts as something else.
    """
    launched_program = LaunchedProgram(None, False, command)
    if not command or not is_python(command[0]):
        return launched_program
    rest = command[1:]
    unbuffered = rest[:1] == ("-u",)
    rest = rest[1:] if unbuffered else rest
    module = rest[:1] == ("-m",)
    rest = rest[1:] if module else rest
    if not rest or rest[0].startswith("-"):
        return launched_program
    return LaunchedProgram(command[0], module, rest, unbuffered)
