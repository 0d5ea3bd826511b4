"""Names of other objects that Kustomize rewrites after a prefix, suffix or hash.

Kustomize does not know that other fields hold names, unless a kustomization lists them under
`configurations`. A row without a group holds for kinds of that name in any group. The row for an
Ingress class matches nothing: its group is `networking.k8s.io/v1`, which does not exist.

Source: kubernetes-sigs/kustomize (12f9e63),
`api/internal/konfig/builtinpluginconsts/namereference.go`; for names without a prefix,
`PrefixTransformer.go`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.manifests import Path

_AT = {
    "Pod": "spec",
    "PodTemplate": "template/spec",
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "ReplicationController", "DaemonSet", "StatefulSet", "Job"),
        "spec/template/spec",
    ),
    "CronJob": "spec/jobTemplate/spec/template/spec",
}
"""Paths of the pods of the kinds that Kustomize knows."""
_WITH_DATA = tuple(kind for kind in _AT if kind != "ReplicationController")
_WITHOUT_DATA = tuple(kind for kind in _AT if kind not in ("PodTemplate", "ReplicaSet"))
_CONTAINERS = ("containers", "initContainers")


def _in_pods(kinds: tuple[str, ...], *fields: str) -> set[tuple[str, str]]:
    return {(kind, f"{_AT[kind]}/{field}") for kind in kinds for field in fields}


def _in_environment(source: str) -> list[str]:
    return [
        f"{container}/{field}"
        for container in _CONTAINERS
        for field in (f"env/valueFrom/{source}KeyRef/name", f"envFrom/{source}Ref/name")
    ]


_HOOKS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_SCALED = ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
_KNOWN: dict[str, set[tuple[str, str]]] = {
    **{key: {("HorizontalPodAutoscaler", "spec/scaleTargetRef/name")} for key in _SCALED},
    "ConfigMap": _in_pods(
        _WITH_DATA,
        "volumes/configMap/name",
        "volumes/projected/sources/configMap/name",
        *_in_environment("configMap"),
    ),
    "Secret": {
        *_in_pods(
            _WITH_DATA,
            "volumes/secret/secretName",
            "volumes/projected/sources/secret/name",
            "imagePullSecrets/name",
            *_in_environment("secret"),
        ),
        ("Ingress", "spec/tls/secretName"),
        ("ServiceAccount", "imagePullSecrets/name"),
        ("PersistentVolume", "spec/azureFile/secretName"),
    },
    "Service": {
        ("StatefulSet", "spec/serviceName"),
        ("Ingress", "spec/rules/http/paths/backend/service/name"),
        ("Ingress", "spec/defaultBackend/service/name"),
        ("APIService", "spec/service/name"),
        *((kind, "webhooks/clientConfig/service/name") for kind in _HOOKS),
    },
    "Role": {("RoleBinding", "roleRef/name")},
    "ClusterRole": {(kind, "roleRef/name") for kind in _BINDINGS},
    "ServiceAccount": {
        *((kind, "subjects/name") for kind in _BINDINGS),
        *_in_pods(_WITHOUT_DATA, "serviceAccountName"),
    },
    "PersistentVolumeClaim": _in_pods(_WITHOUT_DATA, "volumes/persistentVolumeClaim/claimName"),
    "PersistentVolume": {("PersistentVolumeClaim", "spec/volumeName")},
    "StorageClass": {
        ("PersistentVolume", "spec/storageClassName"),
        ("PersistentVolumeClaim", "spec/storageClassName"),
        ("StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
    },
    "PriorityClass": _in_pods(_WITHOUT_DATA, "priorityClassName"),
    "ValidatingAdmissionPolicy": {("ValidatingAdmissionPolicyBinding", "spec/policyName")},
}
"""Kinds and fields that hold a name, by the kind of the named object."""
_KNATIVE = ("serving.knative.dev", "spec/template/spec/containers/env/valueFrom/secretKeyRef/name")
_GOVERNING = ("apps", "spec/serviceName")
"""A field of StatefulSets, in this group alone."""
_UNTOUCHED = {
    ("", "Namespace"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
}


def keeps_its_name(group: str, kind: str) -> bool:
    """Return whether Kustomize gives objects of a kind no prefix and no suffix."""
    return (group, kind) in _UNTOUCHED


def is_rewritten(group: str, kind: str, path: Path, named_kind: str) -> bool:
    """Return whether Kustomize rewrites the name of a `named_kind` object at this path of another
    object."""
    field = field_of(path)
    if named_kind == "Secret" and (group, kind) == (_KNATIVE[0], "Service"):
        return field == _KNATIVE[1]
    if field == _GOVERNING[1] and group != _GOVERNING[0]:
        return False
    return (kind, field) in _KNOWN.get(named_kind, ())


@cache
def field_of(path: Path) -> str:
    """Return a path as Kustomize writes it, without list indexes."""
    return "/".join(str(step) for step in path if not isinstance(step, int))
