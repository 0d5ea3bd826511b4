"""The variables of expressions in Kubernetes' built-in kinds, with their types.

Source: k8s.io/apiserver 1.37, pkg/admission/plugin/cel/compile.go and pkg/cel/library/authz.go;
k8s.io/dynamic-resource-allocation 1.37, cel/compile.go.
"""

from __future__ import annotations

from typing import Any

from gpuspec.cel.registry import function
from gpuspec.cel.types import DYN, CelType, kind
from gpuspec.cel.values import UnknownResult


def _object(name: str, fields: dict[str, str | CelType]) -> CelType:
    cel_types = {
        field: kind(field_type) if isinstance(field_type, str) else field_type
        for field, field_type in fields.items()
    }
    return CelType(name, fields=cel_types)


_WORDS = "map(string, string)"
_NAMED = {"group": "string", "version": "string"}
_REQUESTED_KIND = _object("kubernetes.GroupVersionKind", {**_NAMED, "kind": "string"})
_REQUESTED = _object("kubernetes.GroupVersionResource", {**_NAMED, "resource": "string"})
_USER = _object(
    "kubernetes.UserInfo",
    {
        **dict.fromkeys(("username", "uid"), "string"),
        "groups": "list(string)",
        "extra": "map(string, list(string))",
    },
)
REQUEST = _object(
    "kubernetes.AdmissionRequest",
    {
        "kind": _REQUESTED_KIND,
        "requestKind": _REQUESTED_KIND,
        "resource": _REQUESTED,
        "requestResource": _REQUESTED,
        **dict.fromkeys(("subResource", "requestSubResource", "name", "namespace"), "string"),
        "operation": "string",
        "userInfo": _USER,
        "dryRun": "bool",
        "options": "dyn",
    },
)
_METADATA: dict[str, str | CelType] = {
    **dict.fromkeys(("name", "generateName", "namespace", "UID", "resourceVersion"), "string"),
    **dict.fromkeys(("labels", "annotations"), _WORDS),
    **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), "timestamp"),
    **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), "int"),
    "finalizers": "list(string)",
}
_CONDITION = _object(
    "kubernetes.NamespaceCondition",
    {
        **dict.fromkeys(("status", "type", "message", "reason"), "string"),
        "lastTransitionTime": "timestamp",
    },
)
_STATUS = _object(
    "kubernetes.NamespaceStatus", {"conditions": CelType("list", (_CONDITION,)), "phase": "string"}
)
NAMESPACE = _object(
    "kubernetes.Namespace",
    {
        "metadata": _object("kubernetes.NamespaceMetadata", _METADATA),
        "spec": _object("kubernetes.NamespaceSpec", {"finalizers": "list(string)"}),
        "status": _STATUS,
    },
)

_AUTHZ = "kubernetes.authorization."
_A, _P, _G = f"{_AUTHZ}Authorizer", f"{_AUTHZ}PathCheck", f"{_AUTHZ}GroupCheck"
_R, _D = f"{_AUTHZ}ResourceCheck", f"{_AUTHZ}Decision"


@function(f"{_A}:path(string) -> {_P}", f"{_A}:group(string) -> {_G}")
@function(f"{_A}:serviceAccount(string, string) -> {_A}", f"{_G}:resource(string) -> {_R}")
@function(*(f"{_R}:{name}(string) -> {_R}" for name in ("subresource", "namespace", "name")))
@function(*(f"{_R}:{name}(string) -> {_R}" for name in ("fieldSelector", "labelSelector")))
@function(f"{_P}:check(string) -> {_D}", f"{_R}:check(string) -> {_D}")
@function(*(f"{_D}:{name}() -> bool" for name in ("allowed", "errored")))
@function(*(f"{_D}:{name}() -> string" for name in ("reason", "error")))
@function("jsonpatch.escapeKey(string) -> string")
def _of_a_cluster(*_: Any) -> Any:
    raise UnknownResult("what a cluster allows")


ADMISSION: dict[str, CelType] = {
    "object": DYN,
    "oldObject": DYN,
    "request": REQUEST,
    "namespaceObject": NAMESPACE,
}
AUTHORIZER: dict[str, CelType] = {
    "authorizer": CelType(_A),
    "authorizer.requestResource": CelType(_R),
}
PATCHES: dict[str, CelType] = {
    "Object{}": CelType("Object"),
    "JSONPatch{}": _object(
        "JSONPatch", {**dict.fromkeys(("op", "path", "from"), "string"), "value": "dyn"}
    ),
}
"""The types of the objects that an expression may create."""

_DEVICE = {
    "driver": "string",
    "allowMultipleAllocations": "bool",
    "attributes": "map(string, map(string, any))",
    "capacity": "map(string, map(string, kubernetes.Quantity))",
}
DEVICES: dict[str, CelType] = {
    "device": _object("kubernetes.DRADevice", dict(_DEVICE)),
    "cel.bind": DYN,
}
