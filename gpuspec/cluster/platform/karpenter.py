"""Karpenter's objects: a NodePool for each pool whose nodes it makes.

Karpenter makes a node for a pod only if it knows before that the node will have what the pod asks for:
its labels, its taints, and its resources. Labels that follow from the machine are requirements; all
others stand in the template, those that a daemon puts on later as well.

Source: sigs.k8s.io/karpenter v1.14.1 (pkg/apis/v1, pkg/controllers/disruption).
"""

from typing import Any

from gpuspec.cluster.platform.plugin_off import kept_off
from gpuspec.hardware import INSTANCE_TYPE
from gpuspec.spec import NodeClass, NodeCount, Pool, Profile
from gpuspec.spec.karpenter import CLASSES, Karpenter, NodeClassRef
from gpuspec.spec.pools import REGION_LABEL, ZONE_LABEL
from gpuspec.spec.rules.karpenter import NODE_POOL_LABEL, node_pool_name

Object = dict[str, Any]
GROUP = "karpenter.sh"
CAPACITY_TYPE = f"{GROUP}/capacity-type"
ARCHITECTURE, SYSTEM = "kubernetes.io/arch", "kubernetes.io/os"
HOSTNAME = "kubernetes.io/hostname"
# Of EC2, beside the name that a profile which extends `eks` has of the model.
GPU_COUNT = "karpenter.k8s.aws/instance-gpu-count"
# The most that a weight may be: pools that come first in the profile are tried first.
_HEAVIEST = 100
# Empty nodes cost and carry nothing: all may go at once. Of others a tenth may, which is what Karpenter
# does when nobody says anything.
_BUDGETS = (
    {"nodes": "100%", "reasons": ["Empty"]},
    {"nodes": "10%", "reasons": ["Underutilized", "Drifted"]},
)
# Names of before, and what Karpenter reads them as.
_ALIASES = {
    "beta.kubernetes.io/arch": ARCHITECTURE,
    "beta.kubernetes.io/os": SYSTEM,
    "beta.kubernetes.io/instance-type": INSTANCE_TYPE,
    "failure-domain.beta.kubernetes.io/zone": ZONE_LABEL,
    "failure-domain.beta.kubernetes.io/region": REGION_LABEL,
}
_WELL_KNOWN = frozenset((*_ALIASES.values(), CAPACITY_TYPE, "topology.k8s.aws/zone-id"))


def karpenters(profile: Profile) -> list[tuple[Pool, Karpenter]]:
    """Return the pools whose nodes Karpenter creates, with their settings."""
    return [(pool, pool.karpenter) for pool in profile.spec.pools if pool.karpenter is not None]


def node_pools(profile: Profile) -> list[Object]:
    """Return a NodePool for each of these pools."""
    return [
        _node_pool(profile, pool, karpenter, max(1, _HEAVIEST - index))
        for index, (pool, karpenter) in enumerate(karpenters(profile))
    ]


def node_class_of(profile: Profile, class_ref: NodeClassRef) -> tuple[str, str]:
    """Return group and kind of the class that a pool names."""
    defaults = CLASSES.get(profile.spec.provider, ("", ""))
    return (class_ref.group or defaults[0], class_ref.kind or defaults[1])


def made_class(profile: Profile, class_ref: NodeClassRef) -> NodeClass | None:
    """Return the profile's class that a pool names; None if it is created elsewhere."""
    if node_class_of(profile, class_ref) != CLASSES["eks"]:
        return None
    return next(
        (
            node_class_
            for node_class_ in profile.spec.node_classes
            if node_class_.name == class_ref.name
        ),
        None,
    )


def is_of_the_machine(key: str, group: str) -> bool:
    """Return whether a label follows from the machine type, for a Karpenter whose classes are of
    this group."""
    domain = key.rpartition("/")[0]
    is_of_provider = domain == group or domain.endswith(f".{group}")
    return key in _WELL_KNOWN or key in _ALIASES or is_of_provider


