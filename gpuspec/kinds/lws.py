"""LeaderWorkerSet (0.10). Sources: its CRD and webhook; the controller, which makes StatefulSets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.apps import revision
from gpuspec.kinds.batch import last
from gpuspec.kinds.model import Kept, Kind, Made, Naming, Part, Rollout, Rolls
from gpuspec.kinds.parts import below
from gpuspec.manifests.values import mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

_GROUP = "leaderWorkerTemplate"
_TEMPLATES = (f"{_GROUP}.leaderTemplate", f"{_GROUP}.workerTemplate")


def _part(value: dict[str, Any], inside: Path) -> Part:
    spec = mapping(value.get("spec"))
    groups = whole(spec.get("replicas"), 1)
    template = mapping(spec.get(_GROUP))
    size = whole(template.get("size"), 1)
    gang = (size or 1) > 1
    if "leaderTemplate" in inside:
        return Part("leader", 1, groups, gang)
    # Without a leader's template the leader is made from the workers'.
    own = 1 if "leaderTemplate" in template else 0
    return Part("worker", None if size is None else size - own, groups, gang)


def _made(value: dict[str, Any], name: str) -> list[Made]:
    groups = mapping(value.get("spec")).get("replicas")
    return revision("its workers", f"{name}-{last(groups)}")


KINDS = (
    Kind(
        "leaderworkerset.x-k8s.io",
        "LeaderWorkerSet",
        "workload",
        templates=below("spec", *_TEMPLATES),
        life="service",
        part=_part,
        as_written=True,
        scalable=True,
        whole_run=True,
        naming=Naming(made=_made),
        pod_label="leaderworkerset.sigs.k8s.io/name",
        kept=Kept((f"spec.{_GROUP}.subGroupPolicy",)),
        rolls=Rolls("restart", "restarts the pods, group by group", also=(f"spec.{_GROUP}",)),
        rollout=Rollout("rolloutStrategy", "rollingUpdateConfiguration", 0, 1),
    ),
    Kind(
        "disaggregatedset.x-k8s.io",
        "DisaggregatedSet",
        "workload",
        templates=below("spec.roles.*.spec", *_TEMPLATES),
    ),
)
