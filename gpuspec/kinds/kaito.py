"""Kaito: its operator chooses image and nodes for a model's preset. Source: its CRDs."""

from gpuspec.kinds.common import served
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import config_map, secret

GROUP = "kaito.sh"

KINDS = (
    served(
        GROUP,
        "Workspace",
        refers=(
            config_map("inference", "config"),
            config_map("tuning", "config"),
            secret("inference.preset.presetOptions", "modelAccessSecret"),
            secret("tuning.output", "imagePushSecret"),
        ),
    ),
    served(GROUP, "InferenceSet", scaled=REPLICAS),
    served(GROUP, "RAGEngine"),
)
