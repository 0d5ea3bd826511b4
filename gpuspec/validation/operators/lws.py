"""LeaderWorkerSets.

Source: sigs.k8s.io/lws v0.9.0, pkg/webhooks/leaderworkerset_webhook.go. Rules of the linter check
that a rollout can go on, and that groups can be divided into subgroups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import INT32
from gpuspec.validation.apiserver.reading import inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_EXCLUSIVE = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"


def groups(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the number of pods, and that only groups with subgroups have a topology for them."""
    template = inner(value, "spec", "leaderWorkerTemplate")
    size, policy = template.get("size") or 1, inner(template, "subGroupPolicy")
    pods = (inner(value, "spec").get("replicas") or 1) * size
    if pods > INT32:
        yield refused(("spec", "replicas"), f"{pods} pods are more than the maximum, {INT32}")
    if template.get("subGroupPolicy") is None and _EXCLUSIVE in inner(
        value, "metadata", "annotations"
    ):
        yield refused(
            ("metadata", "annotations", _EXCLUSIVE),
            "it needs a `subGroupPolicy`",
        )
    part = policy.get("subGroupSize")
    if policy.get("subGroupPolicyType") == "LeaderExcluded" and part and (size - 1) % part:
        yield refused(
            ("spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupSize"),
            f"a group without its leader has {size - 1} pods, which cannot be divided into "
            f"subgroups of {part}",
        )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "leaderworkerset.v1.LeaderWorkerSet": (groups,),
}
ZERO: dict[str, dict[Path, str]] = {"leaderworkerset.v1.LeaderWorkerSet": {}}
FILLED = {
    "leaderworkerset.v1.LeaderWorkerSet": (
        ("spec", "networkConfig", "subdomainPolicy"),
        ("spec", "leaderWorkerTemplate", "restartPolicy"),
        ("spec", "rolloutStrategy", "type"),
    )
}
