"""Kueue's objects: flavors, queues, topology and priorities that agree with the pools.

A ClusterQueue must cover every resource that a pod requests, or the workload pends for ever: what
follows from its GPUs is told by the same function that judges a workload by its queue.
"""

from typing import Any

from gpuspec.cluster.platform.queue_notes import queue_notes
from gpuspec.plan.flavors import MOST, flavor_labels, flavor_tolerations
from gpuspec.plan.quotas import as_quantity, quota
from gpuspec.plan.topology import kueue, places_by_topology
from gpuspec.spec import Pool, Profile, Queue, QueuePool

GROUP = "kueue.x-k8s.io"
NAMESPACE_LABEL = "kubernetes.io/metadata.name"
# The version of Kueue from which v1beta2 is served. Before it, a queue's cohort is `cohort`.
V1BETA2_SINCE = (0, 15)

Object = dict[str, Any]


def queue_objects(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """Topology, ResourceFlavors, ClusterQueues, LocalQueues and WorkloadPriorityClasses.

    Beside them what no object can say, and where the queues do not agree with the nodes.
    """
    spec = profile.spec
    used = {part.pool for queue in spec.queues for part in queue.pools}
    pools = {pool.name: pool for pool in spec.pools if pool.name in used}
    made = _topology(profile, pools)
    made += [_flavor(profile, pool) for pool in pools.values()]
    for queue in spec.queues:
        made.append(_cluster_queue(profile, queue, pools))
        made += [_local_queue(profile, queue, namespace) for namespace in queue.namespaces]
    for name, value in sorted(spec.priorities.queued.items()):
        made.append({**_object(profile, "WorkloadPriorityClass", name), "value": value})
    return made, queue_notes(profile, pools)


def _object(profile: Profile, kind: str, name: str) -> Object:
    version = "v1beta2" if kueue(profile) >= V1BETA2_SINCE else "v1beta1"
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": {"name": name}}


def _topology(profile: Profile, pools: dict[str, Pool]) -> list[Object]:
    if not any(_placed(profile, pool) for pool in pools.values()):
        return []
    known = profile.spec.topology
    assert known is not None
    levels = [{"nodeLabel": level.label} for level in known.levels]
    return [{**_object(profile, "Topology", known.name), "spec": {"levels": levels}}]


def _placed(profile: Profile, pool: Pool) -> bool:
    """Whether what is admitted to the pool is placed by topology."""
    known = profile.spec.topology
    return known is not None and known.covers(pool.name) and places_by_topology(profile)


def _flavor(profile: Profile, pool: Pool) -> Object:
    """A flavor of the pool's nodes.

    Its taints are `nodeTaints`: work that does not tolerate them is given another flavor, so that
    none lands on spot nodes unasked.
    """
    spec: Object = {}
    if pool.labels:
        spec["nodeLabels"] = flavor_labels(profile, pool)
    if pool.taints:
        spec["nodeTaints"] = [
            {"key": taint.key, "value": taint.value, "effect": taint.effect}
            if taint.value
            else {"key": taint.key, "effect": taint.effect}
            for taint in pool.taints[:MOST]
        ]
    if given := flavor_tolerations(pool):
        spec["tolerations"] = given
    if _placed(profile, pool) and profile.spec.topology is not None:
        spec["topologyName"] = profile.spec.topology.name
    return {**_object(profile, "ResourceFlavor", pool.name), "spec": spec}


def _cluster_queue(profile: Profile, queue: Queue, pools: dict[str, Pool]) -> Object:
    names = [quota(pools[part.pool], 1) for part in queue.pools]
    covered = list(dict.fromkeys(name for amounts in names for name in amounts))
    expression = {"key": NAMESPACE_LABEL, "operator": "In", "values": list(queue.namespaces)}
    flavors = [_flavor_quotas(pools[part.pool], part, covered) for part in queue.pools]
    spec: Object = {
        "namespaceSelector": {"matchExpressions": [expression]},
        "queueingStrategy": "StrictFIFO" if queue.order == "strict" else "BestEffortFIFO",
        "preemption": _preemption(queue),
        "resourceGroups": [{"coveredResources": covered, "flavors": flavors}],
    }
    if queue.cohort is not None:
        field = "cohortName" if kueue(profile) >= V1BETA2_SINCE else "cohort"
        spec[field] = queue.cohort
    if queue.weight is not None:
        spec["fairSharing"] = {"weight": str(queue.weight)}
    return {**_object(profile, "ClusterQueue", queue.name), "spec": spec}


def _preemption(queue: Queue) -> Object:
    if queue.preemption == "never":
        return {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}
    reclaim = "Never" if queue.cohort is None else "Any"
    return {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": reclaim}


def _flavor_quotas(pool: Pool, part: QueuePool, covered: list[str]) -> Object:
    """A flavor's quota of every covered resource: none of what its pool does not have."""
    amounts = {
        "nominalQuota": part.gpus,
        "borrowingLimit": part.borrow,
        "lendingLimit": part.lend,
    }
    quotas = {key: quota(pool, gpus) for key, gpus in amounts.items() if gpus is not None}
    resources = [
        {
            "name": name,
            **{key: as_quantity(name, found.get(name, 0)) for key, found in quotas.items()},
        }
        for name in covered
    ]
    return {"name": part.pool, "resources": resources}


def _local_queue(profile: Profile, queue: Queue, namespace: str) -> Object:
    local = _object(profile, "LocalQueue", queue.name)
    local["metadata"]["namespace"] = namespace
    return {**local, "spec": {"clusterQueue": queue.name}}
