"""Labels and annotations of pods alone, for what acts on pods: a scraper, a mesh, a storage driver."""

from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, doc

PodLabels = Annotated[
    Labels,
    doc(
        "Labels of the pods alone, beside those of `metadata.labels`. To change one is to start the "
        "pods anew; of a Job, another Job.",
        {"sidecar.istio.io/inject": "false"},
    ),
]
PodAnnotations = Annotated[
    Labels,
    doc(
        "Annotations of the pods alone, which `metadata.annotations` does not reach. To change one "
        "is to start the pods anew; of a Job, another Job.",
        {"prometheus.io/scrape": "true"},
    ),
]
