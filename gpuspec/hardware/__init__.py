"""What GPUs are: models, memory, MIG geometry, names and labels by provider, common nodes."""

from gpuspec.hardware.capacity import SPOT_LABELS, SPOT_OF
from gpuspec.hardware.catalog import model, models
from gpuspec.hardware.mig import mig_resource
from gpuspec.hardware.model import (
    DeviceResource,
    Form,
    GpuModel,
    Labeller,
    MigProfile,
    NodeShape,
    NvLink,
    Placement,
    Product,
    Share,
    Vendor,
)
from gpuspec.hardware.names import find, from_label, labellers, split_product, suggest
from gpuspec.hardware.nodes import common_share, node_shapes
from gpuspec.hardware.resources import is_gpu_resource, resource, vendors

__all__ = [
    "SPOT_LABELS",
    "SPOT_OF",
    "DeviceResource",
    "Form",
    "GpuModel",
    "Labeller",
    "MigProfile",
    "NodeShape",
    "NvLink",
    "Placement",
    "Product",
    "Share",
    "Vendor",
    "common_share",
    "find",
    "from_label",
    "is_gpu_resource",
    "labellers",
    "mig_resource",
    "model",
    "models",
    "node_shapes",
    "resource",
    "split_product",
    "suggest",
    "vendors",
]
