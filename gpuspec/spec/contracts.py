"""Contracts: an organisation's requirements for all workloads."""

from typing import Literal

from gpuspec.spec.forms import NonEmpty
from gpuspec.spec.types import Annotated, Model, doc

Host = Literal["cpu", "memory", "ephemeral-storage"]


class Contracts(Model):
    """Requirements that the linter checks. They do not change rendering."""

    required_labels: Annotated[
        tuple[NonEmpty, ...],
        doc("Labels required on every object with pods.", ["owner", "cost-center"]),
    ] = ()
    registries: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Allowed image sources: a registry, or a folder of one. Empty: any.",
            ["ghcr.io/example", "nvcr.io"],
        ),
    ] = ()
    digests: Annotated[bool, doc("Images need a digest.")] = False
    revisions: Annotated[bool, doc("A model that a server downloads needs a revision.")] = False
    requests: Annotated[
        tuple[Host, ...], doc("Requests required of every container.", ["cpu", "memory"])
    ] = ()
    limits: Annotated[tuple[Host, ...], doc("Limits required of every container.", ["memory"])] = ()
