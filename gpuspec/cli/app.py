"""The program: its commands, and how every way to fail becomes an exit code."""

import os
import sys

import typer

from gpuspec.cli.explain import explain
from gpuspec.cli.init import init
from gpuspec.cli.render import render
from gpuspec.cli.schema import schema
from gpuspec.cli.terminal import color, talk

OK, REFUSED, WRONG, NOTHING, FAULT = 0, 1, 2, 3, 4

app = typer.Typer(
    name="gpuspec",
    help="Typed GPU workload specs become Kubernetes manifests that start.",
    epilog="Exit codes: 0 done, 1 the profile cannot carry a spec, 2 wrong input or usage, "
    "3 no spec found, 4 a fault of gpuspec.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", "-V", help="Print the version and exit.", is_eager=True
    ),
) -> None:
    if version:
        from gpuspec import __version__

        typer.echo(f"gpuspec {__version__}")
        raise typer.Exit(OK)


for _command in (init, render, explain, schema):
    app.command(_command.__name__)(_command)


def main() -> int:
    """Run the program and return its exit code."""
    try:
        # Typer ends the process itself, with the exit code of a command as a SystemExit.
        app()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else OK
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has had enough; keep the interpreter from writing at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        return _failed(error)
    return OK


def _failed(error: Exception) -> int:
    from gpuspec import InputError
    from gpuspec.cli.compose import Refusals
    from gpuspec.report.problems import problems_text, refusals_text

    if isinstance(error, InputError):
        talk(problems_text(error.problems, color=color(sys.stderr)))
        return WRONG
    if isinstance(error, Refusals):
        talk(refusals_text(error.refusals, color=color(sys.stderr)))
        return REFUSED
    if os.environ.get("GPUSPEC_DEBUG"):
        raise error
    talk(
        f"gpuspec: internal error: {type(error).__name__}: {error}\n"
        "  this is a fault of gpuspec; please report it with the output of GPUSPEC_DEBUG=1\n"
    )
    return FAULT
