"""What GPUs are: models, memory, MIG geometry, names and labels by provider, common nodes."""

from gpuspec.hardware.catalog import model, models
from gpuspec.hardware.fabrics import (
    Fabric,
    FabricVariable,
    Topology,
    attached_variables,
    fabric,
    fabric_settings,
    fabrics,
    topologies,
)
from gpuspec.hardware.mig import mig_resource
from gpuspec.hardware.mig_profile import MigProfile, Placement
from gpuspec.hardware.model import (
    DeviceResource,
    Form,
    GpuModel,
    Labeller,
    NodeShape,
    NvLink,
    Product,
    Share,
    Vendor,
)
from gpuspec.hardware.names import find, from_label, labellers, split_product, suggest
from gpuspec.hardware.providers import (
    AccessMode,
    Injection,
    NodeLabels,
    Preset,
    Provider,
    ProviderTaint,
    RdmaResource,
    SpotNodes,
    StorageKind,
    presets,
    provider,
    providers,
)
from gpuspec.hardware.resources import is_gpu_resource, resource, vendors

__all__ = [
    "SPOT_LABELS",
    "AccessMode",
    "DeviceResource",
    "Fabric",
    "FabricVariable",
    "Form",
    "GpuModel",
    "Injection",
    "LabelDomain",
    "Labeller",
    "MigProfile",
    "NodeLabels",
    "NodeShape",
    "NvLink",
    "Placement",
    "Preset",
    "Product",
    "Provider",
    "ProviderTaint",
    "RdmaResource",
    "ReplacedLabel",
    "Share",
    "SpotNodes",
    "StorageKind",
    "Topology",
    "Vendor",
    "attached_variables",
    "common_share",
    "fabric",
    "fabric_settings",
    "fabrics",
    "find",
    "from_label",
    "is_gpu_resource",
    "is_label_key",
    "label_domain",
    "label_keys",
    "labellers",
    "mig_resource",
    "model",
    "models",
    "node_shapes",
    "presets",
    "provider",
    "providers",
    "replaced_labels",
    "resource",
    "split_product",
    "suggest",
    "topologies",
    "vendors",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.hardware.capacity import SPOT_LABELS
    from gpuspec.hardware.node_labels import (
        LabelDomain,
        ReplacedLabel,
        is_label_key,
        label_domain,
        label_keys,
        replaced_labels,
    )
    from gpuspec.hardware.nodes import common_share, node_shapes

_HOMES = {
    "LabelDomain": "node_labels",
    "ReplacedLabel": "node_labels",
    "SPOT_LABELS": "capacity",
    "common_share": "nodes",
    "is_label_key": "node_labels",
    "label_domain": "node_labels",
    "label_keys": "node_labels",
    "node_shapes": "nodes",
    "replaced_labels": "node_labels",
}


def __getattr__(name: str) -> object:
    """What a profile with pools of its own has no need of is imported when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"gpuspec.hardware.{_HOMES[name]}"), name)
    return found
