"""The program: its commands, and the exit code of each kind of failure."""

import os

import typer

from gpuspec.cli import codes
from gpuspec.cli.argocd import argocd
from gpuspec.cli.cluster import cluster
from gpuspec.cli.diff import diff
from gpuspec.cli.explain import explain
from gpuspec.cli.failures import failed
from gpuspec.cli.fit import fit, fleet
from gpuspec.cli.group import GpuspecCommand, GpuspecGroup
from gpuspec.cli.helm import helm
from gpuspec.cli.init import init
from gpuspec.cli.lint import LintCommand, lint
from gpuspec.cli.program import NAME, program_name
from gpuspec.cli.render import render
from gpuspec.cli.rules import rule, rules
from gpuspec.cli.schema import schema
from gpuspec.cli.table import table
from gpuspec.cli.terminal import data

HELP = """Typed GPU workload specs become Kubernetes manifests that start.

\b
Start here:
  gpuspec init inference > chat.yaml  a commented spec to edit
  gpuspec render chat.yaml            its Kubernetes objects
  gpuspec explain chat.yaml           why each value is what it is
  gpuspec lint .                      what is wrong with specs and manifests
  gpuspec fit chat.yaml -c eu.yaml    whether it fits, and at what cost
  gpuspec diff main:k8s k8s           what a change does to running pods
"""

EPILOG = """\b
Exit codes:
  0    done
  1    a failed check: a refused spec, findings, unplaced pods, differences
  2    wrong usage or input, or an output that cannot be written
  3    nothing to work on: no spec, no manifest
  4    a fault of gpuspec
  130  interrupted (Ctrl-C)
"""

app = typer.Typer(
    name=NAME,
    cls=GpuspecGroup,
    help=HELP,
    epilog=EPILOG,
    options_metavar="",
    subcommand_metavar="COMMAND ...",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
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


for _command in (init, render, explain, lint, fit, diff, table, rule, rules, schema):
    app.command(
        _command.__name__,
        cls=LintCommand if _command is lint else GpuspecCommand,
        # `rules` says itself what is wrong with an argument.
        context_settings={"allow_extra_args": _command is rules},
    )(_command)
app.add_typer(cluster)
app.add_typer(fleet)
app.add_typer(argocd)
app.add_typer(helm)


def main() -> int:
    """Run the program and return its exit code."""
    try:
        code = app(prog_name=program_name(), standalone_mode=False)
    except SystemExit as stop:
        # Typer answers a shell that completes, and leaves a pipe that its reader has closed.
        return stop.code if isinstance(stop.code, int) and _completes() else codes.DONE
    except typer.TyperException as error:
        return failed(_in_our_words(error))
    except (Exception, KeyboardInterrupt) as error:
        return failed(error)
    if code == codes.INTERRUPTED:  # what typer makes of Ctrl-C
        return failed(KeyboardInterrupt())
    # A 1 is typer's own, about completion; a refusal is raised.
    return codes.WRONG if code == 1 else code or codes.DONE


def _in_our_words(error: typer.TyperException) -> Exception:
    from gpuspec import InputError, Problem
    from gpuspec.cli.usage import usage_problem

    message, hint = usage_problem(error)
    return InputError([Problem(message, hint=hint)])


def _completes() -> bool:
    return f"_{NAME.upper()}_COMPLETE" in os.environ
