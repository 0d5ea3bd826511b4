"""`gpuspec schema`."""

from typing import Annotated

import typer

from gpuspec.cli.kinds import SCHEMAS, completed, kind_named
from gpuspec.cli.terminal import data


def _complete(incomplete: str) -> list[str]:
    return completed(SCHEMAS, incomplete)


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="Whose schema; see above.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = "",
) -> None:
    """Print the JSON Schema of a kind, for editors.

    \b
    Kinds:
      inference, training, fine-tune, batch-inference, cluster-profile

    \b
    Examples:
      gpuspec schema inference > inference.schema.json
      gpuspec schema cluster-profile | jq '.properties.spec'
    """
    from gpuspec import schema as schema_of
    from gpuspec.escaping.formats import json_text

    made = schema_of(SCHEMAS[kind_named(kind, SCHEMAS)])
    data(json_text(made))
