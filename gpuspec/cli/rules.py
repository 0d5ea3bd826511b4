"""`gpuspec rule` and `gpuspec rules`."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gpuspec.cli.completing import complete_rule
from gpuspec.cli.terminal import color, data, width

if TYPE_CHECKING:
    from gpuspec import InputError

PageFormat = Annotated[
    Literal["text", "markdown", "json"], typer.Option("--format", help="Format of the output.")
]


def rule(
    code: Annotated[
        str,
        typer.Argument(metavar="RULE", help="A rule's code or name.", autocompletion=complete_rule),
    ],
    format: PageFormat = "text",
) -> None:
    """Print a rule's page: the fault, the reason, and examples.

    \b
    Examples:
      gpuspec rule GPU102
      gpuspec rule request-differs-from-limit
    """
    import gpuspec
    from gpuspec.escaping.formats import json_text
    from gpuspec.report import rules as report

    entry, page = gpuspec.rule(code)
    if format == "json":
        data(json_text(report.rule_json(entry, page)))
    elif format == "markdown":
        data(report.rule_markdown(entry, page))
    else:
        paint = color(sys.stdout)
        data(report.rule_text(entry, page, width=width(sys.stdout), color=paint))


def rules(context: typer.Context, format: PageFormat = "text") -> None:
    """List the linter's rules."""
    import gpuspec

    if context.args:
        raise _one_rule(context.args[0])
    from gpuspec.escaping.formats import json_text
    from gpuspec.report import rules as report

    entries = gpuspec.rules()
    if format == "json":
        data(json_text(report.rules_json(entries)))
    elif format == "markdown":
        data(report.rules_markdown(entries))
    else:
        data(report.rules_text(entries, width=width(sys.stdout), color=color(sys.stdout)))


def _one_rule(word: str) -> "InputError":
    """Return the command for one rule, for an argument to the command that lists all rules."""
    import gpuspec
    from gpuspec import InputError, Problem

    try:
        hint = f"did you mean `gpuspec rule {gpuspec.rule(word)[0].code}`?"
    except InputError as error:
        problem = error.problems[0]
        hint = f"`gpuspec rule CODE` prints one rule: {problem.message}, {problem.hint}"
    return InputError([Problem("`gpuspec rules` lists all rules and takes no argument", hint=hint)])
