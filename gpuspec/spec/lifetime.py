"""What a run is called, how it ends, and how long its objects stay."""

from gpuspec.spec.forms import LabelName
from gpuspec.spec.types import Annotated, Duration, doc

Run = Annotated[
    LabelName | None,
    doc(
        "Name of this run, part of the name of its Job or JobSet, which is immutable: "
        "a new run needs a new name. Default: a digest of its template, so a changed "
        "template is a new run.",
        "2026-06-01",
    ),
]
FixedName = Annotated[
    bool,
    doc(
        "Name the Job or JobSet like the workload, for work that runs once. A changed "
        "template cannot be applied then: delete the old one first. Excludes `run`.",
    ),
]
TtlAfterFinished = Annotated[
    Duration | None,
    doc(
        "How long a finished Job or JobSet stays with its pods and logs. Applying it "
        "again afterwards runs it again, so this is refused under GitOps. Default: "
        "unlimited.",
        "1h",
    ),
]
Grace = Annotated[
    Duration | None,
    doc(
        "Time between SIGTERM and SIGKILL, at least 1s: without it a pod is removed "
        "before its GPUs are free. Default: 30s, or the time to save a checkpoint plus "
        "30s.",
        "10s",
    ),
]
