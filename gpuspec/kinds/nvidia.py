"""NVIDIA's operators: GPU Operator (26.7), the DRA driver; Dynamo has a file of its own. Sources: their CRDs."""

from __future__ import annotations

from gpuspec.kinds import dynamo
from gpuspec.kinds.model import ImmutableFields, Kind, Reference
from gpuspec.kinds.references import (
    RESOURCE,
    config_map,
    priority,
    pull_secrets,
    secret,
)

_OPERANDS = (
    *("driver", "driver.manager", "toolkit", "devicePlugin", "gfd", "dcgm", "dcgmExporter"),
    *("migManager", "nodeStatusExporter", "validator", "gds", "gdrcopy", "ccManager"),
    *("kataManager", "kataSandboxDevicePlugin", "sandboxDevicePlugin", "vfioManager"),
    *("vfioManager.driverManager", "vgpuManager", "vgpuManager.driverManager"),
    *("vgpuDeviceManager", "operator.initContainer"),
)
"""The components of a ClusterPolicy with images."""


def _driver(base: str, field: str) -> tuple[Reference, ...]:
    """Return the references of a driver's settings; `field` is the usual field for the name of a
    ConfigMap."""
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
            *(pull_secrets(f"spec.{operand}") for operand in _OPERANDS),
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
            *(pull_secrets(f"spec.{field}") for field in ("dcgm", "dcgmExporter", "draDriver")),
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
            *(
                pull_secrets(field)
                for field in ("spec", "spec.manager", "spec.gds", "spec.gdrcopy")
            ),
            priority("spec"),
        ),
    ),
    Kind(
        "resource.nvidia.com",
        "ComputeDomain",
        "data",
        kept=ImmutableFields(("spec",)),
        makes=(
            Reference(
                "spec.channel.resourceClaimTemplate", "name", RESOURCE, "ResourceClaimTemplate"
            ),
        ),
    ),
    Kind("resource.nvidia.com", "ComputeDomainClique", "data"),
    *dynamo.KINDS,
)
