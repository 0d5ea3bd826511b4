"""The author's choice of nodes for a workload."""

from gpuspec.spec.forms import NonEmpty
from gpuspec.spec.types import Annotated, Model, doc


class Placing(Model):
    """The nodes for the pods, by the profile's names of pools, zones and regions. Default: any."""

    pools: Annotated[
        tuple[NonEmpty, ...],
        doc("Only these pools of the profile. A pool may be a single node.", ["h100"]),
    ] = ()
    prefer: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Pools to try first, best first. Overrides the order of `gpu.models`.",
            ["reserved"],
        ),
    ] = ()
    never: Annotated[tuple[NonEmpty, ...], doc("Never these pools.", ["shared"])] = ()
    zones: Annotated[tuple[NonEmpty, ...], doc("Only these zones.", ["eu-west-1a"])] = ()
    regions: Annotated[
        tuple[NonEmpty, ...], doc("Only these regions, as set in the pools.", ["eu-west-1"])
    ] = ()
