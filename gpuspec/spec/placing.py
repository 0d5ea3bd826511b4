"""Which of a cluster's nodes a workload goes to, where its author minds."""

from gpuspec.spec.forms import NonEmpty
from gpuspec.spec.types import Annotated, Model, doc


class Placing(Model):
    """Where pods go, by the names that the profile gives: pools, zones, regions. Unset ones: anywhere."""

    pools: Annotated[
        tuple[NonEmpty, ...],
        doc("Only these of the profile's pools. A pool may be a single node.", ["h100"]),
    ] = ()
    prefer: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Pools that are tried before others, best first. It takes the place of the order of "
            "`gpu.models`.",
            ["reserved"],
        ),
    ] = ()
    never: Annotated[tuple[NonEmpty, ...], doc("Never these pools.", ["shared"])] = ()
    zones: Annotated[tuple[NonEmpty, ...], doc("Only these zones.", ["eu-west-1a"])] = ()
    regions: Annotated[
        tuple[NonEmpty, ...], doc("Only these regions, as pools say theirs.", ["eu-west-1"])
    ] = ()
