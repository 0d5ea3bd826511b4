"""Flavors, by which a queue identifies the nodes of its pools, and the choice among them.

Kueue 0.19 (pkg/scheduler/flavorassigner) considers quotas, the flavor's taints, and the terms of a
pod's required affinity on the flavor's own labels. It ignores everything else about a node, such as
its number of GPUs, or a label that the flavor lacks.
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
    """Return the labels by which a flavor identifies the pool's nodes, distinguishing ones
    first."""
    others = [
        other_pool.labels for other_pool in profile.spec.pools if other_pool.name != pool.name
    ]
    telling = sorted(
        pool.labels.items(),
        key=lambda label: any(labels.get(label[0]) == label[1] for labels in others),
    )
    return dict(sorted(telling[:MOST]))


def flavor_tolerations(pool: Pool) -> list[Toleration]:
    """Return the tolerations that a flavor adds to each of its pods: only that of GPU nodes.

    It is for workloads that gpuspec did not render. Rendered pods have it in the same form, so that
    Kueue adds nothing to them.
    """
    return [toleration(pool, taint) for taint in pool.taints if gpu_taint(pool, taint)]


def handed_out(
    resolution: Resolution, out: ExcludedPool, label_terms: list[dict[str, list[str]]]
) -> bool:
    """Return whether the workload's queue would admit it to an excluded pool.

    `label_terms` are the terms of the required affinity, label key to values. A workload admitted there
    stays pending and holds the quota.
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
    if not all(has.get(label_term) for label_term in needed) or not lets_in(tolerations, out.pool):
        return False
    labels = flavor_labels(resolution.profile, out.pool)
    return any(
        all(labels[key] in values for key, values in term.items() if key in labels)
        for term in label_terms
    )
