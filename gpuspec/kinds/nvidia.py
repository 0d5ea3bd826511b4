"""NVIDIA's operators: GPU Operator (26.7), the DRA driver, NIM Operator (3), Dynamo. Sources: their CRDs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kept, Kind, Part, Reference, Rolls
from gpuspec.kinds.references import RESOURCE, claim, config_map, secret
from gpuspec.kinds.scale import Scale, between
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

NIM = "apps.nvidia.com"


def _own_groups(value: dict[str, Any], inside: Path) -> Scale | None:
    scale = mapping(at(value, ("spec", "scale")))
    hpa = mapping(scale.get("hpa"))
    if scale.get("enabled") is not True or not hpa:
        return None
    return between(hpa.get("minReplicas", 1), hpa.get("maxReplicas"), "its own autoscaler")


def _service(value: dict[str, Any], inside: Path) -> Part:
    one = mapping(at(value, inside[:3]))
    count = whole(mapping(one.get("spec")).get("replicas"), 1)
    return Part(text(one.get("name")) or "pod", 1, 0 if one.get("enabled") is False else count)


def _component(value: dict[str, Any], inside: Path) -> Part:
    one = mapping(at(value, inside[:3]))
    nodes = whole(at(one, ("multinode", "nodeCount")), 1)
    name = text(one.get("name")) or str(inside[2])
    return Part(name, nodes, whole(one.get("replicas"), 1), (nodes or 1) > 1)


_NIM_REFERS = (
    secret("spec", "authSecret"),
    secret("spec.image", "pullSecrets", optional=True),
    Reference("spec.storage.nimCache", "name", NIM, "NIMCache"),
    claim("spec.storage.pvc", "name"),
    Reference("spec.draResources.*", "resourceClaimName", RESOURCE, "ResourceClaim"),
    Reference(
        "spec.draResources.*", "resourceClaimTemplateName", RESOURCE, "ResourceClaimTemplate"
    ),
)

KINDS = (
    Kind(
        "nvidia.com",
        "ClusterPolicy",
        "cluster",
        namespaced=False,
        refers=(
            config_map("spec.devicePlugin.config", keys="default"),
            config_map("spec.dcgmExporter.config"),
            config_map("spec.migManager.config"),
        ),
    ),
    *(
        Kind("nvidia.com", name, "cluster", namespaced=False)
        for name in ("GPUCluster", "NVIDIADriver")
    ),
    Kind("resource.nvidia.com", "ComputeDomain", "data", kept=Kept(("spec",))),
    Kind("resource.nvidia.com", "ComputeDomainClique", "data"),
    Kind(
        NIM,
        "NIMCache",
        "runtime",
        kept=Kept(("spec",)),
        refers=(
            secret("spec.source.ngc", "authSecret"),
            secret("spec.source.ngc", "pullSecret", optional=True),
            claim("spec.storage.pvc", "name"),
        ),
    ),
    Kind(
        NIM,
        "NIMService",
        "workload",
        refers=_NIM_REFERS,
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
    Kind(
        NIM,
        "NIMPipeline",
        "workload",
        flat=(Flat("spec.services.*.spec"),),
        life="service",
        part=_service,
        image_filled=True,
    ),
    *(
        Kind(NIM, name, "workload", flat=(Flat("spec"),), life="service", own_groups=_own_groups)
        for name in (
            *("NemoCustomizer", "NemoDatastore", "NemoEntitystore", "NemoEvaluator"),
            "NemoGuardrail",
        )
    ),
    Kind(
        "nvidia.com",
        "DynamoGraphDeployment",
        "workload",
        templates=("spec.components.*.podTemplate",),
        specs=("spec.services.*.extraPodSpec",),
        loose=("mainContainer",),
        life="service",
        part=_component,
        # In its first version devices lie beside the pod, as `gpu: "1"`.
        own_devices=True,
        completed=True,
        image_filled=True,
    ),
)
