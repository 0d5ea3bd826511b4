"""Agent Sandbox: single pods with a stable identity, and templates of them. Sources: the types of
kubernetes-sigs/agent-sandbox (0.5), v1alpha1 and v1beta1; their CRDs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodGroupKind, Reference
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import claim_spec
from gpuspec.manifests.values import mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "agents.x-k8s.io"
_EXTENSIONS = "extensions.agents.x-k8s.io"
_TEMPLATE = ("spec.podTemplate",)
_CLAIMS = claim_spec("spec.volumeClaimTemplates.*.spec")


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return its pod; none while it is suspended."""
    spec = mapping(value.get("spec"))
    if spec.get("operatingMode") == "Suspended":
        return PodGroupKind(groups=0)
    return PodGroupKind(groups=whole(spec.get("replicas"), 1))


KINDS = (
    Kind(
        _EXTENSIONS,
        "SandboxTemplate",
        "runtime",
        templates=_TEMPLATE,
        life="service",
        template=True,
        refers=_CLAIMS,
    ),
    Kind(
        _EXTENSIONS,
        "SandboxWarmPool",
        "workload",
        scaled=REPLICAS,
        refers=(Reference("spec.sandboxTemplateRef", "name", _EXTENSIONS, "SandboxTemplate"),),
    ),
    Kind(
        _EXTENSIONS,
        "SandboxClaim",
        "workload",
        refers=(
            Reference("spec.sandboxTemplateRef", "name", _EXTENSIONS, "SandboxTemplate"),
            Reference("spec.warmPoolRef", "name", _EXTENSIONS, "SandboxWarmPool"),
        ),
    ),
    Kind(
        GROUP,
        "Sandbox",
        "workload",
        templates=_TEMPLATE,
        life="service",
        part=_part,
        refers=_CLAIMS,
    ),
)
