"""`gpuspec init`."""

from typing import Annotated

import typer

from gpuspec import starter
from gpuspec.cli.terminal import data

KINDS = {
    "inference": "Inference",
    "training": "Training",
    "fine-tune": "FineTune",
    "batch-inference": "BatchInference",
    "cluster-profile": "ClusterProfile",
    "smoke-test": "Training",
}


def init(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of: {', '.join(KINDS)}")],
) -> None:
    """Print a commented spec to start from.

    \b
    Examples:
      gpuspec init inference > chat.yaml
      gpuspec init cluster-profile > clusters/eu.yaml
    """
    if kind not in KINDS:
        raise typer.BadParameter(f"{kind!r} is not one of {', '.join(KINDS)}")
    data(starter(kind))
