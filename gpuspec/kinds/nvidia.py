"""NVIDIA's operators: GPU Operator (26.7), the DRA driver, NIM Operator (3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kept, Kind, Rolls
from gpuspec.kinds.scale import Scale, between
from gpuspec.manifests.values import at, mapping

if TYPE_CHECKING:
    from gpuspec.manifests import Path

NIM = "apps.nvidia.com"


def _own_groups(value: dict[str, Any], inside: Path) -> Scale | None:
    scale = mapping(at(value, ("spec", "scale")))
    hpa = mapping(scale.get("hpa"))
    if scale.get("enabled") is not True or not hpa:
        return None
    return between(hpa.get("minReplicas", 1), hpa.get("maxReplicas"), "its own autoscaler")


KINDS = (
    *(
        Kind("nvidia.com", name, "cluster", namespaced=False)
        for name in ("ClusterPolicy", "GPUCluster", "NVIDIADriver")
    ),
    Kind("resource.nvidia.com", "ComputeDomain", "data", kept=Kept(("spec",))),
    Kind("resource.nvidia.com", "ComputeDomainClique", "data"),
    Kind(NIM, "NIMCache", "runtime", kept=Kept(("spec",))),
    Kind(
        NIM,
        "NIMService",
        "workload",
        # It has no pod spec: image, resources and scheduling lie flat in its own.
        flat=(Flat("spec"),),
        life="service",
        own_groups=_own_groups,
        image_filled=True,
        kept=Kept(("spec.draResources",)),
        rolls=Rolls(
            "restart",
            "restarts the pods",
            also=("spec",),
            but=("spec.replicas", "spec.scale", "spec.expose", "spec.metrics"),
        ),
    ),
    Kind(NIM, "NIMPipeline", "workload"),
)
