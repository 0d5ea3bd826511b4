"""Which clusters a workload is for."""

from gpuspec.spec.forms import LabelName
from gpuspec.spec.types import Annotated, Model, doc


class Clusters(Model):
    """The clusters that a workload is for, by what their profiles say of themselves."""

    names: Annotated[
        tuple[LabelName, ...], doc("Only profiles with these names. Default: any.", ["eu"])
    ] = ()
    labels: Annotated[
        dict[str, str],
        doc(
            "Only profiles with all of these in `metadata.labels`. Default: any.",
            {"env": "prod"},
        ),
    ] = {}
