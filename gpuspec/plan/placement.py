"""Where the pods may go: node affinity, tolerations, runtime class, scheduler.

Affinity attracts and tolerations only permit, so both are written, from the same pools.
"""

from dataclasses import dataclass
from typing import Any

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.plan.case import Case, ChosenPool
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_profile, from_spec

ARCH = "kubernetes.io/arch"
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
GFD_MEMORY = "nvidia.com/gpu.memory"
GFD_MAJOR = "nvidia.com/gpu.compute.major"
GFD_MINOR = "nvidia.com/gpu.compute.minor"
MIB = 1 << 20
Expression = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlacementPlan:
    """Where the pods may go."""

    affinity: NodeMap
    tolerations: Node
    runtime_class: Node
    scheduler: Node
    notes: tuple[Note, ...]


def placement(case: Case) -> PlacementPlan:
    """Affinity over the acceptable models, tolerations for the pools' taints."""
    extra, notes = _keep_off(case)
    required = _required(case, extra)
    preferred = _preferred(case)
    affinity: dict[str, Node] = {
        "requiredDuringSchedulingIgnoredDuringExecution": required,
        "preferredDuringSchedulingIgnoredDuringExecution": preferred,
    }
    return PlacementPlan(
        affinity={"nodeAffinity": affinity},
        tolerations=_tolerations(case),
        runtime_class=_runtime_class(case),
        scheduler=_scheduler(case),
        notes=tuple(notes),
    )


def architecture(case: Case) -> Leaf:
    """The CPU architecture the image must run on."""
    if case.spec.architecture:
        return from_spec(
            ("spec", "architecture"), case.spec.architecture, "the image is built for it"
        )
    if case.pools:
        first = case.pools[0]
        return from_profile(first.path("architecture"), first.pool.architecture, "the pool's CPUs")
    bound = {model.architecture for model in case.models}
    if bound == {"arm64"}:
        return derived("architecture", "arm64", "every acceptable GPU sits on an arm64 host")
    return derived("architecture", "amd64", "images are taken to be amd64 unless the spec says so")


def product_key(case: Case, chosen: ChosenPool) -> tuple[str, tuple[str, ...]]:
    """The node label that names the GPU model in a pool, and the values it may have."""
    for labeller in hardware.labellers().values():
        key = labeller.product
        if key and key in chosen.pool.labels:
            return key, (chosen.pool.labels[key],)
    return _labelled(chosen.model, LABELLER[case.profile.spec.provider])


def _labelled(model: GpuModel, labeller: str) -> tuple[str, tuple[str, ...]]:
    name = labeller if model.labels.get(labeller) else _OWN_LABELLER.get(model.vendor, "gfd")
    return str(hardware.labellers()[name].product), tuple(model.labels.get(name, ()))


def _products(case: Case) -> dict[str, list[str]]:
    """Label key to values, over the pools, or over the models when there are no pools."""
    found: dict[str, list[str]] = {}
    pairs = (
        [product_key(case, chosen) for chosen in case.pools]
        if case.pools
        else [_labelled(model, LABELLER[case.profile.spec.provider]) for model in case.models]
    )
    for key, values in pairs:
        known = found.setdefault(key, [])
        known += [value for value in values if value not in known]
    return found


def _required(case: Case, extra: list[Expression]) -> Leaf:
    arch = architecture(case)
    common = [{"key": ARCH, "operator": "In", "values": [arch.value]}, *extra]
    terms: list[dict[str, Any]] = []
    if case.spec.gpu.models:
        for key, values in _products(case).items():
            product = {"key": key, "operator": "In", "values": values}
            terms.append({"matchExpressions": [product, *common]})
        names = ", ".join(model.name for model in case.models)
        reason = f"nodes with {names}, whose CPUs are {arch.value}"
        origin = Origin("spec", ("spec", "gpu", "models"))
    else:
        # The profile's pools were chosen by the envelope; without pools the labels say it.
        envelopes = _envelope(case) if not case.pools else [[]]
        terms = [{"matchExpressions": [*envelope, *common]} for envelope in envelopes]
        reason = f"any GPU model that meets the envelope; CPUs are {arch.value}"
        origin = arch.origin
    if extra:
        reason += "; kept off pools that were left out"
    return Leaf({"nodeSelectorTerms": terms}, reason, origin)


