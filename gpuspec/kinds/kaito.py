"""Kaito: its operator chooses image and nodes for a model's preset. Source: its CRDs."""

from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.parts import served

GROUP = "kaito.sh"

KINDS = (
    served(GROUP, "Workspace"),
    served(GROUP, "InferenceSet", scaled=REPLICAS),
    served(GROUP, "RAGEngine"),
)
