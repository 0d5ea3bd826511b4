"""Flavors, by which a queue knows the nodes of its pools, and which of them it would give to pods.

Kueue 0.19 (pkg/scheduler/flavorassigner) looks at quotas, at the flavor's taints, and at what a
pod's required affinity says of the flavor's own labels. Nothing else of a node counts: not how many
GPUs one has, nor a label of it that the flavor does not have.
"""

from gpuspec.plan.devices import device
from gpuspec.plan.fabric import fabric_pool
from gpuspec.plan.quotas import own
from gpuspec.plan.resolution import ExcludedPool, Resolution
from gpuspec.plan.tolerations import Toleration, gpu_taint, lets_in, tolerated, toleration
from gpuspec.spec import Pool, Profile, find_queue

# Kueue takes so many labels, and so many taints, of a flavor.
MOST = 8


def flavor_labels(profile: Profile, pool: Pool) -> dict[str, str]:
    """Return labels by which a flavor knows the pool's nodes, those first that tell it from
    others."""
    others = [other.labels for other in profile.spec.pools if other.name != pool.name]
    telling = sorted(
        pool.labels.items(),
        key=lambda label: any(labels.get(label[0]) == label[1] for labels in others),
    )
    return dict(sorted(telling[:MOST]))


def flavor_tolerations(pool: Pool) -> list[Toleration]:
    """Return what a flavor puts into each pod that gets it: the toleration of GPU nodes, and no
    other.

    For work that was not rendered here, and in the very form that our pods have it, so that Kueue
    adds nothing to them.
    """
    return [toleration(pool, taint) for taint in pool.taints if gpu_taint(pool, taint)]


def handed_out(
    resolution: Resolution, out: ExcludedPool, wanted: list[dict[str, list[str]]]
) -> bool:
    """Return whether the workload's queue would admit it to a pool that was left out.

    `wanted` are the terms of the required affinity, label key to values. What is admitted there
    pends, and holds the quota.
    """
    name = getattr(resolution.spec, "queue", None)
    queue = find_queue(resolution.profile.spec.queues, name, resolution.workload.namespace)
    parts = () if queue is None else queue.pools
    part = next((queue_pool for queue_pool in parts if queue_pool.pool == out.pool.name), None)
    if part is None:
        return False
    fabric = fabric_pool(resolution)
    needed = {device(resolution)}
    if fabric is not None and fabric.pool.rdma is not None:
        needed |= fabric.pool.rdma.devices.keys()
    has = own(out.pool, part)
    tolerations = [*tolerated(resolution), *flavor_tolerations(out.pool)]
    if not all(has.get(each) for each in needed) or not lets_in(tolerations, out.pool):
        return False
    labels = flavor_labels(resolution.profile, out.pool)
    return any(
        all(labels[key] in values for key, values in term.items() if key in labels)
        for term in wanted
    )
