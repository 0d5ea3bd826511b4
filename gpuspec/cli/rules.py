"""`gpuspec rule` and `gpuspec rules`."""

import sys
from typing import Annotated, Literal

import typer

from gpuspec.cli.completing import complete_rule
from gpuspec.cli.terminal import color, data, width

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
    """Print a rule's page: what, why, wrong, right.

    \b
    Examples:
      gpuspec rule GPU102
      gpuspec rule request-differs-from-limit
    """
    import gpuspec
    from gpuspec.escaping.formats import json_text
    from gpuspec.report import rules as report

    known, page = gpuspec.rule(code)
    if format == "json":
        data(json_text(report.rule_json(known, page)))
    elif format == "markdown":
        data(report.rule_markdown(known, page))
    else:
        paint = color(sys.stdout)
        data(report.rule_text(known, page, width=width(sys.stdout), color=paint))


def rules(format: PageFormat = "text") -> None:
    """List the linter's rules."""
    import gpuspec
    from gpuspec.escaping.formats import json_text
    from gpuspec.report import rules as report

    known = gpuspec.rules()
    if format == "json":
        data(json_text(report.rules_json(known)))
    elif format == "markdown":
        data(report.rules_markdown(known))
    else:
        data(report.rules_text(known, width=width(sys.stdout), color=color(sys.stdout)))