def _envelope(case: Case) -> list[list[Expression]]:
    """Least memory and compute capability as GPU Feature Discovery labels, as OR of ANDs."""
    gpu = case.spec.gpu
    memory: list[Expression] = []
    if gpu.memory:
        above = str(int(gpu.memory.value) // MIB - 1)
        memory = [{"key": GFD_MEMORY, "operator": "Gt", "values": [above]}]
    if not gpu.compute_capability:
        return [memory]
    major, minor = gpu.compute_capability.split(".")
    if minor == "0":
        return [[*memory, _greater(GFD_MAJOR, int(major) - 1)]]
    same = {"key": GFD_MAJOR, "operator": "In", "values": [major]}
    return [
        [*memory, _greater(GFD_MAJOR, int(major))],
        [*memory, same, _greater(GFD_MINOR, int(minor) - 1)],
    ]


def _greater(key: str, than: int) -> Expression:
    return {"key": key, "operator": "Gt", "values": [str(than)]}


def _preferred(case: Case) -> Node:
    """Weights that fall with the spec's order of models; nothing for a single model."""
    models = list(dict.fromkeys(model.name for model in case.models))
    if len(case.spec.gpu.models) < 2 or len(models) < 2:
        return None
    weighted: list[dict[str, Any]] = []
    for rank, name in enumerate(models[:-1]):
        products: dict[str, list[str]] = {}
        for key, values in _pairs_of(case, name):
            known = products.setdefault(key, [])
            known += [value for value in values if value not in known]
        weight = 100 - rank * (90 // max(1, len(models) - 1))
        for key, found in products.items():
            expression = {"key": key, "operator": "In", "values": found}
            weighted.append({"weight": weight, "preference": {"matchExpressions": [expression]}})
    return from_spec(("spec", "gpu", "models"), weighted, f"prefers {', then '.join(models)}")


def _pairs_of(case: Case, name: str) -> list[tuple[str, tuple[str, ...]]]:
    if case.pools:
        return [product_key(case, c) for c in case.pools if c.model.name == name]
    labeller = LABELLER[case.profile.spec.provider]
    return [_labelled(model, labeller) for model in case.models if model.name == name]


def _tolerations(case: Case) -> Leaf:
    if not case.pools:
        value = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
        return derived("tolerations", value, "the usual taint of GPU nodes, whatever its value")
    found: list[dict[str, str]] = []
    names: list[str] = []
    for chosen in case.pools:
        names.append(chosen.pool.name)
        for taint in chosen.pool.taints:
            made = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
            if taint.value and taint.key != case.pools[0].pool.gpu.resource:
                made = {
                    "key": taint.key,
                    "operator": "Equal",
                    "value": taint.value,
                    "effect": taint.effect,
                }
            if made not in found:
                found.append(made)
    return from_profile(
        case.pools[0].path("taints"), found or None, f"taints of {', '.join(names)}"
    )


def _keep_off(case: Case) -> tuple[list[Expression], list[Note]]:
    """Expressions that keep pods off pools left out which would otherwise take them."""
    expressions: list[Expression] = []
    notes: list[Note] = []
    products = _products(case) if case.spec.gpu.models else None
    arch = architecture(case).value
    for out in case.left_out:
        pool = out.pool
        if pool.architecture != arch or not _would_take(case, pool, products):
            continue
        label = _telling_label(case, pool)
        origin = Origin("profile", ("spec", "pools", out.index))
        if label is None:
            notes.append(
                Note(
                    f"no label tells pool {pool.name} from the pools chosen: pods may land on it "
                    f"although {out.reason}",
                    origin,
                    loud=True,
                )
            )
            continue
        key, value = label
        same = next((e for e in expressions if e["key"] == key), None)
        if same is None:
            expressions.append({"key": key, "operator": "NotIn", "values": [value]})
        elif value not in same["values"]:
            same["values"].append(value)
    return expressions, notes


def _would_take(case: Case, pool: Any, products: dict[str, list[str]] | None) -> bool:
    first = case.pools[0].pool
    if pool.gpu.resource != first.gpu.resource or pool.gpu.count < case.gpus:
        return False
    tolerated = {
        (taint.key, taint.value, taint.effect)
        for chosen in case.pools
        for taint in chosen.pool.taints
    }
    exists = {(first.gpu.resource, effect) for effect in ("NoSchedule", "NoExecute")}
    for taint in pool.taints:
        known = (taint.key, taint.value, taint.effect) in tolerated
        by_key = (taint.key, taint.effect) in exists and any(
            (t.key, t.effect) == (taint.key, taint.effect)
            for c in case.pools
            for t in c.pool.taints
        )
        if taint.effect != "PreferNoSchedule" and not known and not by_key:
            return False
    if products is None:
        return True
    model = hardware.find(pool.gpu.model)[0]
    key, values = product_key(case, ChosenPool(pool, model, 0))
    return any(value in products.get(key, ()) for value in values)


def _telling_label(case: Case, pool: Any) -> tuple[str, str] | None:
    """A label of the pool that no chosen pool has with the same value."""
    for key, value in sorted(pool.labels.items()):
        if all(chosen.pool.labels.get(key) != value for chosen in case.pools):
            return key, value
    return None


def _runtime_class(case: Case) -> Node:
    if not case.pools or case.pools[0].pool.runtime_class is None:
        return None
    first = case.pools[0]
    return from_profile(
        first.path("runtimeClass"), first.pool.runtime_class, "the pool's GPU pods need it"
    )


def _scheduler(case: Case) -> Node:
    name = case.profile.spec.scheduler
    return name and from_profile(
        ("spec", "scheduler"), name, "the cluster's scheduler for GPU pods"
    )
