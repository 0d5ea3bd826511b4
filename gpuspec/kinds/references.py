"""Fields that name other objects: the constructors of rows, and the references of every pod.

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
    """Return a reference to a ConfigMap, with the keys that are read."""
    return Reference(holder, field, "", "ConfigMap", keys)


def secret(
    holder: str, field: str = "name", *keys: str, optional: bool = False, namespace_at: str = ""
) -> Reference:
    """Return a reference to a Secret, with the keys that are read."""
    return Reference(
        holder, field, "", "Secret", keys, namespace_at=namespace_at, optional=optional
    )


def pull_secrets(holder: str, field: str = "imagePullSecrets") -> Reference:
    """Return a reference to a list of image pull secrets. A pod starts without them if its images
    are public."""
    return secret(holder, field, optional=True)


def claim(holder: str, field: str = "claimName", scheme: str = "") -> Reference:
    """Return a reference to a PersistentVolumeClaim."""
    return Reference(holder, field, "", "PersistentVolumeClaim", scheme=scheme)


def account(holder: str, field: str = "serviceAccountName") -> Reference:
    """Return a reference to a ServiceAccount."""
    return Reference(holder, field, "", "ServiceAccount")


def priority(holder: str, field: str = "priorityClassName") -> Reference:
    """Return a reference to a PriorityClass."""
    return Reference(holder, field, SCHEDULING, "PriorityClass")


def service(holder: str, field: str = "name", *ports: str, namespace_at: str = "") -> Reference:
    """Return a reference to a Service, with the ports that are used."""
    return Reference(holder, field, "", "Service", ports, namespace_at=namespace_at)


def chosen(
    holder: str, group: str, kind: str, group_at: str, namespace_at: str = "", *keys: str
) -> Reference:
    """Return a reference whose holder states group and kind; `group` and `kind` are the defaults."""
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
    """Return the references to a key of a ConfigMap or a Secret as the source of a value."""
    return (
        config_map(f"{holder}.configMapKeyRef", "name", "key"),
        secret(f"{holder}.secretKeyRef", "name", "key"),
    )


def environment(holder: str) -> tuple[Reference, ...]:
    """Return the references of a container's environment, or of another holder of one."""
    base = f"{holder}." if holder else ""
    return (
        *key_refs(f"{base}env.*.valueFrom"),
        config_map(f"{base}envFrom.*.configMapRef"),
        secret(f"{base}envFrom.*.secretRef"),
    )


def claim_spec(holder: str) -> tuple[Reference, ...]:
    """Return the references of a PersistentVolumeClaim spec at a pattern."""
    return (
        Reference(holder, "storageClassName", STORAGE, "StorageClass"),
        Reference(holder, "volumeAttributesClassName", STORAGE, "VolumeAttributesClass"),
        Reference(holder, "volumeName", "", "PersistentVolume"),
        chosen(f"{holder}.dataSource", "", "PersistentVolumeClaim", "apiGroup"),
        chosen(f"{holder}.dataSourceRef", "", "PersistentVolumeClaim", "apiGroup", "namespace"),
    )


_DRIVERS = ("cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos")
"""Volume types that log in with a Secret."""


def volume_spec(holder: str) -> tuple[Reference, ...]:
    """Return the references of a PersistentVolume spec at a pattern."""
    logins = (
        *_DRIVERS,
        *(f"csi.{field}" for field in ("controllerExpand", "controllerPublish", "nodeExpand")),
        *(f"csi.{field}" for field in ("nodePublish", "nodeStage")),
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
    """Return the references of a ResourceClaim spec, in every version."""
    requests = f"{holder}.devices.requests.*"
    return tuple(
        Reference(path, "deviceClassName", RESOURCE, "DeviceClass")
        for path in (requests, f"{requests}.exactly", f"{requests}.firstAvailable.*")
    )


def device_claims(holder: str) -> tuple[Reference, ...]:
    """Return the references to ResourceClaims and their templates."""
    return (
        Reference(holder, "resourceClaimName", RESOURCE, "ResourceClaim"),
        Reference(holder, "resourceClaimTemplateName", RESOURCE, "ResourceClaimTemplate"),
    )


def scale_target(field: str = "scaleTargetRef", group: str = "", kind: str = "") -> Reference:
    """Return the reference to an autoscaler's target."""
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
    Reference("nodeSelector", "cloud.google.com/compute-class", "cloud.google.com", "ComputeClass"),
    Reference("nodeSelector", "karpenter.sh/nodepool", "karpenter.sh", "NodePool"),
)
"""References of a pod's spec."""
CONTAINER = environment("")
"""References of a container."""
LABELS = (
    Reference("", QUEUE, KUEUE, "LocalQueue"),
    Reference("", "kueue.x-k8s.io/priority-class", KUEUE, "WorkloadPriorityClass"),
)
"""References in an object's labels, at the path that Kueue reads."""
