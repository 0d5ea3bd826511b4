"""Ranks of one run as the replicas of a Deployment."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.kinds import an
from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.gangs import ranks
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU754",
    "ranks-as-replicas",
    "warning",
    "Ranks that wait for each other are interchangeable replicas",
)

_EQUAL = ("Deployment", "ReplicaSet", "ReplicationController", "Rollout")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield controllers that give pods neither numbers nor lasting names."""
    owner, count = pod.object, ranks(pod)
    if count is None or owner.kind not in _EQUAL or not is_first(pod):
        return
    yield RawFinding(
        owner.path("kind"),
        f"{an(owner.kind)} creates {count} ranks that wait for each other: no rank has a number "
        "or a stable name, and a rollout stops the whole run at each pod that it replaces",
        note=(
            "use an Indexed Job, a JobSet or a LeaderWorkerSet, which number the ranks and restart "
            "them together"
        ),
    )
