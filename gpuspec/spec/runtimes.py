"""The runtimes that a platform provides for operators."""

from typing import Literal

from gpuspec.spec.forms import NonEmpty, ObjectName, Port
from gpuspec.spec.types import Annotated, Model, doc


class TrainingRuntime(Model):
    """A runtime of Kubeflow Trainer that the platform provides; its workers are a job and a
    container named `node`."""

    name: Annotated[ObjectName, doc("Its name.", "torch-distributed")]
    kind: Annotated[
        Literal["ClusterTrainingRuntime", "TrainingRuntime"],
        doc(
            "Kind of the runtime. `TrainingRuntime`: one with this name exists in each "
            "namespace that trains.",
            "ClusterTrainingRuntime",
        ),
    ] = "ClusterTrainingRuntime"


class ServingRuntime(Model):
    """A KServe runtime that the platform provides."""

    name: Annotated[ObjectName, doc("Its name.", "kserve-vllm")]
    model_format: Annotated[NonEmpty, doc("Model format in its `supportedModelFormats`.", "vLLM")]
    kind: Annotated[
        Literal["ClusterServingRuntime", "ServingRuntime"],
        doc("`ServingRuntime`: one exists in each namespace with servers."),
    ] = "ClusterServingRuntime"
    port: Annotated[Port, doc("Port that its server listens on.", 8080)] = 8080


class Runtimes(Model):
    """The platform's runtimes, by purpose."""

    training: Annotated[
        TrainingRuntime | None,
        doc(
            "The runtime that TrainJobs reference and patch. Default: each run has its own "
            "TrainingRuntime.",
            {"name": "torch-distributed"},
        ),
    ] = None
    serving: Annotated[
        dict[str, ServingRuntime],
        doc(
            "KServe's runtime for each `runtime` of specs. Target `kserve` then renders a "
            "model for it, without a server of its own.",
            {"vllm": {"name": "kserve-vllm", "modelFormat": "vLLM"}},
        ),
    ] = {}
