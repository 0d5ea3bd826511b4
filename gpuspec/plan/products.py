"""Node labels that tell what a pool is: its GPU model, and whether its nodes are spot."""

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.plan.case import Case, ChosenPool
from gpuspec.spec import Pool

# Whose label names the GPU model where a pool's own labels do not.
LABELLER = {
    "none": "gfd",
    "gke": "gke",
    "eks": "karpenter-aws",
    "eks-auto": "eks-auto",
    "aks": "gfd",
    "coreweave": "coreweave-class",
}
_OWN_LABELLER = {"amd": "amd", "nvidia": "gfd"}
# Labels by which nodes of one kind are known where none names their GPU.
KIND_LABELS = (
    "node.kubernetes.io/instance-type",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
)


def product_key(case: Case, pool: Pool, model: GpuModel) -> tuple[str, tuple[str, ...]]:
    """The node label that names the GPU model in a pool, and the values it may have."""
    for labeller in hardware.labellers().values():
        key = labeller.product
        if key and key in pool.labels:
            return key, (pool.labels[key],)
    for key in KIND_LABELS:
        # The pool's labels are told and none names the model: one that is there is better.
        if key in pool.labels:
            return key, (pool.labels[key],)
    return _labelled(case, model)


def products(case: Case, only: GpuModel | None = None) -> dict[str, list[str]]:
    """Label key to values, over the chosen pools, or over the models when there are no pools."""
    pairs = (
        [_of(case, chosen) for chosen in case.pools if only in (None, chosen.model)]
        if case.pools
        else [_labelled(case, model) for model in case.models if only in (None, model)]
    )
    found: dict[str, list[str]] = {}
    for key, values in pairs:
        known = found.setdefault(key, [])
        known += [value for value in values if value not in known]
    return found


def spot_label(pool: Pool) -> tuple[str, str] | None:
    """The label of the pool's nodes by which they are known as spot."""
    found = (item for item in hardware.SPOT_LABELS.items() if pool.labels.get(item[0]) == item[1])
    return next(found, None)


def _of(case: Case, chosen: ChosenPool) -> tuple[str, tuple[str, ...]]:
    return product_key(case, chosen.pool, chosen.model)


def _labelled(case: Case, model: GpuModel) -> tuple[str, tuple[str, ...]]:
    labeller = LABELLER[case.profile.spec.provider]
    name = labeller if model.labels.get(labeller) else _OWN_LABELLER.get(model.vendor, "gfd")
    return str(hardware.labellers()[name].product), tuple(model.labels.get(name, ()))
