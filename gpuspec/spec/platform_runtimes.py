"""Runtimes that a platform keeps for its workloads, by what they run."""

from typing import Literal

from gpuspec.spec.forms import NonEmpty, ObjectName, Port
from gpuspec.spec.types import Annotated, Model, doc


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


class PlatformRuntimes(Model):
    """Runtimes of the platform's, which workloads use in place of what would be rendered for them."""

    serving: Annotated[
        dict[str, ServingRuntime],
        doc(
            "By the `runtime` of specs: the runtime of KServe's that starts it. Target `kserve` then "
            "renders a model for it, and no server of its own.",
            {"vllm": {"name": "kserve-vllm", "modelFormat": "vLLM"}},
        ),
    ] = {}
