"""kthena (0.4), of the Volcano project. Sources: its CRDs; for the scheduler, which starts the pods
of a group together, its pkg/model-serving-controller/podgroupmanager/manager.go (1.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.common import listed
from gpuspec.kinds.model import Flat, Kind, PodGroupKind, Reference, Selects
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import GATEWAY, chosen, secret
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

ROUTING = "networking.serving.volcano.sh"
_TARGETS = "spec.rules.*.targetModels.*"
GROUP = "workload.serving.volcano.sh"


def _role(value: dict[str, Any], inside: Path) -> PodGroupKind:
    role = mapping(at(value, inside[: inside.index("roles") + 2]))
    name = text(role.get("name")) or "role"
    count, groups = whole(role.get("replicas"), 1), whole(at(value, ("spec", "replicas")), 1)
    if "workerTemplate" not in inside:
        return PodGroupKind(name, count, groups, gang=True)
    workers = whole(role.get("workerReplicas"), 0)
    total = None if count is None or workers is None else count * workers
    return PodGroupKind(f"worker {name}", total, groups, gang=True)


KINDS = (
    Kind(
        ROUTING,
        "ModelServer",
        "traffic",
        selects=(Selects("spec.workloadSelector"),),
    ),
    Kind(
        ROUTING,
        "ModelRoute",
        "traffic",
        refers=(
            Reference(_TARGETS, "modelServerName", ROUTING, "ModelServer"),
            Reference(_TARGETS, "externalModelProviderName", ROUTING, "ExternalModelProvider"),
            chosen("spec.parentRefs.*", GATEWAY, "Gateway", "group", "namespace", "sectionName"),
        ),
    ),
    Kind(
        ROUTING,
        "ExternalModelProvider",
        "traffic",
        refers=(secret("spec.auth.secretRef", "name", "key"),),
    ),
    Kind(GROUP, "AutoscalingPolicy", "scaling"),
    Kind(GROUP, "AutoscalingPolicyBinding", "scaling"),
    Kind(
        GROUP,
        "ModelServing",
        "workload",
        templates=("spec.template.roles.*.entryTemplate", "spec.template.roles.*.workerTemplate"),
        life="service",
        part=_role,
        scaled=REPLICAS,
        scheduler="volcano",
    ),
    Kind(
        GROUP,
        "ModelBooster",
        "workload",
        flat=(Flat("spec.backend.workers.*"),),
        life="service",
        part=listed(
            "workers", "type", "worker", "replicas", "pods", groups="spec.backend.replicas"
        ),
        completed=True,
        image_filled=True,
    ),
)
