"""The labels and taints of a node that identify its pool."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from gpuspec import hardware
from gpuspec.fleet.passing_taints import is_passing
from gpuspec.hardware import INSTANCE_TYPE, SPOT_LABELS
from gpuspec.manifests import label_key, label_value
from gpuspec.spec import disagreeing

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Provider, Sharing

# The label by which each provider names a node's pool.
POOL_KEYS = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "compute.coreweave.com/node-pool",
)
# Last parts of label keys by which people name pools themselves.
POOL_WORDS = frozenset(
    ("pool", "nodepool", "node-pool", "node_pool", "nodegroup", "node-group", "accelerator")
)
ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
PARTITION = "cloud.google.com/gke-gpu-partition-size"
MIG_CONFIG = "nvidia.com/mig.config"
# Label and value (in lower case) of nodes that can be taken away, and of their opposite.
CAPACITY = {key: {value.lower(): "spot"} for key, value in SPOT_LABELS.items()}
CAPACITY["cloud.google.com/gke-provisioning"]["preemptible"] = "spot"
# What a pod's affinity can name besides model and pool.
_KEPT = frozenset(
    (
        *POOL_KEYS,
        *CAPACITY,
        INSTANCE_TYPE,
        "amd.com/gpu.compute-memory-partition",
        "kubernetes.azure.com/accelerator",
        "eks.amazonaws.com/compute-type",
    )
)
# What chooses or tells the sharing; noise on nodes whose GPUs are not shared.
_SHARING_KEPT = frozenset(
    (
        PARTITION,
        "cloud.google.com/gke-gpu-sharing-strategy",
        "cloud.google.com/gke-max-shared-clients-per-gpu",
        "nvidia.com/device-plugin.config",
        MIG_CONFIG,
    )
)
EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")


@cache
def product_keys() -> frozenset[str]:
    """Return the label keys of the GPU model, of every labeller."""
    return frozenset(
        labeller.product for labeller in hardware.labellers().values() if labeller.product
    )


def telling_labels(node: LiveNode, model: GpuModel, sharing: Sharing | None) -> dict[str, str]:
    """Return the labels that a pool's nodes share and that distinguish the pool from others.

    Labels that Kubernetes rejects, and labels with another model or another sharing, are left out.
    """
    labels = {
        key: value
        for key, value in node.labels.items()
        if _tells(key, sharing is not None)
        and _legal(key, value)
        and not _contradicts(key, value, model)
    }
    stale = disagreeing(labels, sharing, model)
    return {key: labels[key] for key in sorted(labels) if key not in stale}


@cache
def _legal(key: str, value: str) -> bool:
    return label_key(key) is None and label_value(value) is None


@cache
def _contradicts(key: str, value: str, model: GpuModel) -> bool:
    gpu_models = hardware.from_label(key, value) if key in product_keys() else ()
    return bool(gpu_models) and model not in gpu_models


@cache
def _tells(key: str, shared: bool) -> bool:
    if key in _KEPT or key in product_keys() or (shared and key in _SHARING_KEPT):
        return True
    return key.rpartition("/")[2] in POOL_WORDS


def pool_label(labels: dict[str, str]) -> str | None:
    """Return the pool's name in the provider's label, or in a label of the cluster's users."""
    for key in POOL_KEYS:
        if key in labels:
            return labels[key]
    keys = [key for key in sorted(labels) if key.rpartition("/")[2] in POOL_WORDS - {"accelerator"}]
    return labels[keys[0]] if keys else None


def lasting_taints(node: LiveNode) -> tuple[tuple[str, str, str], ...]:
    """Return the taints that belong to the pool rather than to a transient condition; one of each
    key and effect."""
    lasting = {
        (key, effect): (key, value, effect)
        for key, value, effect in sorted(node.taints)
        if effect in EFFECTS and _legal(key, value) and not is_passing(key)
    }
    return tuple(lasting.values())


def capacity(node: LiveNode) -> Literal["on-demand", "spot"]:
    """Return whether the node is a spot node."""
    spot = any(
        key in node.labels and values.get(node.labels[key].lower()) == "spot"
        for key, values in CAPACITY.items()
    )
    return "spot" if spot else "on-demand"


def zone(node: LiveNode) -> str | None:
    """Return the node's zone."""
    return next((node.labels[key] for key in ZONES if node.labels.get(key)), None)


def provider(node: LiveNode) -> Provider:
    """Return the provider of the node's cluster, by labels and kubelet version, or else by the
    node's cloud."""
    keys = node.labels
    domains = {key.rpartition("/")[0] for key in keys}
    # On whichever cloud: the kubelet of its own images says so of itself.
    if "node.openshift.io/os_id" in keys:
        return "openshift"
    if keys.get("eks.amazonaws.com/compute-type") == "auto":
        return "eks-auto"
    if domains & {"node.coreweave.cloud", "compute.coreweave.com"}:
        return "coreweave"
    if domains & {"eks.amazonaws.com", "karpenter.k8s.aws"} or "-eks-" in node.kubelet:
        return "eks"
    if "kubernetes.azure.com" in domains or node.provider_id.startswith("azure://"):
        return "aks"
    if "cloud.google.com/gke-nodepool" in keys or "-gke." in node.kubelet:
        return "gke"
    if node.provider_id.startswith("gce://"):
        return "gke"
    return "eks" if node.provider_id.startswith("aws://") else "none"
