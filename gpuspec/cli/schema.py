"""`gpuspec schema`."""

from typing import Annotated

import typer

from gpuspec.cli.kinds import SCHEMAS, completed, kind_named
from gpuspec.cli.terminal import data

ADD = "add"


def _complete(incomplete: str) -> list[str]:
    return completed((*SCHEMAS, ADD), incomplete)


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="The schema to print, see above; or add.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = "",
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...]",
            help="For add: CustomResourceDefinitions, in files, folders, or - for standard input.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help=(
                "For add: folder for the schemas. Default: the configuration's, or "
                ".gpuspec/schemas."
            ),
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a kind, or add schemas of custom kinds.

    \b
    Kinds:
      inference, training, fine-tune, batch-inference, cluster-profile, and
      configuration (the schema of .gpuspec.yaml)

    \b
    Examples:
      gpuspec schema inference > inference.schema.json
      gpuspec schema cluster-profile | jq '.properties.spec'
      gpuspec schema add crds/
      kubectl get crd -o yaml | gpuspec schema add -
    """
    name = kind_named(kind, (*SCHEMAS, ADD))
    if name == ADD:
        from gpuspec.cli.schemas import add

        add(files or [], output)
        return
    from gpuspec import InputError, Problem
    from gpuspec import schema as schema_of
    from gpuspec.escaping.formats import json_text

    if files or output is not None:
        hint = f"write `gpuspec schema {name}`, or `gpuspec schema add FILE`"
        raise InputError([Problem("files and -o are only for `gpuspec schema add`", hint=hint)])
    data(json_text(schema_of(SCHEMAS[name])))
