"""Webhooks and policies of admission.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/admissionregistration/validation/validation.go, and
k8s.io/apiserver, pkg/util/webhook/validation.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.manifests import label_key
from gpuspec.validation.apiserver.reading import alone, inner, is_new, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_NEVER = re.compile(r"[\x00-\x1f\x7f]|%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(
    r"""(\[[^]]*\]|([-\w.~!$&'()*+,;=<>"]|[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f])*)(:[0-9]*)?""",
    re.ASCII,
)
"""A host with an optional port, as Go's net/url reads them."""
_STATIC = ".static.k8s.io"
_REVIEWS = {"v1", "v1beta1"}


def webhook(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a webhook accepts a version that this server sends."""
    versions = value.get("admissionReviewVersions")
    if versions and not _REVIEWS & set(versions):
        yield refused(("admissionReviewVersions",), "expected `v1` among the versions")


def client(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a URL is only a webhook's address."""
    from urllib.parse import urlsplit

    url = value.get("url")
    if not url:
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = None
    if parts is None or _NEVER.search(url) or not _HOST.fullmatch(parts.netloc.rpartition("@")[2]):
        yield refused(("url",), "not a URL")
        return
    if parts.scheme != "https" or not parts.netloc:
        message = 'expected a URL such as "https://hook.example.com/check"'
        yield refused(("url",), message)
    elif "@" in parts.netloc or parts.query or parts.fragment:
        message = "a webhook's URL cannot have a user, a query or a fragment"
        yield refused(("url",), message)


def rule(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that `*` is the only entry of a list."""
    for field in ("apiGroups", "apiVersions", "operations"):
        yield from alone(value, field)
    yield from alone(value, "resources", "*/*")
    yield from _resources(value.get("resources") or [])


def policy(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that keys for the audit log begin with the policy's name."""
    name = inner(value, "metadata").get("name")
    for number, audit_annotation in maps(inner(value, "spec"), "auditAnnotations"):
        if name and (problem := label_key(f"{name}/{audit_annotation.get('key')}")):
            path = ("spec", "auditAnnotations", number, "key")
            yield refused(path, f"`{name}/{audit_annotation.get('key')}`: {problem}")


def mutated(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a mutating policy is not for deletions."""
    for field in ("matchConstraints", "matchResources"):
        for number, resource_rule in maps(inner(spec, field), "resourceRules"):
            if "DELETE" in (resource_rule.get("operations") or ()):
                path = (field, "resourceRules", number, "operations")
                yield refused(path, "a mutating policy cannot be for `DELETE`")


def binding(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a policy that denies does not warn as well."""
    if {"Deny", "Warn"} <= set(spec.get("validationActions") or ()):
        yield refused(("validationActions",), "expected only one of `Deny` and `Warn`")


def _resources(names: list[str]) -> Iterator[SchemaViolation]:
    path: Path = ("resources",)
    if "*" in names and names[-1] != "*" and any("/" not in name and name != "*" for name in names):
        yield refused(path, "`*` covers all resources: remove the others")
    for number, name in enumerate(names):
        resource, slash, part = (name or "").partition("/")
        covered = {f"{resource}/*", f"*/{part}"} & set(names[:number]) if slash else set()
        if covered:
            message = f"`{min(covered)}` already covers it"
            yield refused((*path, number), message)


def conditions(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that match conditions compile."""
    from gpuspec.validation.cel.expressions import of_conditions

    yield from of_conditions(value)


def expressions(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the expressions of a policy compile."""
    from gpuspec.validation.cel.expressions import of_policy

    yield from of_policy(spec)


def reserved(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that no name has the suffix that a server reserves for its own files."""
    name = inner(value, "metadata").get("name") or ""
    if is_new(version) and name.endswith(_STATIC):
        yield refused(
            ("metadata", "name"), f"names that end with `{_STATIC}` are reserved for the server"
        )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "admissionregistration.v1.MutatingAdmissionPolicy": (reserved,),
    "admissionregistration.v1.MutatingAdmissionPolicyBinding": (reserved,),
    "admissionregistration.v1.MutatingAdmissionPolicyBindingSpec": (mutated,),
    "admissionregistration.v1.MutatingAdmissionPolicySpec": (mutated, expressions),
    "admissionregistration.v1.MutatingWebhook": (webhook, conditions),
    "admissionregistration.v1.MutatingWebhookConfiguration": (reserved,),
    "admissionregistration.v1.NamedRuleWithOperations": (rule,),
    "admissionregistration.v1.RuleWithOperations": (rule,),
    "admissionregistration.v1.ValidatingAdmissionPolicy": (policy, reserved),
    "admissionregistration.v1.ValidatingAdmissionPolicyBinding": (reserved,),
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec": (binding,),
    "admissionregistration.v1.ValidatingAdmissionPolicySpec": (expressions,),
    "admissionregistration.v1.ValidatingWebhook": (webhook, conditions),
    "admissionregistration.v1.ValidatingWebhookConfiguration": (reserved,),
    "admissionregistration.v1.WebhookClientConfig": (client,),
}
