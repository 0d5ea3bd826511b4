"""`gpuspec init`."""

from typing import Annotated

import typer

from gpuspec.cli.kinds import STARTERS, completed, kind_named
from gpuspec.cli.terminal import data, say


def _complete(incomplete: str) -> list[str]:
    return completed(STARTERS, incomplete)


def init(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="What to create; see above.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = "",
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="The model's name on its hub. Its size, context and licence gate are filled in "
            "if known.",
        ),
    ] = None,
    gpu: Annotated[
        list[str] | None,
        typer.Option("--gpu", metavar="GPU", help="An acceptable GPU, best first. Repeatable."),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option("--count", metavar="N", min=1, help="GPUs of a pod; of a node for a profile."),
    ] = None,
) -> None:
    """Print a commented spec to start from.

    The spec renders without an edit, and `lint` finds nothing in it.

    \b
    Kinds:
      inference, training, fine-tune, batch-inference, cluster-profile, smoke-test

    \b
    Examples:
      gpuspec init inference > chat.yaml
      gpuspec init inference --model Qwen/Qwen3-32B --gpu H100-80GB --count 4
      gpuspec init cluster-profile > clusters/eu.yaml
    """
    from gpuspec import nearest_model, starter

    data(starter(kind_named(kind, STARTERS), model, gpu or (), count))
    nearest_name = None if model is None else nearest_model(model)
    if nearest_name is not None:
        say(f"note: {model} is not a known model; did you mean {nearest_name}?")
