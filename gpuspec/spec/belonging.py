"""Which clusters a workload is for."""

from gpuspec.spec.forms import LabelName
from gpuspec.spec.types import Annotated, Model, doc


class Clusters(Model):
    """The clusters that a workload is for, by what their profiles say of themselves."""

    names: Annotated[
        tuple[LabelName, ...], doc("Only the profiles of these names. Unset: of any.", ["eu"])
    ] = ()
    labels: Annotated[
        dict[str, str],
        doc(
            "Only profiles that have all of these in `metadata.labels`. Unset: whatever they have.",
            {"env": "prod"},
        ),
    ] = {}
