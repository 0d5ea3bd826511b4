"""Write the manual page, from what the commands say of themselves: `python docs/make_man.py`."""

import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer

from gpuspec.cli.app import EPILOG, HELP, NAME, app
from gpuspec.cli.help_text import VERBATIM, narrowed
from gpuspec.version import __version__

PAGE = Path(__file__).parent / "man" / f"{NAME}.1"
ROOM = 68
"""Columns of an example on a page of 80."""
COMMON = ("color", "help")
"""Options that every command has, told once."""
HEAD = f"""\
.\\" Made by docs/make_man.py from what the commands say of themselves. Do not edit.
.TH {NAME.upper()} 1 "" "{NAME} {__version__}" "User Commands"
.nh
.ad l
.SH NAME
{NAME} \\- render, lint and place GPU workloads for Kubernetes
.SH SYNOPSIS
.B {NAME}
.I COMMAND
.RI [ OPTIONS ]
.RI [ ARGUMENTS ]
.SH DESCRIPTION
"""
STREAMS = """\
.PP
Data goes to standard output, all else to standard error. Paths are files, folders of them, or \\- for standard input.
.B gpuspec help
.I COMMAND
prints the section below about one command.
"""
COLOR = """\
.TP
.B \\-\\-color <auto|always|never>
For every command: whether to colour the output. Default: auto, only on a terminal.
"""
TAIL = """\
.SH ENVIRONMENT
.TP
.B NO_COLOR
When set, nothing is coloured.
.TP
.B FORCE_COLOR
When set, output is coloured in a pipe and in a file too. NO_COLOR overrides it, and \\-\\-color overrides both.
.TP
.B COLUMNS
Width at which text on a terminal is folded, in place of the terminal's own.
.TP
.B GITHUB_ACTIONS
When true, lint's text is followed by annotations for GitHub.
.TP
.B GPUSPEC_DEBUG
When set, a fault of gpuspec prints its traceback.
.SH FILES
.TP
.I .gpuspec.yaml
The configuration of a repository: the nearest one in the folder of the first path or above it. A table [tool.gpuspec] in
.I pyproject.toml
does the same.
.TP
.I .gpuspec\\-record
In a folder that was written with \\-o: which run wrote which file, so that the next run replaces and removes only its own files.
.SH SEE ALSO
.BR kubectl (1),
.BR kustomize (1),
.BR helm (1)
"""


def escaped(text: str) -> str:
    """A text in which nothing means anything to roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^(?=[.'])", r"\\&", text)


def paragraphs(text: str) -> Iterator[str]:
    """A help text: paragraphs are filled, examples stay line by line."""
    for paragraph in cleandoc(text).split("\n\n"):
        if not paragraph.startswith(VERBATIM):
            yield f".PP\n{escaped(' '.join(paragraph.split()))}\n"
            continue
        head, *lines = narrowed(paragraph, ROOM).removeprefix(VERBATIM).strip("\n").split("\n")
        body = "\n".join(escaped(line.removeprefix("  ")) for line in lines)
        yield f".PP\n{escaped(head)}\n.RS 4\n.nf\n{body}\n.fi\n.RE\n"


def commands(command: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each command by its whole name, with its context; groups stand for theirs."""
    for name, one in command.commands.items():
        if one.hidden:
            continue
        inner = typer.Context(one, info_name=name, parent=context)
        if hasattr(one, "commands"):
            yield from commands(one, inner)
        else:
            yield inner.command_path, one, inner


def parameters(command: Any, context: Any) -> Iterator[str]:
    """The arguments and options of a command."""
    for param in command.get_params(context):
        if param.name in COMMON and context.parent is not None:
            continue
        record = param.get_help_record(context)
        if record is None:
            continue
        said, gloss = record
        yield f".TP\n.B {escaped(said)}\n{escaped(' '.join(gloss.split()))}\n"


def text() -> str:
    """The page."""
    program = typer.main.get_command(app)
    context = typer.Context(program, info_name=NAME, help_option_names=["-h", "--help"])
    parts = [
        HEAD,
        *paragraphs(HELP),
        STREAMS,
        ".SH OPTIONS\n",
        *parameters(program, context),
        COLOR,
    ]
    parts.append(".SH COMMANDS\n")
    for _, one, inner in commands(program, context):
        usage = " ".join([inner.command_path, *one.collect_usage_pieces(inner)])
        parts += [f'.SS "{escaped(usage)}"\n', *paragraphs(one.help), *parameters(one, inner)]
    parts.append(".SH EXIT STATUS\n")
    for line in EPILOG.splitlines()[2:]:
        code, _, gloss = line.strip().partition(" ")
        parts.append(f".TP\n.B {code}\n{escaped(gloss.strip())}\n")
    return "".join(parts) + TAIL


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
