"""Kueue's objects: flavors, queues, topology and priorities that agree with the pools.

A ClusterQueue must cover every resource that a pod requests, or the workload stays pending. One
function computes the resources that follow from GPUs, both here and when a workload is checked
against its queue.
"""

from functools import partial
from typing import Any

from gpuspec.cluster.platform.admission_checks import check_objects
from gpuspec.cluster.platform.queue_notes import queue_notes
from gpuspec.plan.flavors import MOST, flavor_labels, flavor_tolerations
from gpuspec.plan.quotas import as_quantity, quota, share
from gpuspec.plan.topology import kueue, places_by_topology
from gpuspec.spec import Cohort, Pool, Profile, Queue, QueuePool
from gpuspec.spec.queue_systems import KUEUE, queue_systems

GROUP = "kueue.x-k8s.io"
NAMESPACE_LABEL = "kubernetes.io/metadata.name"
# The version of Kueue from which v1beta2 is served. Before it, a queue's cohort is `cohort`.
V1BETA2_SINCE = (0, 15)

Object = dict[str, Any]


def queue_objects(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """Return topology, ResourceFlavors, Cohorts, admission checks, queues and
    WorkloadPriorityClasses.

    Notes name what no object can set, and where the queues do not agree with the nodes. Queues that
    are created elsewhere are left out, and so are those of a scheduler.
    """
    spec = profile.spec
    if KUEUE not in queue_systems(spec):
        return [], ()
    queues = [queue for queue in spec.queues if not queue.existing]
    holders: list[Queue | Cohort] = [*queues, *spec.cohorts]
    used = {part.pool for holder in holders for part in holder.pools}
    pools = {pool.name: pool for pool in spec.pools if pool.name in used}
    objects = _topology(profile, pools)
    objects += [_flavor(profile, pool) for pool in pools.values()]
    objects += [_cohort(profile, cohort, pools) for cohort in spec.cohorts]
    objects += check_objects(profile, partial(_object, profile))
    for queue in queues:
        objects.append(_cluster_queue(profile, queue, pools))
        objects += [_local_queue(profile, queue, namespace) for namespace in queue.namespaces]
    for name, value in sorted(spec.priorities.queued.items()):
        objects.append({**_object(profile, "WorkloadPriorityClass", name), "value": value})
    return objects, queue_notes(profile, pools)


def _object(profile: Profile, kind: str, name: str) -> Object:
    version = "v1beta2" if kueue(profile) >= V1BETA2_SINCE else "v1beta1"
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": {"name": name}}


def _topology(profile: Profile, pools: dict[str, Pool]) -> list[Object]:
    if not any(_placed(profile, pool) for pool in pools.values()):
        return []
    topology = profile.spec.topology
    assert topology is not None
    levels = [{"nodeLabel": level.label} for level in topology.levels]
    return [{**_object(profile, "Topology", topology.name), "spec": {"levels": levels}}]


def _placed(profile: Profile, pool: Pool) -> bool:
    """Return whether topology-aware scheduling applies to the pool."""
    topology = profile.spec.topology
    return topology is not None and topology.covers(pool.name) and places_by_topology(profile)


def _flavor(profile: Profile, pool: Pool) -> Object:
    """Return a flavor of the pool's nodes.

    Its taints are `nodeTaints`: a workload that does not tolerate them gets another flavor, so that
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
    if tolerations := flavor_tolerations(pool):
        spec["tolerations"] = tolerations
    if _placed(profile, pool) and profile.spec.topology is not None:
        spec["topologyName"] = profile.spec.topology.name
    return {**_object(profile, "ResourceFlavor", pool.name), "spec": spec}


def _cohort(profile: Profile, cohort: Cohort, pools: dict[str, Pool]) -> Object:
    spec: Object = {}
    if cohort.parent is not None:
        spec["parentName"] = cohort.parent
    if cohort.pools:
        spec["resourceGroups"] = [_resource_group(cohort.pools, pools)]
    if cohort.weight is not None:
        spec["fairSharing"] = {"weight": str(cohort.weight)}
    return {**_object(profile, "Cohort", cohort.name), "spec": spec}


def _cluster_queue(profile: Profile, queue: Queue, pools: dict[str, Pool]) -> Object:
    expression = {"key": NAMESPACE_LABEL, "operator": "In", "values": list(queue.namespaces)}
    spec: Object = {
        "namespaceSelector": {"matchExpressions": [expression]},
        "queueingStrategy": "StrictFIFO" if queue.order == "strict" else "BestEffortFIFO",
        "preemption": _preemption(queue),
        "resourceGroups": [_resource_group(queue.pools, pools, of_queue=True)],
    }
    if queue.cohort is not None:
        field = "cohortName" if kueue(profile) >= V1BETA2_SINCE else "cohort"
        spec[field] = queue.cohort
    if queue.weight is not None:
        spec["fairSharing"] = {"weight": str(queue.weight)}
    if queue.admission_checks:
        checks = [
            {"name": check.name, "onFlavors": list(check.pools)}
            if check.pools
            else {"name": check.name}
            for check in queue.admission_checks
        ]
        spec["admissionChecksStrategy"] = {"admissionChecks": checks}
    return {**_object(profile, "ClusterQueue", queue.cluster), "spec": spec}


def _preemption(queue: Queue) -> Object:
    if queue.preemption == "never":
        return {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}
    reclaim = "Never" if queue.cohort is None else "Any"
    return {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": reclaim}


def _resource_group(
    parts: tuple[QueuePool, ...], pools: dict[str, Pool], *, of_queue: bool = False
) -> Object:
    names = [name for part in parts for name in (*quota(pools[part.pool], 1), *part.quotas)]
    covered = list(dict.fromkeys(names))
    flavors = [_flavor_quotas(pools[part.pool], part, covered, of_queue) for part in parts]
    return {"coveredResources": covered, "flavors": flavors}


def _flavor_quotas(pool: Pool, part: QueuePool, covered: list[str], of_queue: bool) -> Object:
    """Return a flavor's quota of every covered resource: 0 for a resource that its pool lacks.

    A queue lends no more than it has; a cohort also lends what its members have.
    """
    has = share(pool, part)
    resources: list[Object] = []
    for name in covered:
        own_amount = has.own.get(name, 0)
        quantity = part.quotas.get(name)
        nominal = as_quantity(name, own_amount) if quantity is None else str(quantity)
        resource_quota = {"name": name, "nominalQuota": nominal}
        for field, limits in (("borrowingLimit", has.borrow), ("lendingLimit", has.lend)):
            if limits is None or (name in has.own and name not in limits):
                continue
            most = limits.get(name, 0)
            whole = of_queue and field == "lendingLimit" and most >= own_amount
            resource_quota[field] = nominal if whole else as_quantity(name, most)
        resources.append(resource_quota)
    return {"name": part.pool, "resources": resources}


def _local_queue(profile: Profile, queue: Queue, namespace: str) -> Object:
    local = _object(profile, "LocalQueue", queue.name)
    local["metadata"]["namespace"] = namespace
    return {**local, "spec": {"clusterQueue": queue.cluster}}
