"""LeaderWorkerSet (0.10): servers whose replicas are groups of pods. Sources: its CRD and webhooks."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan import claims, queueing, rollout
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.distribution import most_replicas
from gpuspec.plan.facets import NodeMap, Part
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Ranks, Target, TargetInput, TargetRequirement
from gpuspec.spec import InferenceSpec

LABEL = "leaderworkerset.sigs.k8s.io/"
LONGEST = 63
"""Characters of a label's value; StatefulSets write `<name>-<group>-<hash>` into one."""
_HASH = 10


class GroupsPlan(msgspec.Struct, frozen=True):
    """A LeaderWorkerSet; what its webhook would fill in is written out."""

    labels: NodeMap
    replicas: PlanPart
    size: PlanPart
    restart: PlanPart
    rollout: PlanPart
    startup: PlanPart
    subdomain: PlanPart


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, InferenceSpec)
    size = sum(role.count.value for role in of.roles.values())
    groups = GroupsPlan(
        labels=queueing.labels(of.resolution),
        replicas=of.replicas,
        size=from_spec(("spec", "nodes"), size, "a pod on each node of a replica"),
        restart=derived(
            "lws",
            "RecreateGroupOnPodRestart",
            "a replica that has lost a pod cannot continue: all its pods restart together",
        ),
        rollout=_rollout(of.resolution, spec),
        startup=derived("lws", "LeaderCreated", "workers join while the leader starts"),
        # The shared one would be the Service of the set's own name, which is that for clients: it
        # would not be made, and no worker finds a leader that is not ready before they have met.
        subdomain=derived(
            "lws", "UniquePerReplica", "each group has its own Service for host names"
        ),
    )
    return {"lws": groups}


def _rollout(resolution: Resolution, spec: InferenceSpec) -> Decision:
    """Return the requested rollout; else a surge if slots are promised for a whole group; else
    one group stops first."""
    rollout_bounds = rollout.bounds(resolution, spec, spec.nodes, "group")
    surge, unavailable = (
        (rollout_bounds.surge, rollout_bounds.unavailable) if rollout_bounds else (0, 1)
    )
    bounds = {"partition": 0, "maxUnavailable": unavailable, "maxSurge": surge}
    rolling = {"type": "RollingUpdate", "rollingUpdateConfiguration": bounds}
    if rollout_bounds is not None:
        return rollout_bounds.decision(rolling)
    held_claims = claims.kept(resolution, spec)
    why = (
        f"the old pods hold {held_claims}, so one group stops before the next starts"
        if held_claims
        else "the pool promises no spare slots for a group, so an old group stops before a "
        "new one starts"
    )
    return derived("rollout", rolling, why)


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return the refusal of a name that makes its pods' labels too long."""
    assert isinstance(resolution.spec, InferenceSpec)
    longest = len(f"{resolution.name}-{most_replicas(resolution.spec) - 1}-") + _HASH
    if (over := longest - LONGEST) <= 0:
        return []
    text = f"a label of its pods has {longest} characters, {over} too many"
    hint = f"it is <name>-<group>-<hash>, {LONGEST} characters at most"
    return [RefusalReason(text, resolution.workload.place(("metadata", "name")), hint)]


RANKS = Ranks(
    variable="LWS_WORKER_INDEX",
    field=f"metadata.labels['{LABEL}worker-index']",
    why="the pod's place in its group",
    # A variable of every container: each group has a leader of its own.
    first=lambda _: "$(LWS_LEADER_ADDRESS)",
    pods=f"{LABEL}name",
    group=f"{LABEL}group-index",
    network=True,
)
TARGET = Target(
    name="lws",
    api="leaderworkerset.x-k8s.io/v1",
    kind="LeaderWorkerSet",
    intents=("service",),
    roles=("leader", "worker"),
    fields=_fields,
    # The partition of a rollout came with 0.7.
    needs=TargetRequirement("lws", since="0.7", checked="0.10"),
    ranks=RANKS,
    disaggregates=True,
    # As its controller makes the leader's address, a Service for each group.
    replica=lambda name, group: f"{name}-{group}.{name}-{group}",
    serves={f"{LABEL}worker-index": "0"},
    revision=f"{LABEL}template-revision-hash",
    queued=True,
    refused=_refused,
)
