"""Labels and annotations of pods alone, for programs that read them from pods: a scraper, a mesh, a
storage driver."""

from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, doc

PodLabels = Annotated[
    Labels,
    doc(
        "Labels for the pods only, in addition to `metadata.labels`. A change restarts "
        "the pods; for a Job, it is another Job.",
        {"sidecar.istio.io/inject": "false"},
    ),
]
PodAnnotations = Annotated[
    Labels,
    doc(
        "Annotations for the pods only, which `metadata.annotations` does not set. A "
        "change restarts the pods; for a Job, it is another Job.",
        {"prometheus.io/scrape": "true"},
    ),
]
