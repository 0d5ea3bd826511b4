"""Roles and bindings.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/rbac/validation/validation.go, and the defaults of
pkg/apis/rbac/v1/defaults.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import dns_subdomain
from gpuspec.validation.apiserver.reading import inner, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_GROUP = "rbac.authorization.k8s.io"
_RESOURCES = ("apiGroups", "resources", "resourceNames")


def rule(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a rule is about resources of groups, or about URLs."""
    urls = value.get("nonResourceURLs")
    if urls and any(value.get(field) for field in _RESOURCES):
        yield refused(("nonResourceURLs",), "a rule is about resources or about URLs, not both")
    for field in _RESOURCES[:2] if not urls else ():
        if not value.get(field):
            yield refused((field,), "it is missing, but a rule about resources needs it")


def role(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a Role has no URLs, which are cluster-wide."""
    for number, rule in maps(value, "rules"):
        if rule.get("nonResourceURLs"):
            yield refused(
                ("rules", number, "nonResourceURLs"),
                "a Role is namespaced, but URLs are cluster-wide",
                "write a ClusterRole",
            )


def cluster_binding(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a cluster-wide binding names its subjects' namespaces."""
    if inner(value, "roleRef").get("kind") == "Role":
        message = "expected `ClusterRole`: a Role is namespaced"
        yield refused(("roleRef", "kind"), message, expected="ClusterRole")
    for number, subject in maps(value, "subjects"):
        if subject.get("kind") == "ServiceAccount" and not subject.get("namespace"):
            yield refused(("subjects", number, "namespace"), "it is missing")


def subject(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that service accounts have no API group, and that users and groups do."""
    kind, group, name = value.get("kind"), value.get("apiGroup"), value.get("name")
    if kind == "ServiceAccount":
        if group:
            message = "it cannot be set: a ServiceAccount is in the core group"
            yield refused(("apiGroup",), message, "delete it")
        if name and (problem := dns_subdomain(name)):
            yield refused(("name",), f"it {problem}")
    elif group and group != _GROUP:
        yield refused(("apiGroup",), f"expected `{_GROUP}`, not `{group}`", expected=_GROUP)


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "rbac.v1.ClusterRoleBinding": (cluster_binding,),
    "rbac.v1.PolicyRule": (rule,),
    "rbac.v1.Role": (role,),
    "rbac.v1.Subject": (subject,),
}
