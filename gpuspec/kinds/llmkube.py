"""LLMKube: its operator starts a server from an InferenceService and the Model that it names.

Source: defilantech/LLMKube 907ac8d8 api/v1alpha1, internal/controller/deployment_builder.go.
"""

from gpuspec.kinds.common import served
from gpuspec.kinds.model import Kind, Reference
from gpuspec.kinds.owned import REPLICAS

GROUP = "inference.llmkube.dev"

KINDS = (
    Kind(GROUP, "Model", "runtime"),
    served(
        GROUP,
        "InferenceService",
        refers=(Reference("spec", "modelRef", GROUP, "Model"),),
        scaled=REPLICAS,
        starts_server=True,
    ),
)
