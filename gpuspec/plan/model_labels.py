"""The label of a pool's nodes with their GPU model, and the labeller if the pool states no such
label."""

from functools import cache

from gpuspec import hardware
from gpuspec.hardware import GpuModel, Labeller
from gpuspec.spec import ClusterProfileSpec, NodeCount, Pool

# Labels by which nodes of one kind are known where none names their GPU.
KIND_LABELS = (
    "node.kubernetes.io/instance-type",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
)
_OPERATOR = "gpu-operator"
# In the last part of a key: it names a pool, which people like to call after its GPUs.
_OF_POOLS = ("pool", "group")


def stated_label(pool: Pool, model: GpuModel) -> str | None:
    """Return the label in a pool that pods use to select its GPU model; None if there is none.

    For nodes that an autoscaler creates, a label that a node has from the beginning: an autoscaler
    does not know labels that a daemon adds later.
    """
    if pool.model_label is not None:
        return pool.model_label
    keys = [labeller.product for labeller in hardware.labellers().values()]
    stated = [key for key in keys if key is not None and key in pool.labels]
    comes = [key for key in stated if key not in _found_out()]
    kinds = [key for key in KIND_LABELS if key in pool.labels]
    if pool.sharing is None and not isinstance(pool.nodes, int):
        stated = [*comes, *(kinds if isinstance(pool.nodes, NodeCount) else ()), *stated]
    # Where the labels are told and none names the model, one that is there is better than a guess.
    return next(iter((*stated, *kinds, *_by_value(pool, model))), None)


def guessed(spec: ClusterProfileSpec, pool: Pool, model: GpuModel) -> Labeller | None:
    """Return who must label a pool's nodes, if the profile lists labels and none has the model.

    None if one has, and if the labeller surely runs, because other labels of its vendor are there.
    """
    if not pool.labels or stated_label(pool, model) is not None:
        return None
    labeller = hardware.naming_labeller(spec.provider, model)
    runs = labeller.name == "gfd" and _OPERATOR in spec.installed
    always = hardware.is_provider_labeller(spec.provider, labeller)
    domain = str(labeller.product).partition("/")[0]
    if runs or always or any(key.partition("/")[0] == domain for key in pool.labels):
        return None
    return labeller if labeller.values_of(model) else None


def _by_value(pool: Pool, model: GpuModel) -> list[str]:
    """Return the labels whose value names the pool's model and no other, whatever their key."""
    described, whole = pool.gpu.memory is not None, (model.whole or model,)
    return [
        key
        for key, value in pool.labels.items()
        if not any(word in key.rpartition("/")[2] for word in _OF_POOLS)
        and (hardware.same_name(value, model.name) if described else hardware.find(value) == whole)
    ]


@cache
def _found_out() -> frozenset[str | None]:
    """Return the product labels of the vendors' own daemons, without those of providers."""
    labellers = {maker.labeller for maker in hardware.vendors()}
    keys = {
        labeller.product
        for labeller in hardware.labellers().values()
        if labeller.values in labellers
    }
    domains = {key: hardware.label_domain(str(key)) for key in keys}
    return frozenset(key for key, domain in domains.items() if not (domain and domain.providers))
