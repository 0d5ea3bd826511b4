"""NVIDIA's operators: GPU Operator (26.7), the DRA driver, NIM Operator (3), Dynamo. Sources: their CRDs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kept, Kind, Part, Reference, Rolls
from gpuspec.kinds.references import (
    GATEWAY,
    RESOURCE,
    STORAGE,
    chosen,
    claim,
    config_map,
    device_claims,
    priority,
    pull_secrets,
    secret,
    service,
)
from gpuspec.kinds.scale import Scale, between
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

NIM = "apps.nvidia.com"
NETWORKING = "networking.k8s.io"


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


def _nim(base: str) -> tuple[Reference, ...]:
    """What the spec of a NIMService names, which lies at a pattern."""
    return (
        secret(base, "authSecret"),
        pull_secrets(f"{base}.image", "pullSecrets"),
        Reference(f"{base}.storage.nimCache", "name", NIM, "NIMCache"),
        claim(f"{base}.storage.pvc", "name"),
        Reference(f"{base}.storage.pvc", "storageClass", STORAGE, "StorageClass"),
        *device_claims(f"{base}.draResources.*"),
        Reference(
            f"{base}.draResources.*.claimCreationSpec.devices.*",
            "deviceClassName",
            RESOURCE,
            "DeviceClass",
        ),
        config_map(f"{base}.proxy", "certConfigMap"),
        *(
            pull_secrets(f"{base}.{holder}.image", "pullSecrets")
            for holder in ("initContainers.*", "sidecarContainers.*")
        ),
        *_exposed(f"{base}.expose"),
    )


def _exposed(base: str) -> tuple[Reference, ...]:
    """What leads clients to a NIMService, by whatever way it names one."""
    picker = f"{base}.router.eppConfig"
    return (
        service(f"{base}.ingress.spec.defaultBackend.service", "name", "port.name"),
        Reference(f"{base}.ingress.spec", "ingressClassName", NETWORKING, "IngressClass"),
        secret(f"{base}.ingress.spec.tls.*", "secretName"),
        Reference(f"{base}.router.ingress", "ingressClass", NETWORKING, "IngressClass"),
        secret(f"{base}.router.ingress", "tlsSecretName"),
        Reference(f"{base}.router.gateway", "name", GATEWAY, "Gateway", namespace_at="namespace"),
        chosen(f"{base}.router.gateway.backendRef", "", "Service", "group", "namespace"),
        config_map(f"{picker}.configMapRef", "name", "key"),
        pull_secrets(f"{picker}.containerSpec.image", "pullSecrets"),
    )


_OPERANDS = (
    *("driver", "driver.manager", "toolkit", "devicePlugin", "gfd", "dcgm", "dcgmExporter"),
    *("migManager", "nodeStatusExporter", "validator", "gds", "gdrcopy", "ccManager"),
    *("kataManager", "kataSandboxDevicePlugin", "sandboxDevicePlugin", "vfioManager"),
    *("vfioManager.driverManager", "vgpuManager", "vgpuManager.driverManager"),
    *("vgpuDeviceManager", "operator.initContainer"),
)
"""What a ClusterPolicy has images of."""


def _driver(base: str, field: str) -> tuple[Reference, ...]:
    """What the settings of a driver name; `field` is what names a ConfigMap in most of them."""
    return (
        config_map(f"{base}.certConfig"),
        config_map(f"{base}.kernelModuleConfig"),
        config_map(f"{base}.repoConfig", field),
        config_map(f"{base}.licensingConfig", field),
        secret(f"{base}.licensingConfig", "secretName"),
    )


KINDS = (
    Kind(
        "nvidia.com",
        "ClusterPolicy",
        "cluster",
        namespaced=False,
        refers=(
            config_map("spec.devicePlugin.config", "name", "default"),
            config_map("spec.dcgmExporter.config"),
            config_map("spec.migManager.config"),
            config_map("spec.migManager.gpuClientsConfig"),
            config_map("spec.vgpuDeviceManager.config"),
            config_map("spec.vgpuManager.kernelModuleConfig"),
            *_driver("spec.driver", "configMapName"),
            *(pull_secrets(f"spec.{each}") for each in _OPERANDS),
            priority("spec.daemonsets"),
        ),
    ),
    Kind(
        "nvidia.com",
        "GPUCluster",
        "cluster",
        namespaced=False,
        refers=(
            config_map("spec.dcgmExporter.config"),
            *(pull_secrets(f"spec.{each}") for each in ("dcgm", "dcgmExporter", "draDriver")),
            priority("spec.daemonsets"),
        ),
    ),
    Kind(
        "nvidia.com",
        "NVIDIADriver",
        "cluster",
        namespaced=False,
        refers=(
            *_driver("spec", "name"),
            config_map("spec.virtualTopologyConfig"),
            *(pull_secrets(each) for each in ("spec", "spec.manager", "spec.gds", "spec.gdrcopy")),
            priority("spec"),
        ),
    ),
    Kind(
        "resource.nvidia.com",
        "ComputeDomain",
        "data",
        kept=Kept(("spec",)),
        makes=(
            Reference(
                "spec.channel.resourceClaimTemplate", "name", RESOURCE, "ResourceClaimTemplate"
            ),
        ),
    ),
    Kind("resource.nvidia.com", "ComputeDomainClique", "data"),
    Kind(
        NIM,
        "NIMCache",
        "runtime",
        kept=Kept(("spec",)),
        refers=(
            secret("spec.source.ngc", "authSecret"),
            pull_secrets("spec.source.ngc", "pullSecret"),
            *(
                each
                for holder in ("spec.source.dataStore", "spec.source.hf")
                for each in (secret(holder, "authSecret"), pull_secrets(holder, "pullSecret"))
            ),
            claim("spec.storage.pvc", "name"),
            Reference("spec.storage.pvc", "storageClass", STORAGE, "StorageClass"),
            Reference("spec", "runtimeClassName", "node.k8s.io", "RuntimeClass"),
            config_map("spec.certConfig"),
            config_map("spec.proxy", "certConfigMap"),
            pull_secrets("spec.initContainers.*.image", "pullSecrets"),
        ),
    ),
    Kind(
        NIM,
        "NIMService",
        "workload",
        refers=_nim("spec"),
        makes=(Reference("metadata", "name", "", "Service"),),
        # It has no pod spec: image, resources and scheduling lie flat in its own.
        flat=(Flat("spec", claims="draResources"),),
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
        refers=_nim("spec.services.*.spec"),
        flat=(Flat("spec.services.*.spec", claims="draResources"),),
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
