"""Which names of other objects Kustomize writes anew when it gives these a prefix, a suffix or a hash.

Of all other fields it does not know that they name something, unless a kustomization says so under
`configurations`. A row that says no group holds for kinds of that name in any group. Its row for an
Ingress's class holds for none: it is for a group `networking.k8s.io/v1`, which there is not.

Source: kubernetes-sigs/kustomize (12f9e63), `api/internal/konfig/builtinpluginconsts/namereference.go`; of
what gets no prefix, `PrefixTransformer.go`.
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
"""Where the pods of the kinds are that it knows."""
_WITH_DATA = tuple(kind for kind in _AT if kind != "ReplicationController")
_WITHOUT_DATA = tuple(kind for kind in _AT if kind not in ("PodTemplate", "ReplicaSet"))
_CONTAINERS = ("containers", "initContainers")


def _in_pods(kinds: tuple[str, ...], *fields: str) -> set[tuple[str, str]]:
    return {(kind, f"{_AT[kind]}/{field}") for kind in kinds for field in fields}


def _in_environment(what: str) -> list[str]:
    return [
        f"{container}/{field}"
        for container in _CONTAINERS
        for field in (f"env/valueFrom/{what}KeyRef/name", f"envFrom/{what}Ref/name")
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
"""By the kind of what is named: the kinds and fields that name it."""
_KNATIVE = ("serving.knative.dev", "spec/template/spec/containers/env/valueFrom/secretKeyRef/name")
_UNTOUCHED = {
    ("", "Namespace"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
}


def keeps_its_name(group: str, kind: str) -> bool:
    """Return whether no prefix and no suffix is given to objects of a kind."""
    return (group, kind) in _UNTOUCHED


def is_rewritten(group: str, kind: str, path: Path, named: str) -> bool:
    """Return whether a name of an object of kind `named`, at a path of one of another kind, is
    written anew."""
    field = field_of(path)
    if named == "Secret" and (group, kind) == (_KNATIVE[0], "Service"):
        return field == _KNATIVE[1]
    return (kind, field) in _KNOWN.get(named, ())


@cache
def field_of(path: Path) -> str:
    """Return a path as Kustomize writes it, which goes through lists without a word."""
    return "/".join(str(step) for step in path if not isinstance(step, int))
