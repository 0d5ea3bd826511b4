"""Fields that name other objects: how a row of them is written, and those of every pod.

Sources: the API reference of Kubernetes 1.37, and each project's CRDs.
"""

from __future__ import annotations

from gpuspec.kinds.model import Reference
from gpuspec.kinds.owned import QUEUE

KUEUE = "kueue.x-k8s.io"
RESOURCE = "resource.k8s.io"
SCHEDULING = "scheduling.k8s.io"
STORAGE = "storage.k8s.io"
GATEWAY = "gateway.networking.k8s.io"


def config_map(holder: str, field: str = "name", *keys: str) -> Reference:
    """Return a field that names a ConfigMap, and the keys that are asked of it."""
    return Reference(holder, field, "", "ConfigMap", keys)


def secret(
    holder: str, field: str = "name", *keys: str, optional: bool = False, namespace_at: str = ""
) -> Reference:
    """Return a field that names a Secret, and the keys that are asked of it."""
    return Reference(
        holder, field, "", "Secret", keys, namespace_at=namespace_at, optional=optional
    )


def pull_secrets(holder: str, field: str = "imagePullSecrets") -> Reference:
    """Return a list of names of Secrets. A pod starts without them where its images can be had
    without."""
    return secret(holder, field, optional=True)


def claim(holder: str, field: str = "claimName", scheme: str = "") -> Reference:
    """Return a field that names a PersistentVolumeClaim."""
    return Reference(holder, field, "", "PersistentVolumeClaim", scheme=scheme)


def account(holder: str, field: str = "serviceAccountName") -> Reference:
    """Return a field that names a ServiceAccount."""
    return Reference(holder, field, "", "ServiceAccount")


def priority(holder: str, field: str = "priorityClassName") -> Reference:
    """Return a field that names a PriorityClass."""
    return Reference(holder, field, SCHEDULING, "PriorityClass")


def service(holder: str, field: str = "name", *ports: str, namespace_at: str = "") -> Reference:
    """Return a field that names a Service, and the ports that are asked of it."""
    return Reference(holder, field, "", "Service", ports, namespace_at=namespace_at)


def chosen(
    holder: str, group: str, kind: str, group_at: str, namespace_at: str = "", *keys: str
) -> Reference:
    """Return a reference that says group and kind itself; `group` and `kind` hold where it does
    not."""
    return Reference(
        holder,
        "name",
        group,
        kind,
        keys,
        group_at=group_at,
        kind_at="kind",
        namespace_at=namespace_at,
    )


def key_refs(holder: str) -> tuple[Reference, ...]:
    """Return where the value of something is a key's of a ConfigMap or a Secret."""
    return (
        config_map(f"{holder}.configMapKeyRef", "name", "key"),
        secret(f"{holder}.secretKeyRef", "name", "key"),
    )


def environment(holder: str) -> tuple[Reference, ...]:
    """Return what a container's environment names, or that of something else which has one."""
    base = f"{holder}." if holder else ""
    return (
        *key_refs(f"{base}env.*.valueFrom"),
        config_map(f"{base}envFrom.*.configMapRef"),
        secret(f"{base}envFrom.*.secretRef"),
    )


def claim_spec(holder: str) -> tuple[Reference, ...]:
    """Return what a PersistentVolumeClaim's spec names, which lies at a pattern."""
    return (
        Reference(holder, "storageClassName", STORAGE, "StorageClass"),
        Reference(holder, "volumeAttributesClassName", STORAGE, "VolumeAttributesClass"),
        Reference(holder, "volumeName", "", "PersistentVolume"),
        chosen(f"{holder}.dataSource", "", "PersistentVolumeClaim", "apiGroup"),
        chosen(f"{holder}.dataSourceRef", "", "PersistentVolumeClaim", "apiGroup", "namespace"),
    )


_DRIVERS = ("cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos")
"""Kinds of volume that log in with a Secret."""


def volume_spec(holder: str) -> tuple[Reference, ...]:
    """Return what a PersistentVolume's spec names, which lies at a pattern."""
    logins = (
        *_DRIVERS,
        *(f"csi.{each}" for each in ("controllerExpand", "controllerPublish", "nodeExpand")),
        *(f"csi.{each}" for each in ("nodePublish", "nodeStage")),
    )
    return (
        Reference(holder, "storageClassName", STORAGE, "StorageClass"),
        Reference(holder, "volumeAttributesClassName", STORAGE, "VolumeAttributesClass"),
        chosen(f"{holder}.claimRef", "", "PersistentVolumeClaim", "", "namespace"),
        secret(f"{holder}.azureFile", "secretName", namespace_at="secretNamespace"),
        *(
            secret(
                f"{holder}.{login}{'SecretRef' if '.' in login else '.secretRef'}",
                namespace_at="namespace",
            )
            for login in logins
        ),
    )


def device_requests(holder: str) -> tuple[Reference, ...]:
    """Return what the spec of a ResourceClaim names, of whatever version."""
    requests = f"{holder}.devices.requests.*"
    return tuple(
        Reference(each, "deviceClassName", RESOURCE, "DeviceClass")
        for each in (requests, f"{requests}.exactly", f"{requests}.firstAvailable.*")
    )


def device_claims(holder: str) -> tuple[Reference, ...]:
    """Return what takes devices by a claim, or has one made of a template."""
    return (
        Reference(holder, "resourceClaimName", RESOURCE, "ResourceClaim"),
        Reference(holder, "resourceClaimTemplateName", RESOURCE, "ResourceClaimTemplate"),
    )


def scale_target(field: str = "scaleTargetRef", group: str = "", kind: str = "") -> Reference:
    """Return what an autoscaler moves."""
    return chosen(f"spec.{field}", group, kind, "apiVersion")


POD = (
    claim("volumes.*.persistentVolumeClaim"),
    config_map("volumes.*.configMap", "name", "items.*.key"),
    secret("volumes.*.secret", "secretName", "items.*.key"),
    config_map("volumes.*.projected.sources.*.configMap", "name", "items.*.key"),
    secret("volumes.*.projected.sources.*.secret", "name", "items.*.key"),
    Reference(
        "volumes.*.projected.sources.*.clusterTrustBundle",
        "name",
        "certificates.k8s.io",
        "ClusterTrustBundle",
    ),
    secret("volumes.*.csi.nodePublishSecretRef"),
    secret("volumes.*.azureFile", "secretName"),
    *(secret(f"volumes.*.{driver}.secretRef") for driver in _DRIVERS),
    *claim_spec("volumes.*.ephemeral.volumeClaimTemplate.spec"),
    secret("imagePullSecrets.*", optional=True),
    account(""),
    account("", "serviceAccount"),
    priority(""),
    Reference("", "runtimeClassName", "node.k8s.io", "RuntimeClass"),
    Reference("schedulingGroup", "podGroupName", SCHEDULING, "PodGroup"),
    *device_claims("resourceClaims.*"),
)
"""What a pod names, from its spec."""
CONTAINER = environment("")
"""What a container names."""
LABELS = (
    Reference("", QUEUE, KUEUE, "LocalQueue"),
    Reference("", "kueue.x-k8s.io/priority-class", KUEUE, "WorkloadPriorityClass"),
)
"""What an object names by its labels, where Kueue looks for them."""
