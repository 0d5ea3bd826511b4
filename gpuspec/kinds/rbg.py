"""RoleBasedGroup, of the SGLang project. Sources: its CRDs, v1alpha1 and v1alpha2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.common import below
from gpuspec.kinds.model import Kind, PodGroupKind, Reference
from gpuspec.kinds.owned import REPLICAS
from gpuspec.manifests.values import at, items, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "workloads.x-k8s.io"
_PATTERNS = ("leaderWorkerSet", "leaderWorkerPattern")
_TEMPLATES = (
    "roles.*.template",
    "roles.*.standalonePattern.template",
    "roles.*.leaderWorkerPattern.template",
    "roleTemplates.*.template",
)


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of a role; of a template that roles name, the sum over these roles."""
    group = inside[: inside.index("roleTemplates" if "roleTemplates" in inside else "roles")]
    groups = whole(at(value, ("spec", "replicas")), 1) if "groupTemplate" in inside else 1
    role = mapping(at(value, inside[: len(group) + 2]))
    if inside[len(group)] == "roles":
        return PodGroupKind(text(role.get("name")) or "role", _count(role), groups, gang=True)
    name = text(role.get("name"))
    roles = [mapping(role) for role in items(at(value, (*group, "roles")))]
    counts = [_count(role) for role in roles if name in _named(role)]
    known_counts = [count for count in counts if count is not None]
    return PodGroupKind(
        name, sum(known_counts) if len(known_counts) == len(counts) else None, groups, gang=True
    )


def _count(role: dict[str, Any]) -> int | None:
    replicas = whole(role.get("replicas"), 1)
    size = next(
        (mapping(role[pattern]).get("size") for pattern in _PATTERNS if pattern in role), None
    )
    pods = whole(size, 1)
    return None if replicas is None or pods is None else replicas * pods


def _named(role: dict[str, Any]) -> list[str]:
    """Return the templates that a role names."""
    holders = (role, *(mapping(role.get(pattern)) for pattern in ("standalonePattern", *_PATTERNS)))
    return [text(mapping(holder.get("templateRef")).get("name")) for holder in holders]


def _kind(name: str, base: str) -> Kind:
    return Kind(
        GROUP,
        name,
        "workload",
        templates=below(base, *_TEMPLATES),
        life="service",
        part=_part,
        # A role may be a template with a patch.
        completed=True,
        image_filled=True,
        refers=(
            *(
                Reference(path, "profileName", GROUP, "ClusterEngineRuntimeProfile")
                for path in below(base, "roles.*.engineRuntimes.*")
            ),
        ),
        scaled=REPLICAS if name.endswith("Set") else "",
    )


KINDS = (
    Kind(
        GROUP,
        "ClusterEngineRuntimeProfile",
        "runtime",
        namespaced=False,
        specs=("spec",),
        template=True,
    ),
    _kind("RoleBasedGroup", "spec"),
    _kind("RoleBasedGroupSet", "spec.groupTemplate.spec"),
    Kind(
        GROUP,
        "RoleBasedGroupScalingAdapter",
        "scaling",
        scaled=REPLICAS,
        refers=(Reference("spec.scaleTargetRef", "name", GROUP, "RoleBasedGroup"),),
    ),
    Kind(GROUP, "CoordinatedPolicy", "scaling"),
)
