"""Relations between fields that the API server checks, as functions: one file for each API group.

Checks of one field, or of which fields a map has, are in `schemas/apiserver/`. The files are laid
out like Kubernetes' own `pkg/apis/<group>/validation`, for comparison.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.validation.apiserver.reading import Relation

_API = "io.k8s.api."
_NAMES: tuple[str, ...] = ("admissionregistration", "apiextensions", "apps", "autoscaling", "batch")
_NAMES += ("certificates",)
_NAMES += ("discovery", "events", "flowcontrol", "metadata", "networking", "node", "rbac")
_NAMES += ("scheduling", "storage")
_PARTS: dict[str, tuple[str, ...]] = {
    "core": ("NodeSelectorRequirement", "Pod", "PodSpec", "Toleration"),
    "core_claims": (
        *("PersistentVolumeClaimSpec", "PersistentVolumeClaimTemplate", "PersistentVolumeSpec"),
    ),
    "core_annotations": ("Pod", "PodTemplateSpec"),
    "core_containers": (
        *("Container", "ObjectFieldSelector", "Pod", "PodSpec", "ResourceFieldSelector"),
    ),
    "core_events": ("Event",),
    "core_nodes": ("Node", "NodeSpec", "NodeStatus", "NodeSwapStatus"),
    "core_objects": (
        *("ConfigMap", "LimitRangeItem", "ReplicationControllerSpec", "ResourceQuotaSpec"),
        *("ScopedResourceSelectorRequirement", "Secret"),
    ),
    "core_resources": ("Container", "Pod", "PodSpec", "PodTemplateSpec"),
    "core_security": (
        *("AppArmorProfile", "PodSpec", "SeccompProfile", "SecurityContext"),
        "WindowsSecurityContextOptions",
    ),
    "core_services": ("EndpointAddress", "EndpointSubset", "Service", "ServiceSpec"),
    "core_volumes": (
        *("AzureDiskVolumeSource", "FCVolumeSource", "FlexPersistentVolumeSource"),
        *(
            "FlexVolumeSource",
            "PodCertificateProjection",
            "PodSpec",
            "ProjectedVolumeSource",
            "QuobyteVolumeSource",
            "Volume",
        ),
    ),
    "resource": (
        *("CELDeviceSelector", "DeviceClaim", "DeviceClassSpec", "DeviceSubRequest"),
        "ExactDeviceRequest",
        "OpaqueDeviceConfiguration",
    ),
    "resource_slices": ("Device", "DeviceCapacity", "ResourceSliceSpec"),
}
"""The files of the groups that have several, and the definitions of each: a ConfigMap imports
nothing about pods.
"""


@cache
def relations_of(name: str) -> tuple[Relation, ...]:
    """Return the functions that check maps of a definition."""
    bare = name.removeprefix(_API)
    modules = (import_module(f"{__name__}.{home}") for home in _homes(bare))
    return tuple(relation for module in modules for relation in module.RELATIONS.get(bare, ()))


def _homes(bare: str) -> tuple[str, ...]:
    """Return the files that may have functions about a definition."""
    group, _, name = bare.partition(".")
    if group in _NAMES:
        return (group,)
    kind = name.rpartition(".")[2]
    return tuple(
        home for home, kinds in _PARTS.items() if home.partition("_")[0] == group and kind in kinds
    )
