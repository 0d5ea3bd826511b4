"""kube-scheduler's message in the status of a pod that no node accepts.

Source: Kubernetes 1.35 and 1.37, `FitError` of the scheduler's framework and the plugins' reasons.
Of versions: 1.34.2 and 1.35 stopped naming taints (kubernetes/kubernetes#134740); dynamic resource
allocation, on since 1.34, adds its own remark until 1.36, also for pods without claims, and fails
if a conflict prevented its setup; 1.37 names the node that preemption frees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.node_affinity import CONFLICT
from gpuspec.fleet.scheduler.preemption import NEVER
from gpuspec.fleet.scheduler.verdict import counted
from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.scheduler.preemption import Preemption
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.fleet.scheduler.verdict import NodeRejection, Verdict

NO_NODES = "no nodes available to schedule pods"
GATED = "Scheduling is blocked due to non-empty scheduling gates"
_CLAIMS = "no new claims to deallocate"
_FILTERING = 'running "DynamicResources" filter plugin: '
_STILL = "still not schedulable"
# What its failure says, after which preemption is not tried.
_NO_STATE = "not found"


def message(
    verdict: Verdict, preemption: Preemption | None, version: str, snapshot: Snapshot | None = None
) -> str:
    """Return the message of the pod's condition `PodScheduled`; empty for a pod that fits.

    Args: verdict: of a pod that no node takes. preemption: what preemption does for it; None leaves
    that part out. version: Kubernetes, `major.minor`; of a minor the newest patch release.
    snapshot: names the node that preemption frees, as 1.37 does.
    """
    if verdict.held:
        return GATED
    if not verdict.total:
        return NO_NODES
    if verdict.fits or verdict.unjudged is not None:
        return ""
    if verdict.failure is not None:
        is_own_failure = verdict.failure.startswith("running ")
        return verdict.failure if is_own_failure else f"{_FILTERING}{verdict.failure}"
    filter_text = filter_part(verdict, version)
    if preemption is None:
        return filter_text
    more = preemption_part(verdict, preemption, version, snapshot)
    return f"{filter_text} {more}" if more else filter_text


def filter_part(verdict: Verdict, version: str) -> str:
    """Return why no node takes the pod: nodes by reason."""
    if verdict.conflict is not None:
        return f"0/{verdict.total} nodes are available: {verdict.conflict}."
    names_taints = read_version(version) < (1, 34)
    reasons = counted(verdict.told(), _reasons if names_taints else None)
    return _available(verdict.total, reasons)


def preemption_part(
    verdict: Verdict, preemption: Preemption, version: str, snapshot: Snapshot | None = None
) -> str:
    """Return the sentence on preemption that follows the reasons; empty if there is none."""
    minor = read_version(version)
    if verdict.conflict == CONFLICT and minor >= (1, 34):
        return _NO_STATE
    if preemption.helps:
        if minor < (1, 37) or snapshot is None:
            return ""
        first = preemption.candidates[0]
        where, victims = snapshot.nodes[first.node].name, len(first.victims)
        return (
            f"preemption: found a potential placement for pod on node {where}, "
            f"preempting {victims} victims"
        )
    preemption_text = (
        NEVER if preemption.never else _available(preemption.total, preemption.counts())
    )
    has = verdict.shape.claims and verdict.conflict is None
    claims = f"{_STILL if has else _CLAIMS}, " if (1, 34) <= minor < (1, 37) else ""
    return f"{claims}preemption: {preemption_text}"


def _available(total: int, reasons: Mapping[str, int]) -> str:
    # Sorted as texts: 10 of one come before 2 of another.
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
    return f"0/{total} nodes are available:" + (f" {listed}." if listed else "")


def _reasons(refusal: NodeRejection) -> tuple[str, ...]:
    if refusal.taint is None:
        return refusal.reasons
    key, value = refusal.taint
    return (f"node(s) had untolerated taint {{{key}: {value}}}",)
