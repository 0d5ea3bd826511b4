"""How each kind of failure becomes text on stderr and an exit code."""

import os
import sys

from gpuspec.cli import codes
from gpuspec.cli.terminal import OutputFailed, color, say, silence, talk, width

MOST_SHOWN = 1 << 20
"""Bytes of a file from which a line can be quoted."""


def failed(error: BaseException) -> int:
    """Print the failure, or the progress of a run that Ctrl-C ended, and return the exit code."""
    if isinstance(error, KeyboardInterrupt):
        from gpuspec.cli.progress import interrupted

        say(interrupted())
        return codes.INTERRUPTED
    from gpuspec import InputError, Problem
    from gpuspec.cli.compose import Refusals
    from gpuspec.report.problems import problems_text, refusals_text

    if isinstance(error, codes.Stop):
        return error.code
    paint, columns = color(sys.stderr), width(sys.stderr)
    if isinstance(error, Refusals):
        talk(
            refusals_text(
                error.refusals,
                error.wanted,
                error.outcome,
                width=columns,
                color=paint,
                source=source,
            )
        )
        if error.hint:
            say(f"  {error.hint}")
        return codes.REFUSED
    problems: tuple[Problem, ...] = ()
    if isinstance(error, InputError):
        problems = error.problems
    elif isinstance(error, OutputFailed):
        problems = (Problem(str(error)),)
    elif isinstance(error, FileNotFoundError) and error.filename is None and not _is_somewhere():
        problems = (Problem("the current folder no longer exists"),)
    elif isinstance(error, OSError) and error.filename is None:
        silence()
        problems = (Problem(f"standard output: {error.strerror}"),)
    elif isinstance(error, MemoryError):
        hint = "use a machine with more memory, or read fewer files at a time"
        problems = (Problem("not enough memory for this input", hint=hint),)
    if problems:
        talk(problems_text(problems, width=columns, color=paint, source=source))
        return codes.WRONG
    _fault(error)
    return codes.FAULT


def source(file: str) -> str | None:
    """Return the text of a problem's file; None if the file cannot be read again."""
    from pathlib import Path

    path = Path(file)
    try:
        if path.is_file() and path.stat().st_size <= MOST_SHOWN:
            return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        pass
    return None


def _is_somewhere() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _fault(error: BaseException) -> None:
    if os.environ.get("GPUSPEC_DEBUG"):
        import traceback

        talk("".join(traceback.format_exception(error)))
        return
    say(f"gpuspec: internal error: {type(error).__name__}: {error}")
    say("  this is a fault of gpuspec: report it with the output of GPUSPEC_DEBUG=1")
