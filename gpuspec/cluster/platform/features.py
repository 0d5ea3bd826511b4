"""Node labels that Node Feature Discovery sets from the GPUs on the PCI bus.

Only for a pool whose GPU model no other pool has. Labels of a kubelet, a provider or the driver's
daemons are left to these.
"""

from collections.abc import Mapping
from typing import Any

from gpuspec import hardware
from gpuspec.spec import Pool, Profile, model_of
from gpuspec.spec.rules.gpu_operator import early_labels, nvidia_pools

Object = dict[str, Any]
RULE = "gpuspec-pools"
# NFD sets no labels of this domain but for its own, which it sets by itself.
_KUBERNETES = "kubernetes.io"


def feature_objects(profile: Profile, more: Mapping[str, Mapping[str, str]]) -> list[Object]:
    """Return the NodeFeatureRule of all pools that their GPUs identify. `more`: further labels by
    pool."""
    rules = [
        {
            "name": f"pool {pool.name}",
            "labels": labels,
            "matchFeatures": [{"feature": "pci.device", "matchExpressions": _devices(pool)}],
        }
        for pool in told_by_gpus(profile)
        if (labels := dict(sorted({**_own_labels(pool), **more.get(pool.name, {})}.items())))
    ]
    if not rules:
        return []
    return [
        {
            "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
            "kind": "NodeFeatureRule",
            "metadata": {"name": RULE},
            "spec": {"rules": rules},
        }
    ]


def told_by_gpus(profile: Profile) -> list[Pool]:
    """Return the pools with such labels: none unless the profile asks for them."""
    gpu_operator = profile.spec.gpu_operator
    if gpu_operator is None or not gpu_operator.node_feature_rules:
        return []
    pools = nvidia_pools(profile.spec)
    ids_by_pool = {pool.name: set(_ids(pool)) for pool in pools}
    return [
        pool
        for pool in pools
        if ids_by_pool[pool.name]
        and not any(
            ids_by_pool[pool.name] & ids_by_pool[candidate.name]
            for candidate in pools
            if candidate is not pool
        )
        # Boards that we know no id of may be of any pool's model.
        and all(
            ids_by_pool[candidate.name] or model_of(candidate).name != model_of(pool).name
            for candidate in pools
        )
    ]


def feature_notes(profile: Profile) -> tuple[str, ...]:
    """Return the pools whose nodes a user still has to label."""
    gpu_operator = profile.spec.gpu_operator
    if gpu_operator is None or not gpu_operator.node_feature_rules:
        return ()
    pools = told_by_gpus(profile)
    unlabelled = [
        pool for pool in nvidia_pools(profile.spec) if pool not in pools and _own_labels(pool)
    ]
    return tuple(
        f"pool {pool.name}: its GPUs do not tell its nodes from others: label them "
        + ", ".join(f"{key}={value}" for key, value in sorted(_own_labels(pool).items()))
        for pool in unlabelled
    )


def _ids(pool: Pool) -> tuple[str, ...]:
    product = pool.labels.get(hardware.labellers()["gfd"].product or "")
    name = hardware.split_product(product).name if product is not None else None
    return hardware.pci_devices(model_of(pool), name)


def _devices(pool: Pool) -> Object:
    return {
        "vendor": {"op": "In", "value": [hardware.pci_vendor()]},
        "device": {"op": "In", "value": list(_ids(pool))},
    }


def _own_labels(pool: Pool) -> dict[str, str]:
    """Return the labels of a pool that only users set."""
    return {
        key: value
        for key, value in early_labels(pool).items()
        if "/" in key
        and hardware.label_domain(key) is None
        and not key.partition("/")[0].endswith(_KUBERNETES)
    }
