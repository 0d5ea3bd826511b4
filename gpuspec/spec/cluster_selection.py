"""The selection of clusters for a workload."""

from gpuspec.spec.forms import LabelName
from gpuspec.spec.types import Annotated, Model, doc


class Clusters(Model):
    """The clusters of a workload, by the names and labels of their profiles."""

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
