"""Runtimes that a platform keeps for operators, by what they run."""

from typing import Literal

from gpuspec.spec.forms import NonEmpty, ObjectName, Port
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


class ServingRuntime(Model):
    """A runtime of KServe's that the platform keeps."""

    name: Annotated[ObjectName, doc("Its name.", "kserve-vllm")]
    model_format: Annotated[
        NonEmpty, doc("The one of its `supportedModelFormats` that the models are of.", "vLLM")
    ]
    kind: Annotated[
        Literal["ClusterServingRuntime", "ServingRuntime"],
        doc("`ServingRuntime`: one in each namespace that has servers."),
    ] = "ClusterServingRuntime"
    port: Annotated[Port, doc("The port that its server listens on.", 8080)] = 8080


class Runtimes(Model):
    """Runtimes of the platform's, by what they run."""

    training: Annotated[
        TrainingRuntime | None,
        doc(
            "What TrainJobs name and patch. Unset: each run brings a TrainingRuntime of its own.",
            {"name": "torch-distributed"},
        ),
    ] = None
    serving: Annotated[
        dict[str, ServingRuntime],
        doc(
            "By the `runtime` of specs: the runtime of KServe's that starts it. Target `kserve` then "
            "renders a model for it, and no server of its own.",
            {"vllm": {"name": "kserve-vllm", "modelFormat": "vLLM"}},
        ),
    ] = {}
