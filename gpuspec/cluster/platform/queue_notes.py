"""Notes on a profile's queues for facts that no object contains; contradictions are reported by
`cluster check`."""

from collections.abc import Iterator

from gpuspec.cluster.platform.admission_checks import check_notes
from gpuspec.plan.flavors import MOST
from gpuspec.plan.quotas import unbounded
from gpuspec.plan.topology import places_by_topology
from gpuspec.spec import NodeCount, Pool, Profile
from gpuspec.spec.rules.priorities import priority_value


def queue_notes(profile: Profile, pools: dict[str, Pool]) -> tuple[str, ...]:
    """Return notes on the queues; `pools` are the pools with quota in them, by name."""
    if not pools:
        return ()
    return (
        *_unbounded(pools),
        *_overlapping(profile, pools),
        *_taints(pools),
        *_namespaces(profile),
        *_topology(profile, pools),
        *_weights(profile),
        *check_notes(profile),
        *_scale(profile),
    )


def _unbounded(pools: dict[str, Pool]) -> Iterator[str]:
    for pool in pools.values():
        if names := unbounded(pool):
            yield (
                f"pool {pool.name}: its nodes' {' and '.join(names)} are unknown, and its "
                "queues do not limit them; write `allocatable`"
            )


def _overlapping(profile: Profile, pools: dict[str, Pool]) -> Iterator[str]:
    """Yield a note for flavors that share nodes.

    A flavor is its labels: a pod that is admitted to one pool can land on another with the same
    labels.
    """
    for pool in pools.values():
        also = [
            candidate.name
            for candidate in profile.spec.pools
            if candidate.name != pool.name
            and candidate.gpu.resource == pool.gpu.resource
            and pool.labels.items() <= candidate.labels.items()
        ]
        if also:
            yield (
                f"no label tells nodes of pool {pool.name} from those of {' and '.join(also)}: "
                f"what is admitted to {pool.name} may land there"
            )


def _taints(pools: dict[str, Pool]) -> Iterator[str]:
    for pool in pools.values():
        if left_out := [taint.key for taint in pool.taints[MOST:]]:
            yield (
                f"pool {pool.name}: a flavor has {MOST} taints at most, and "
                f"{' and '.join(left_out)} are left out: work that does not tolerate them is "
                "admitted but stays Pending"
            )


def _namespaces(profile: Profile) -> Iterator[str]:
    names = {space.name for space in profile.spec.namespaces}
    queues = [queue for queue in profile.spec.queues if not queue.existing]
    queue_by_namespace = {name: queue.name for queue in queues for name in queue.namespaces}
    for name, queue in queue_by_namespace.items():
        if name not in names:
            yield (
                f"namespace {name} of queue {queue} is not among the profile's namespaces, and is "
                "not made here"
            )


def _topology(profile: Profile, pools: dict[str, Pool]) -> Iterator[str]:
    topology = profile.spec.topology
    if topology is None:
        return
    if not places_by_topology(profile):
        version = profile.spec.installed.get("kueue")
        yield f"no Topology is made: Kueue {version} does not place pods by it, 0.14 and later do"
        return
    for pool in pools.values():
        if not topology.covers(pool.name):
            continue
        if isinstance(pool.nodes, NodeCount) and not pool.nodes.min:
            yield (
                f"pool {pool.name} may have no nodes, and a topology counts only existing "
                "nodes: its queues then admit nothing, and no autoscaler adds nodes"
            )


def _weights(profile: Profile) -> Iterator[str]:
    weighted = {
        "queue": [queue.name for queue in profile.spec.queues if queue.weight is not None],
        "cohort": [cohort.name for cohort in profile.spec.cohorts if cohort.weight is not None],
    }
    for holder_kind, names in weighted.items():
        if names:
            yield (
                f"weight of {holder_kind} {' and '.join(names)}: it counts once Kueue's configuration has "
                "`fairSharing`"
            )


def _scale(profile: Profile) -> Iterator[str]:
    """Yield a note on priorities.

    Kueue uses the pod's PriorityClass for workloads without one of its own, so both have one scale.
    """
    priorities = profile.spec.priorities
    if not priorities.queued:
        return
    first = max(priorities.queued, key=lambda name: priorities.queued[name])
    for name in dict.fromkeys((priorities.training, priorities.batch_inference)):
        value = priority_value(priorities, name) if name else None
        if value is not None and value > priorities.queued[first]:
            yield (
                f"work that names no priority counts in queues with its PriorityClass, {name} "
                f"{value}: above {first} {priorities.queued[first]}, the highest of `queued`"
            )
