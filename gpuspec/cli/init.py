"""`gpuspec init`."""

from typing import Annotated

import typer

from gpuspec.cli.kinds import STARTERS, completed, kind_named
from gpuspec.cli.terminal import data


def _complete(incomplete: str) -> list[str]:
    return completed(STARTERS, incomplete)


def init(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="What to begin; see above.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = "",
) -> None:
    """Print a commented spec to start from.

    \b
    Kinds:
      inference, training, fine-tune, batch-inference, cluster-profile, smoke-test

    \b
    Examples:
      gpuspec init inference > chat.yaml
      gpuspec init cluster-profile > clusters/eu.yaml
    """
    from gpuspec import starter

    data(starter(kind_named(kind, STARTERS)))
