"""Fields that name other objects: how a row of them is written, and those of every pod.

Sources: the API reference of Kubernetes 1.37, and each project's CRDs.
"""

from __future__ import annotations

from gpuspec.kinds.model import Reference
from gpuspec.kinds.owned import QUEUE

KUEUE = "kueue.x-k8s.io"
RESOURCE = "resource.k8s.io"
STORAGE = "storage.k8s.io"
GATEWAY = "gateway.networking.k8s.io"


def config_map(holder: str, field: str = "name", keys: str = "") -> Reference:
    """A field that names a ConfigMap."""
    return Reference(holder, field, "", "ConfigMap", keys)


def secret(
    holder: str, field: str = "name", keys: str = "", *, optional: bool = False
) -> Reference:
    """A field that names a Secret."""
    return Reference(holder, field, "", "Secret", keys, optional=optional)


def claim(holder: str, field: str = "claimName") -> Reference:
    """A field that names a PersistentVolumeClaim."""
    return Reference(holder, field, "", "PersistentVolumeClaim")


def chosen(holder: str, group: str, kind: str, group_at: str, namespace_at: str = "") -> Reference:
    """A reference that says group and kind itself; `group` and `kind` hold where it does not."""
    return Reference(
        holder, "name", group, kind, group_at=group_at, kind_at="kind", namespace_at=namespace_at
    )


def claim_spec(holder: str) -> tuple[Reference, ...]:
    """What a PersistentVolumeClaim's spec names, which lies at a pattern."""
    return (
        Reference(holder, "storageClassName", STORAGE, "StorageClass"),
        Reference(holder, "volumeAttributesClassName", STORAGE, "VolumeAttributesClass"),
        Reference(holder, "volumeName", "", "PersistentVolume"),
        chosen(f"{holder}.dataSource", "", "PersistentVolumeClaim", "apiGroup"),
        chosen(f"{holder}.dataSourceRef", "", "PersistentVolumeClaim", "apiGroup", "namespace"),
    )


def device_requests(holder: str) -> tuple[Reference, ...]:
    """What the spec of a ResourceClaim names, of whatever version."""
    requests = f"{holder}.devices.requests.*"
    return tuple(
        Reference(each, "deviceClassName", RESOURCE, "DeviceClass")
        for each in (requests, f"{requests}.exactly", f"{requests}.firstAvailable.*")
    )


def scale_target(field: str = "scaleTargetRef", group: str = "", kind: str = "") -> Reference:
    """What an autoscaler moves."""
    return chosen(f"spec.{field}", group, kind, "apiVersion")


POD = (
    claim("volumes.*.persistentVolumeClaim"),
    config_map("volumes.*.configMap", keys="items.*.key"),
    secret("volumes.*.secret", "secretName", "items.*.key"),
    config_map("volumes.*.projected.sources.*.configMap", keys="items.*.key"),
    secret("volumes.*.projected.sources.*.secret", keys="items.*.key"),
    secret("volumes.*.csi.nodePublishSecretRef"),
    *claim_spec("volumes.*.ephemeral.volumeClaimTemplate.spec"),
    # A pod starts without them where its images can be had without, or are there.
    secret("imagePullSecrets.*", optional=True),
    Reference("", "serviceAccountName", "", "ServiceAccount"),
    Reference("", "priorityClassName", "scheduling.k8s.io", "PriorityClass"),
    Reference("", "runtimeClassName", "node.k8s.io", "RuntimeClass"),
    Reference("resourceClaims.*", "resourceClaimName", RESOURCE, "ResourceClaim"),
    Reference("resourceClaims.*", "resourceClaimTemplateName", RESOURCE, "ResourceClaimTemplate"),
)
"""What a pod names, from its spec."""
CONTAINER = (
    config_map("env.*.valueFrom.configMapKeyRef", keys="key"),
    secret("env.*.valueFrom.secretKeyRef", keys="key"),
    config_map("envFrom.*.configMapRef"),
    secret("envFrom.*.secretRef"),
)
"""What a container names."""
LABELS = (
    Reference("", QUEUE, KUEUE, "LocalQueue"),
    Reference("", "kueue.x-k8s.io/priority-class", KUEUE, "WorkloadPriorityClass"),
)
"""What an object names by its labels, where Kueue looks for them."""
