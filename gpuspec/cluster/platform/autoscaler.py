"""What an autoscaler of node groups must be told of pools: before it has a node, it knows none of them.

Cluster Autoscaler makes up the next node of a group that is empty. On AWS it reads tags of the Auto Scaling
group for that; managed clouds know the node pool, which is made with the same labels and taints.

Sources: kubernetes/autoscaler cluster-autoscaler/cloudprovider/aws/README.md and
cluster-autoscaler/expander/priority/readme.md; `gcloud container node-pools create`, `az aks nodepool add`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from gpuspec.hardware import INSTANCE_TYPE
from gpuspec.spec import NodeCount, Pool, Profile

Object = dict[str, Any]
COMPONENT = "cluster-autoscaler"
_NAMESPACE = "kube-system"
_EXPANDER = f"{COMPONENT}-priority-expander"
_TAG = f"k8s.io/{COMPONENT}/node-template"
# What a node pool of a cloud has by itself, and refuses to be told.
_CLOUDS = ("cloud.google.com/", "kubernetes.azure.com/", "kubernetes.io/", "node.kubernetes.io/")
_MOST = 100


def expander(profile: Profile) -> list[Object]:
    """Return the order in which Cluster Autoscaler tries the pools, if there are several: that of
    the profile."""
    pools = scaled(profile)
    if COMPONENT not in profile.spec.installed or len(pools) < 2:
        return []
    # Numbers are keys there. What JSON quotes, YAML reads.
    rows = [
        f"{max(1, _MOST - index)}:\n- {json.dumps(_pattern(pool.name))}\n"
        for index, pool in enumerate(pools)
    ]
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": _EXPANDER, "namespace": _NAMESPACE},
            "data": {"priorities": "".join(rows)},
        }
    ]


def _pattern(name: str) -> str:
    """Return a regular expression for names of node groups with this name in them; special
    characters are escaped."""
    return f".*{re.escape(name)}.*".replace(r"\-", "-")


def scaled(profile: Profile) -> list[Pool]:
    """Return the pools that an autoscaler of node groups scales."""
    return [
        pool
        for pool in profile.spec.pools
        if isinstance(pool.nodes, NodeCount) and pool.karpenter is None
    ]


def autoscaler_notes(profile: Profile) -> tuple[str, ...]:
    """Return how to create each such pool, so that its autoscaler knows what the next node has."""
    notes = list(_groups(profile))
    if expander(profile):
        notes.append(
            f"ConfigMap {_EXPANDER} is read with --expander=priority: by names of node groups that "
            "contain those of the pools"
        )
    return tuple(notes)


def _groups(profile: Profile) -> Iterator[str]:
    instruction = _TOLD.get(profile.spec.provider)
    if instruction is None or (instruction is _tags and COMPONENT not in profile.spec.installed):
        return
    for pool in scaled(profile):
        if isinstance(pool.nodes, NodeCount) and not pool.nodes.min:
            yield f"pool {pool.name}, while it is empty: {instruction(pool, pool.nodes)}"


def _tags(pool: Pool, _: NodeCount) -> str:
    tags = [f"{_TAG}/label/{key}={value}" for key, value in sorted(pool.labels.items())]
    tags += [f"{_TAG}/taint/{t.key}={t.value}:{t.effect}" for t in pool.taints]
    tags.append(f"{_TAG}/resources/{pool.gpu.resource}={pool.gpu.count}")
    have = pool.allocatable
    if have is not None and have.ephemeral_storage is not None:
        tags.append(f"{_TAG}/resources/ephemeral-storage={have.ephemeral_storage}")
    return f"its Auto Scaling group needs the tags {', '.join(tags)}"


def _gke(pool: Pool, bounds: NodeCount) -> str:
    labels, taints = _own(pool)
    options = [
        *_machine(pool, "--machine-type"),
        "--enable-autoscaling",
        f"--total-min-nodes={bounds.min}",
        f"--total-max-nodes={bounds.max}",
        *([f"--node-locations={','.join(pool.zones)}"] if pool.zones else []),
        *(["--spot"] if pool.capacity == "spot" else []),
        *([f"--node-labels={','.join(labels)}"] if labels else []),
        *([f"--node-taints={','.join(taints)}"] if taints else []),
    ]
    return f"create its node pool with {' '.join(options)}"


def _aks(pool: Pool, bounds: NodeCount) -> str:
    labels, taints = _own(pool)
    options = [
        *_machine(pool, "--node-vm-size"),
        f"--enable-cluster-autoscaler --min-count {bounds.min} --max-count {bounds.max}",
        *([f"--zones {' '.join(pool.zones)}"] if pool.zones else []),
        *(["--priority Spot"] if pool.capacity == "spot" else []),
        *([f"--labels {' '.join(labels)}"] if labels else []),
        *([f"--node-taints {','.join(taints)}"] if taints else []),
    ]
    return f"create its node pool with {' '.join(options)}"


def _machine(pool: Pool, option: str) -> list[str]:
    machine = pool.labels.get(INSTANCE_TYPE)
    return [f"{option}={machine}"] if machine else []


def _own(pool: Pool) -> tuple[list[str], list[str]]:
    """Return the labels and taints that the cloud does not set itself."""
    labels = [f"{k}={v}" for k, v in sorted(pool.labels.items()) if not _is_clouds(k)]
    taints = [
        f"{t.key}={t.value}:{t.effect}"
        for t in pool.taints
        if not _is_clouds(t.key) and t.key != pool.gpu.resource
    ]
    return labels, taints


def _is_clouds(key: str) -> bool:
    return key.startswith(_CLOUDS) or key.partition("/")[0].endswith(".kubernetes.io")


_TOLD = {"aks": _aks, "eks": _tags, "gke": _gke}
