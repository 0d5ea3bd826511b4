"""LeaderWorkerSet (0.10). Sources: its CRD and webhook; the controller, which makes StatefulSets."""

from __future__ import annotations

from typing import Any

from gpuspec.kinds.apps import revision
from gpuspec.kinds.batch import last
from gpuspec.kinds.common import below, leader_and_workers
from gpuspec.kinds.model import (
    DerivedName,
    ImmutableFields,
    Kind,
    Naming,
    PodChanges,
    RolloutFields,
    Rolls,
)
from gpuspec.kinds.owned import REPLICAS, Rewriter
from gpuspec.kinds.references import claim_spec
from gpuspec.manifests.values import mapping

_GROUP = "leaderWorkerTemplate"
_CLAIMS = f"{_GROUP}.volumeClaimTemplates.*.spec"
_TEMPLATES = (f"{_GROUP}.leaderTemplate", f"{_GROUP}.workerTemplate")


def _made(value: dict[str, Any], name: str) -> list[DerivedName]:
    groups = mapping(value.get("spec")).get("replicas")
    return revision("its workers", f"{name}-{last(groups)}")


KINDS = (
    Kind(
        "leaderworkerset.x-k8s.io",
        "LeaderWorkerSet",
        "workload",
        templates=below("spec", *_TEMPLATES),
        changes=PodChanges(volumes_at=(f"spec.{_GROUP}.volumeClaimTemplates.*",)),
        life="service",
        part=leader_and_workers(_GROUP),
        as_written=True,
        scaled=REPLICAS,
        rewriter=Rewriter("LeaderWorkerSet"),
        whole_run=True,
        refers=claim_spec(f"spec.{_CLAIMS}"),
        naming=Naming("letter first", made=_made),
        pod_label="leaderworkerset.sigs.k8s.io/name",
        kept=ImmutableFields((f"spec.{_GROUP}.subGroupPolicy",)),
        filled=(
            (f"spec.{_GROUP}.size", 1),
            (f"spec.{_GROUP}.restartPolicy", "RecreateGroupOnPodRestart"),
        ),
        rolls=Rolls("restart", "restarts the pods, group by group", also=(f"spec.{_GROUP}",)),
        rollout=RolloutFields("rolloutStrategy", "rollingUpdateConfiguration", 0, 1),
    ),
    Kind(
        "disaggregatedset.x-k8s.io",
        "DisaggregatedSet",
        "workload",
        templates=below("spec.roles.*.spec", *_TEMPLATES),
        changes=PodChanges(volumes_at=(f"spec.roles.*.spec.{_GROUP}.volumeClaimTemplates.*",)),
        refers=claim_spec(f"spec.roles.*.spec.{_CLAIMS}"),
    ),
    Kind("disaggregatedset.x-k8s.io", "DisaggregatedSetRoleScaler", "scaling", scaled=REPLICAS),
)
