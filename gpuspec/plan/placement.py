"""Where the pods may run: node affinity, tolerations, runtime class, scheduler.

Affinity attracts and tolerations only permit, so both are written, from the same pools.
"""

from typing import Any

import msgspec

from gpuspec import hardware
from gpuspec.numbers import read_version
from gpuspec.plan import device_claims, slices
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, from_profile, from_spec
from gpuspec.plan.exclusions import ARCH, exclusions, reachable, telling_label
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.fit import MEMORY_SLACK, least_memory
from gpuspec.plan.model_labels import stated_label
from gpuspec.plan.pool_terms import PoolTerms, bound, preferred
from gpuspec.plan.products import (
    ambiguous,
    fitting,
    label_words,
    products,
    sharing_labels,
    unstated,
)
from gpuspec.plan.required import Expression, architecture_of, demanded, one_of, somewhere
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.tolerations import tolerations
from gpuspec.plan.wording import MIB
from gpuspec.spec.quoting import either

GFD_MEMORY = "nvidia.com/gpu.memory"
GFD_MAJOR = "nvidia.com/gpu.compute.major"
GFD_MINOR = "nvidia.com/gpu.compute.minor"


class PlacementPlan(msgspec.Struct, frozen=True):
    """Where the pods may go."""

    selector: NodeMap
    affinity: NodeMap
    tolerations: PlanPart
    runtime_class: PlanPart
    scheduler: PlanPart
    notes: tuple[Note, ...]


def placement(resolution: Resolution) -> PlacementPlan:
    """Return affinity to the acceptable models, and tolerations for the pools' taints."""
    arch = architecture_of(resolution)
    required, notes = demanded(resolution)
    pool_terms = bound(resolution, arch.value, required)
    by_model = (
        slices.is_sliced(resolution) if pool_terms else _by_model(resolution, arch.value, required)
    )
    products_by_label = products(resolution) if by_model else {}
    pinned = _pinned(resolution, products_by_label)
    label_expressions = [
        {"key": key, "operator": "In", "values": [decision.value]}
        for key, decision in pinned.items()
    ]
    label_expressions += pool_terms.single if pool_terms else []
    away, more = exclusions(
        resolution, arch.value, products_by_label, [*required, *label_expressions]
    )
    if pool_terms and not pool_terms.single:
        away, more = [], []  # each term is of one pool alone
    if pool_terms:
        where = _held(arch, pool_terms, resolution, required, away)
    elif slices.ACCELERATOR in pinned:
        where = _anywhere(resolution, arch, required, away)
    else:
        where = _required(resolution, arch, products_by_label, required, away)
    affinity: dict[str, PlanPart] = {
        "requiredDuringSchedulingIgnoredDuringExecution": where,
        "preferredDuringSchedulingIgnoredDuringExecution": preferred(resolution)
        or _preferred(resolution),
    }
    return PlacementPlan(
        selector=pinned,
        affinity={"nodeAffinity": affinity},
        tolerations=tolerations(resolution),
        runtime_class=_runtime_class(resolution),
        scheduler=_scheduler(resolution),
        notes=(
            *notes,
            *more,
            *ambiguous(resolution),
            *_assumed(resolution, where),
            *(unstated(resolution) if products_by_label else ()),
        ),
    )


def without_gpus(resolution: Resolution) -> NodeMap:
    """Return affinity of pods without GPUs: to nodes with the image's CPU architecture, in the
    spec's places."""
    arch, where = architecture_of(resolution), somewhere(resolution)
    expressions = [one_of(ARCH, [arch.value]), *where]
    terms = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    place_words = " of these zones and regions" if where else ""
    reason = f"no GPUs, so any node{place_words} whose taints allow it; {arch.reason}"
    required = Decision(terms, reason, arch.origin)
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def _held(
    arch: Decision,
    pool_terms: PoolTerms,
    resolution: Resolution,
    required: list[Expression],
    away: list[Expression],
) -> Decision:
    """Return the terms for the pools that the spec names."""
    common = [{"key": ARCH, "operator": "In", "values": [arch.value]}, *required, *away]
    terms = [{"matchExpressions": [*term, *common]} for term in pool_terms.terms]
    reason = f"{pool_terms.why.reason}; CPUs are {arch.value}" + _besides(
        resolution, required, away
    )
    return Decision({"nodeSelectorTerms": terms}, reason, pool_terms.why.origin)


