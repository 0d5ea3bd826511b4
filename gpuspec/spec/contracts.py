"""Contracts: what an organisation asks of every workload, whoever writes it."""

from typing import Literal

from gpuspec.spec.forms import NonEmpty
from gpuspec.spec.types import Annotated, Model, doc

Host = Literal["cpu", "memory", "ephemeral-storage"]


class Contracts(Model):
    """What the linter holds workloads to. Rendering is not changed by it."""

    required_labels: Annotated[
        tuple[NonEmpty, ...],
        doc("Labels that every object with pods has.", ["owner", "cost-center"]),
    ] = ()
    registries: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Where images may come from: a registry, or a folder of it. Empty: anywhere.",
            ["ghcr.io/example", "nvcr.io"],
        ),
    ] = ()
    digests: Annotated[bool, doc("Images are named by digest.")] = False
    revisions: Annotated[
        bool, doc("A model that a server downloads is named with its revision.")
    ] = False
    requests: Annotated[
        tuple[Host, ...], doc("What every container requests.", ["cpu", "memory"])
    ] = ()
    limits: Annotated[tuple[Host, ...], doc("What every container is limited in.", ["memory"])] = ()
