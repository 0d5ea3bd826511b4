"""What the platform keeps for operators to take pods from: training runtimes."""

from typing import Literal

from gpuspec.spec.forms import ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class TrainingRuntime(Model):
    """A runtime of Kubeflow Trainer that the platform keeps, whose workers are a job and a container called `node`."""

    name: Annotated[ObjectName, doc("Its name.", "torch-distributed")]
    kind: Annotated[
        Literal["ClusterTrainingRuntime", "TrainingRuntime"],
        doc(
            "Its kind. `TrainingRuntime`: one of this name is in each namespace that trains.",
            "ClusterTrainingRuntime",
        ),
    ] = "ClusterTrainingRuntime"


class Runtimes(Model):
    """Runtimes of the platform's, by what they run."""

    training: Annotated[
        TrainingRuntime | None,
        doc(
            "What TrainJobs name and patch. Unset: each run brings a TrainingRuntime of its own.",
            {"name": "torch-distributed"},
        ),
    ] = None
