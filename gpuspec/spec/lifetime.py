"""What a run is called, how it ends, and how long its objects stay."""

from gpuspec.spec.forms import LabelName
from gpuspec.spec.types import Annotated, Duration, doc

Run = Annotated[
    LabelName | None,
    doc(
        "Name of this run, part of the name of its Job or JobSet, which is immutable: a new run is a "
        "new one. Unset: a digest of its template, so that a changed template is a new one.",
        "2026-06-01",
    ),
]
FixedName = Annotated[
    bool,
    doc(
        "Call the Job or JobSet what the workload is called, for work that runs once. A changed "
        "template cannot be applied then: delete the old one first. Not beside `run`.",
    ),
]
TtlAfterFinished = Annotated[
    Duration | None,
    doc(
        "How long a finished Job or JobSet stays with its pods and their logs. Whoever applies it "
        "again after that runs it again, so it is refused where GitOps does. Unset: it stays.",
        "1h",
    ),
]
Grace = Annotated[
    Duration | None,
    doc(
        "Time between the order to end and the kill, 1s at least: without any a pod is forgotten "
        "before it has let go of its GPUs. Unset: 30s, or what saving a checkpoint takes and 30s more.",
        "10s",
    ),
]
