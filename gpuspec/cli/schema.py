"""`gpuspec schema`."""

import json
from typing import Annotated

import typer

from gpuspec import schema as schema_of
from gpuspec.cli.init import KINDS
from gpuspec.cli.terminal import data


def schema(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help=f"One of: {', '.join(sorted(set(KINDS.values())))}"),
    ],
) -> None:
    """Print the JSON Schema of a kind, for editors.

    \b
    Examples:
      gpuspec schema inference > inference.schema.json
    """
    folded = kind.lower().replace("-", "")
    known = {name.lower(): name for name in KINDS.values()}
    if folded not in known:
        raise typer.BadParameter(f"{kind!r} is not one of {', '.join(sorted(known.values()))}")
    data(json.dumps(schema_of(known[folded]), indent=2, ensure_ascii=False) + "\n")
