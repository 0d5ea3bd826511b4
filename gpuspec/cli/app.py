"""The program: its commands, and how every way to fail becomes an exit code."""

import os
import sys

import typer

from gpuspec.cli import codes
from gpuspec.cli.cluster import cluster
from gpuspec.cli.explain import explain
from gpuspec.cli.group import Command, Group
from gpuspec.cli.init import init
from gpuspec.cli.render import render
from gpuspec.cli.schema import schema
from gpuspec.cli.terminal import OutputFailed, color, data, silence, talk, width

NAME = "gpuspec"

HELP = """Typed GPU workload specs become Kubernetes manifests that start.

\b
Start here:
  gpuspec init inference > chat.yaml     a commented spec to edit
  gpuspec render chat.yaml               its Kubernetes objects
  gpuspec explain chat.yaml              why each value is what it is
"""

EPILOG = """\b
Exit codes:
  0  done
  1  a good spec that the profile cannot carry
  2  wrong usage or input, or an output that cannot be written
  3  no spec found
  4  a fault of gpuspec
"""

app = typer.Typer(
    name=NAME,
    cls=Group,
    help=HELP,
    epilog=EPILOG,
    options_metavar="",
    subcommand_metavar="COMMAND ...",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from gpuspec import __version__

        data(f"{NAME} {__version__}\n")
        raise typer.Exit(codes.DONE)


@app.callback()
def _options(
    version: bool = typer.Option(
        False,
        "--version",
        "-V",
        help="Print the version and exit.",
        is_eager=True,
        callback=_print_version,
    ),
) -> None:
    pass


for _command in (init, render, explain, schema):
    app.command(_command.__name__, cls=Command)(_command)
app.add_typer(cluster)


def main() -> int:
    """Run the program and return its exit code."""
    try:
        code = app(prog_name=NAME, standalone_mode=False)
    except SystemExit as stop:
        # Typer answers a shell that completes, and leaves a pipe that its reader has closed.
        return stop.code if isinstance(stop.code, int) and _completes() else codes.DONE
    except KeyboardInterrupt:
        return codes.INTERRUPTED
    except Exception as error:
        return _failed(error)
    # A 1 is typer's own, about completion; a refusal is raised.
    return codes.WRONG if code == 1 else code or codes.DONE


def _completes() -> bool:
    return f"_{NAME.upper()}_COMPLETE" in os.environ


def _failed(error: Exception) -> int:
    from gpuspec import InputError, Problem
    from gpuspec.cli.compose import Refusals
    from gpuspec.cli.usage import usage_problem
    from gpuspec.report.problems import problems_text, refusals_text

    paint, columns = color(sys.stderr), width(sys.stderr)
    if isinstance(error, Refusals):
        talk(refusals_text(error.refusals, error.wanted, width=columns, color=paint))
        return codes.REFUSED
    problems: tuple[Problem, ...] = ()
    if isinstance(error, InputError):
        problems = error.problems
    elif isinstance(error, typer.TyperException):
        message, hint = usage_problem(error)
        problems = (Problem(message, hint=hint),)
    elif isinstance(error, OutputFailed):
        problems = (Problem(str(error)),)
    elif isinstance(error, OSError) and error.filename is None:
        silence()
        problems = (Problem(f"standard output: {error.strerror}"),)
    if problems:
        talk(problems_text(problems, width=columns, color=paint))
        return codes.WRONG
    _fault(error)
    return codes.FAULT


def _fault(error: Exception) -> None:
    if os.environ.get("GPUSPEC_DEBUG"):
        import traceback

        talk("".join(traceback.format_exception(error)))
        return
    talk(
        f"gpuspec: internal error: {type(error).__name__}: {error}\n"
        "  this is a fault of gpuspec; please report it with the output of GPUSPEC_DEBUG=1\n"
    )