def _pinned(resolution: Resolution, products_by_label: dict[str, list[str]]) -> dict[str, Decision]:
    """Return labels in nodeSelector, because their readers look for them only there."""
    topology = slices.selector(resolution)
    decisions = {} if topology is None else {slices.TOPOLOGY: topology}
    values = products_by_label.get(slices.ACCELERATOR, [])
    if len(products_by_label) == len(values) == 1:
        names = ", ".join(model.name for model in resolution.models)
        origin = Origin(
            "spec", ("spec", "gpu", *(("models",) if resolution.spec.gpu.models else ()))
        )
        decisions = {
            slices.ACCELERATOR: Decision(values[0], f"nodes with {names}", origin),
            **decisions,
        }
    return decisions


def _anywhere(
    resolution: Resolution, arch: Decision, required: list[Expression], away: list[Expression]
) -> Decision:
    """Return the requirements on nodes besides the labels in nodeSelector."""
    common = [{"key": ARCH, "operator": "In", "values": [arch.value]}, *required, *away]
    reason = arch.reason + _besides(resolution, required, away)
    return Decision({"nodeSelectorTerms": [{"matchExpressions": common}]}, reason, arch.origin)


def _besides(resolution: Resolution, required: list[Expression], away: list[Expression]) -> str:
    extra_words = ""
    if resolution.spec.capacity == "spot" and required:
        extra_words += "; spot nodes only"
    place = resolution.spec.place
    if place.zones or place.regions:
        extra_words += f"; only in {either((*place.zones, *place.regions))}"
    if resolution.device_option is not None and resolution.device_option.kind != "whole":
        extra_words += f"; with {resolution.device_option}"
    return f"{extra_words}; excluded pools are not allowed" if away else extra_words


def _by_model(resolution: Resolution, arch: str, required: list[Expression]) -> bool:
    """Return whether the affinity names models.

    It does if the spec does, and if pods would otherwise reach pools of unsuitable models.
    Otherwise a new model in the cluster should not need a new render.
    """
    if _claims_know(resolution):
        return False
    if resolution.spec.gpu.models or slices.is_sliced(resolution) or _looks_whole(resolution):
        return True
    others = [
        out
        for out in resolution.excluded_pools
        if out.model not in resolution.models
        or (out.pool.sharing and not telling_label(resolution, out))
    ]
    return any(reachable(resolution, out, arch, required) for out in others)


def _claims_know(resolution: Resolution) -> bool:
    """Return whether claims bind pods to the models, and the label of some pool is uncertain."""
    return device_claims.is_claimed(resolution) and any(
        stated_label(chosen.pool, chosen.model) is None for chosen in resolution.pools
    )


def _looks_whole(resolution: Resolution) -> bool:
    """Return whether the pods get shares under the resource name of whole GPUs, so that only labels
    distinguish them."""
    if (
        resolution.device_option is None
        or resolution.device_option.kind == "whole"
        or sharing_labels(resolution)
    ):
        return False
    resource = hardware.resource(resolution.device_option.resource)
    return resource is None or resource.kind == "device"


def _required(
    resolution: Resolution,
    arch: Decision,
    products_by_label: dict[str, list[str]],
    required: list[Expression],
    away: list[Expression],
) -> Decision:
    common = [{"key": ARCH, "operator": "In", "values": [arch.value]}, *required, *away]
    if products_by_label:
        groups = [[{"key": k, "operator": "In", "values": v}] for k, v in products_by_label.items()]
        models = ", ".join(model.name for model in resolution.models)
        reason = f"nodes with {models}{label_words(resolution)}, whose CPUs are {arch.value}"
        requested_field = ("models",) if resolution.spec.gpu.models else ()
        origin = Origin("spec", ("spec", "gpu", *requested_field))
    else:
        # The profile's pools were chosen by the envelope; without pools the labels say it.
        groups = [[]] if resolution.pools else _envelope(resolution)
        reason = f"any GPU model that meets the needs per GPU; CPUs are {arch.value}"
        origin = arch.origin
    reason += _besides(resolution, required, away)
    terms = [{"matchExpressions": [*group, *common]} for group in groups]
    return Decision({"nodeSelectorTerms": terms}, reason, origin)


