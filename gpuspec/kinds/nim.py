"""NVIDIA's NIM Operator (3), and the parts of NeMo's microservices. Sources: its CRDs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, ImmutableFields, Kind, PodGroupKind, Reference, Rolls
from gpuspec.kinds.references import (
    GATEWAY,
    RESOURCE,
    STORAGE,
    chosen,
    claim,
    config_map,
    device_claims,
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


def _service(value: dict[str, Any], inside: Path) -> PodGroupKind:
    item = mapping(at(value, inside[:3]))
    count = whole(mapping(item.get("spec")).get("replicas"), 1)
    return PodGroupKind(
        text(item.get("name")) or "pod", 1, 0 if item.get("enabled") is False else count
    )


def _nim(base: str) -> tuple[Reference, ...]:
    """Return the references of a NIMService spec at a pattern."""
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
    """Return the references of the routes that lead clients to a NIMService."""
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


_RUNTIME = Reference("spec", "runtimeClass", "node.k8s.io", "RuntimeClass")
_DATABASE = secret("spec.databaseConfig.credentials", "secretName", "passwordKey")
_NEMO: dict[str, tuple[Reference, ...]] = {
    "NemoCustomizer": (
        _DATABASE,
        secret("spec.wandb", "secretName", "apiKeyKey", "encryptionKey"),
        secret("spec.modelDownloadJobs.hfSecret", "name", "key"),
        secret("spec.modelDownloadJobs.ngcAPISecret", "name", "key"),
        pull_secrets("spec.trainingConfig.image", "pullSecrets"),
        config_map("spec.trainingConfig.configMap"),
        claim("spec.trainingConfig.modelPVC", "name"),
        Reference("spec.trainingConfig.modelPVC", "storageClass", STORAGE, "StorageClass"),
        Reference("spec.trainingConfig.workspacePVC", "storageClass", STORAGE, "StorageClass"),
    ),
    "NemoDatastore": (
        _DATABASE,
        secret("spec.objectStoreConfig.credentials", "secretName", "passwordKey"),
        *(
            secret("spec.secrets", field)
            for field in (
                *("datastoreConfigSecret", "datastoreInitSecret", "datastoreInlineConfigSecret"),
                *("giteaAdminSecret", "lfsJwtSecret"),
            )
        ),
        claim("spec.pvc", "name"),
        Reference("spec.pvc", "storageClass", STORAGE, "StorageClass"),
    ),
    "NemoEntitystore": (_DATABASE,),
    "NemoEvaluator": (
        _DATABASE,
        Reference("spec.argoWorkflows", "serviceAccount", "", "ServiceAccount"),
    ),
    "NemoGuardrail": (
        _DATABASE,
        secret("spec.nimEndpoint", "apiKeySecret"),
        config_map("spec.configStore.configMap"),
        claim("spec.configStore.pvc", "name"),
        Reference("spec.configStore.pvc", "storageClass", STORAGE, "StorageClass"),
    ),
}
"""References of the parts of NeMo's microservices, by kind, without image pull secrets."""


KINDS = (
    Kind(
        NIM,
        "NIMCache",
        "runtime",
        kept=ImmutableFields(("spec",)),
        refers=(
            secret("spec.source.ngc", "authSecret"),
            pull_secrets("spec.source.ngc", "pullSecret"),
            *(
                reference
                for holder in ("spec.source.dataStore", "spec.source.hf")
                for reference in (secret(holder, "authSecret"), pull_secrets(holder, "pullSecret"))
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
        kept=ImmutableFields(("spec.draResources",)),
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
        Kind(
            NIM,
            name,
            "workload",
            refers=(*refers, pull_secrets("spec.image", "pullSecrets"), _RUNTIME),
            flat=(Flat("spec"),),
            life="service",
            own_groups=_own_groups,
        )
        for name, refers in _NEMO.items()
    ),
)