def _node_pool(profile: Profile, pool: Pool, karpenter: Karpenter, weight: int) -> Object:
    group, kind = node_class_of(profile, karpenter.node_class)
    spec: Object = {
        "nodeClassRef": {"group": group, "kind": kind, "name": karpenter.node_class.name},
        "requirements": _requirements(pool, group),
        "expireAfter": str(karpenter.expire_after),
    }
    if pool.taints:
        spec["taints"] = [
            {"key": taint.key, "value": taint.value, "effect": taint.effect}
            if taint.value
            else {"key": taint.key, "effect": taint.effect}
            for taint in pool.taints
        ]
    if karpenter.termination_grace_period is not None:
        spec["terminationGracePeriod"] = str(karpenter.termination_grace_period)
    template: Object = {"spec": spec}
    if labels := {**_labels(pool, group), **kept_off(profile).get(pool.name, {})}:
        template = {"metadata": {"labels": labels}, "spec": spec}
    obj: Object = {
        "template": template,
        "disruption": {
            "consolidationPolicy": consolidation(profile, pool, karpenter),
            "consolidateAfter": str(karpenter.consolidate_after),
            "budgets": [dict(budget) for budget in _BUDGETS],
        },
        "weight": weight,
    }
    if limits := _limits(pool):
        obj["limits"] = limits
    metadata = {"name": node_pool_name(pool)}
    return {"apiVersion": f"{GROUP}/v1", "kind": "NodePool", "metadata": metadata, "spec": obj}


def consolidation(profile: Profile, pool: Pool, karpenter: Karpenter) -> str:
    """Return which nodes Karpenter removes to save cost; of a pool for finite workloads only empty
    ones."""
    if karpenter.consolidation is not None:
        return karpenter.consolidation
    return "WhenEmpty" if is_queued(profile, pool) else "WhenEmptyOrUnderutilized"


def is_queued(profile: Profile, pool: Pool) -> bool:
    """Return whether a queue has quota for GPUs of a pool."""
    return any(part.pool == pool.name for queue in profile.spec.queues for part in queue.pools)


def _requirements(pool: Pool, group: str) -> list[Object]:
    """Return the requirements on the machine type, by labels that the cloud sets."""
    values_by_key: dict[str, list[str]] = {
        CAPACITY_TYPE: [pool.capacity],
        ARCHITECTURE: [pool.architecture],
        SYSTEM: ["linux"],
    }
    for key, value in pool.labels.items():
        if is_of_the_machine(key, group):
            values_by_key[_ALIASES.get(key, key)] = [value]
    if pool.all_zones:
        values_by_key[ZONE_LABEL] = list(pool.all_zones)
    if group == CLASSES["eks"][0] and INSTANCE_TYPE not in values_by_key:
        values_by_key.setdefault(GPU_COUNT, [str(pool.gpu.count)])
    return [
        {"key": key, "operator": "In", "values": values}
        for key, values in sorted(values_by_key.items())
    ]


def _labels(pool: Pool, group: str) -> dict[str, str]:
    """Return all other labels, except for Karpenter's own and the node's name, which are always
    set."""
    return {
        key: value
        for key, value in sorted(pool.labels.items())
        if not is_of_the_machine(key, group)
        and key not in (HOSTNAME, NODE_POOL_LABEL)
        and not key.partition("/")[0].endswith(GROUP)
    }


def _limits(pool: Pool) -> Object:
    """Return the most nodes, and their GPUs. Shared GPUs are left out, because a node counts them
    differently."""
    most = pool.most_nodes
    if most is None:
        return {}
    gpus = {} if pool.sharing is not None else {pool.gpu.resource: str(pool.gpu.count * most)}
    return {**gpus, "nodes": str(most)}


def bounded_below(pool: Pool) -> int:
    """Return the smallest number of nodes that the profile wants in a pool."""
    return pool.nodes.min if isinstance(pool.nodes, NodeCount) else pool.nodes or 0
