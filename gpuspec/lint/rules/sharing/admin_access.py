"""Claims with administrators' access to devices, in a namespace that does not allow it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.claims import requests_of
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU953",
    "admin-access-not-allowed",
    "warning",
    "A claim with `adminAccess` is in a namespace without the label that allows it",
)
_LABEL = "resource.kubernetes.io/admin-access"
_FORMER_LABEL = "resource.k8s.io/admin-access"
"""Of Kubernetes 1.33, which does not serve `v1`."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield requests with admin access, if the set has the Namespace."""
    namespace = context.collection.named("", "Namespace", obj.namespace)
    accepted = (_LABEL,) if obj.version == "v1" else (_LABEL, _FORMER_LABEL)
    if namespace is None or any(namespace.labels.get(label) == "true" for label in accepted):
        return
    for path, request in requests_of(obj):
        exactly = request.get("exactly")
        fields, steps = (request, path) if exactly is None else (exactly, (*path, "exactly"))
        if mapping(fields).get("adminAccess") is True:
            yield RawFinding(
                (*steps, "adminAccess"),
                f"the API server rejects `adminAccess`: Namespace `{namespace.name}` has no label "
                f"`{_LABEL}: true`, which allows it",
                note=f'add the label `{_LABEL}: "true"` to the Namespace',
                confidence="likely",
                related=(
                    RelatedPlace(namespace.number, namespace.path("metadata"), "the Namespace"),
                ),
            )