def _assumed(resolution: Resolution, where: Decision) -> list[Note]:
    """Return a note if a profile without pools assumes that a labeller labels its nodes.

    Loud for the profile of a provider, whose nodes may lack the labeller.
    """
    labels = hardware.provider(resolution.profile.spec.provider).labels
    if resolution.pools or labels.assumes is None:
        return []
    ours = {*hardware.labellers()[labels.labeller].keys.values()}
    terms = where.value["nodeSelectorTerms"]
    used = [
        expression["key"]
        for term in terms
        for expression in term["matchExpressions"]
        if expression["key"] in ours
    ]
    if not used:
        return []
    text = (
        f"profile {resolution.profile.name} assumes {labels.assumes}: pods select nodes "
        f"by {used[0]}, and without it they stay Pending; a profile with pools lists "
        "their labels"
    )
    loud = resolution.profile.spec.provider != "none"
    return [Note(text, Origin("table", row="hardware/providers"), loud=loud)]


def _envelope(resolution: Resolution) -> list[list[Expression]]:
    """Return least memory and compute capability as labels, as OR of ANDs.

    In GPU Feature Discovery's labels, or by the models if the provider's label is another one.
    """
    fitting_products = fitting(resolution)
    if fitting_products is not None:
        return [[{"key": fitting_products[0], "operator": "In", "values": fitting_products[1]}]]
    memory: list[Expression] = []
    if least := least_memory(resolution.spec):
        memory = [_greater(GFD_MEMORY, least * (100 - MEMORY_SLACK) // 100 // MIB - 1)]
    if not resolution.spec.gpu.compute_capability:
        return [memory]
    major, minor = read_version(resolution.spec.gpu.compute_capability)
    if not minor:
        return [[*memory, _greater(GFD_MAJOR, major - 1)]]
    same = {"key": GFD_MAJOR, "operator": "In", "values": [str(major)]}
    return [
        [*memory, _greater(GFD_MAJOR, major)],
        [*memory, same, _greater(GFD_MINOR, minor - 1)],
    ]


def _greater(key: str, than: int) -> Expression:
    return {"key": key, "operator": "Gt", "values": [str(than)]}


def _preferred(resolution: Resolution) -> PlanPart:
    """Return weights that decrease in the spec's order of models; none for a single model."""
    if (
        len(resolution.spec.gpu.models) < 2
        or len(resolution.models) < 2
        or _claims_know(resolution)
    ):
        return None
    weighted: list[dict[str, Any]] = []
    step = 90 // (len(resolution.models) - 1)
    for rank, model in enumerate(resolution.models[:-1]):
        for key, values in products(resolution, model).items():
            expression = {"key": key, "operator": "In", "values": values}
            preference = {"matchExpressions": [expression]}
            weighted.append({"weight": max(1, 100 - rank * step), "preference": preference})
    names = ", then ".join(model.name for model in resolution.models)
    return from_spec(("spec", "gpu", "models"), weighted, f"the spec's order: {names}")


def _runtime_class(resolution: Resolution) -> PlanPart:
    if not resolution.pools or resolution.pools[0].pool.runtime_class is None:
        return None
    first = resolution.pools[0]
    return from_profile(
        first.path("runtimeClass"), first.pool.runtime_class, "GPU pods of this pool need it"
    )


def _scheduler(resolution: Resolution) -> PlanPart:
    name = resolution.profile.spec.scheduler
    return name and from_profile(
        ("spec", "scheduler"), name, "the cluster's scheduler for GPU pods"
    )
