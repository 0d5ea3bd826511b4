"""Where the pods may go: node affinity, tolerations, runtime class, scheduler.

Affinity attracts and tolerations only permit, so both are written, from the same pools.
"""

from typing import Any

import msgspec

from gpuspec import hardware
from gpuspec.numbers import read_version
from gpuspec.plan import device_claims, slices
from gpuspec.plan.bound import Bound, bound, preferred
from gpuspec.plan.case import Case
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.fit import MEMORY_SLACK, least_memory
from gpuspec.plan.keep_off import ARCH, keep_off, reachable, telling_label
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, from_profile, from_spec
from gpuspec.plan.model_labels import stated_label
from gpuspec.plan.products import (
    ambiguous,
    fitting,
    label_words,
    products,
    sharing_labels,
    unstated,
)
from gpuspec.plan.required import Expression, architecture_of, demanded, one_of, somewhere
from gpuspec.plan.tolerations import tolerations
from gpuspec.plan.words import MIB
from gpuspec.spec.words import either

GFD_MEMORY = "nvidia.com/gpu.memory"
GFD_MAJOR = "nvidia.com/gpu.compute.major"
GFD_MINOR = "nvidia.com/gpu.compute.minor"


class PlacementPlan(msgspec.Struct, frozen=True):
    """Where the pods may go."""

    selector: NodeMap
    affinity: NodeMap
    tolerations: Node
    runtime_class: Node
    scheduler: Node
    notes: tuple[Note, ...]


def placement(case: Case) -> PlacementPlan:
    """Affinity over the acceptable models, tolerations for the pools' taints."""
    arch = architecture_of(case)
    required, notes = demanded(case)
    held = bound(case, arch.value, required)
    by_model = slices.is_sliced(case) if held else _by_model(case, arch.value, required)
    named = products(case) if by_model else {}
    pinned = _pinned(case, named)
    told = [{"key": key, "operator": "In", "values": [leaf.value]} for key, leaf in pinned.items()]
    told += held.single if held else []
    away, more = keep_off(case, arch.value, named, [*required, *told])
    if held and not held.single:
        away, more = [], []  # each term is of one pool alone
    if held:
        where = _held(arch, held, case, required, away)
    elif slices.ACCELERATOR in pinned:
        where = _anywhere(case, arch, required, away)
    else:
        where = _required(case, arch, named, required, away)
    affinity: dict[str, Node] = {
        "requiredDuringSchedulingIgnoredDuringExecution": where,
        "preferredDuringSchedulingIgnoredDuringExecution": preferred(case) or _preferred(case),
    }
    return PlacementPlan(
        selector=pinned,
        affinity={"nodeAffinity": affinity},
        tolerations=tolerations(case),
        runtime_class=_runtime_class(case),
        scheduler=_scheduler(case),
        notes=(
            *notes,
            *more,
            *ambiguous(case),
            *_assumed(case, where),
            *(unstated(case) if named else ()),
        ),
    )


def without_gpus(case: Case) -> NodeMap:
    """Affinity of pods without GPUs: any node whose CPUs the image is for, where the spec's are to go."""
    arch, where = architecture_of(case), somewhere(case)
    expressions = [one_of(ARCH, [arch.value]), *where]
    terms = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    there = " of these zones and regions" if where else ""
    reason = f"no GPUs, so any node{there} that lets it in; {arch.reason}"
    required = Leaf(terms, reason, arch.origin)
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def _held(
    arch: Leaf, held: Bound, case: Case, required: list[Expression], away: list[Expression]
) -> Leaf:
    """The terms of the pools that the spec names."""
    common = [{"key": ARCH, "operator": "In", "values": [arch.value]}, *required, *away]
    terms = [{"matchExpressions": [*term, *common]} for term in held.terms]
    reason = f"{held.why.reason}; CPUs are {arch.value}" + _besides(case, required, away)
    return Leaf({"nodeSelectorTerms": terms}, reason, held.why.origin)


def _pinned(case: Case, named: dict[str, list[str]]) -> dict[str, Leaf]:
    """Labels that are written as nodeSelector, where those who read them look for them there alone."""
    topology = slices.selector(case)
    found = {} if topology is None else {slices.TOPOLOGY: topology}
    values = named.get(slices.ACCELERATOR, [])
    if len(named) == len(values) == 1:
        names = ", ".join(model.name for model in case.models)
        origin = Origin("spec", ("spec", "gpu", *(("models",) if case.spec.gpu.models else ())))
        found = {slices.ACCELERATOR: Leaf(values[0], f"nodes with {names}", origin), **found}
    return found


def _anywhere(case: Case, arch: Leaf, required: list[Expression], away: list[Expression]) -> Leaf:
    """What is required of nodes besides the labels that nodeSelector has."""
    common = [{"key": ARCH, "operator": "In", "values": [arch.value]}, *required, *away]
    reason = arch.reason + _besides(case, required, away)
    return Leaf({"nodeSelectorTerms": [{"matchExpressions": common}]}, reason, arch.origin)


def _besides(case: Case, required: list[Expression], away: list[Expression]) -> str:
    said = ""
    if case.spec.capacity == "spot" and required:
        said += "; spot nodes only"
    asked = case.spec.place
    if asked.zones or asked.regions:
        said += f"; in {either((*asked.zones, *asked.regions))} alone"
    if case.offer is not None and case.offer.kind != "whole":
        said += f"; with {case.offer}"
    return f"{said}; kept off pools that were left out" if away else said


def _by_model(case: Case, arch: str, required: list[Expression]) -> bool:
    """Whether the affinity names models.

    It does where the spec does, and where pods would else reach pools of models that cannot carry
    them. Otherwise a new model in the cluster should not need a new render.
    """
    if _claims_know(case):
        return False
    if case.spec.gpu.models or slices.is_sliced(case) or _looks_whole(case):
        return True
    others = [
        out
        for out in case.left_out
        if out.model not in case.models or (out.pool.sharing and not telling_label(case, out))
    ]
    return any(reachable(case, out, arch, required) for out in others)


def _claims_know(case: Case) -> bool:
    """Whether claims bind pods to the models, and no label of one of the pools is sure to."""
    return device_claims.is_claimed(case) and any(
        stated_label(chosen.pool, chosen.model) is None for chosen in case.pools
    )


def _looks_whole(case: Case) -> bool:
    """Whether the pods get shares that are advertised as GPUs are: only labels tell them apart."""
    if case.offer is None or case.offer.kind == "whole" or sharing_labels(case):
        return False
    known = hardware.resource(case.offer.resource)
    return known is None or known.kind == "device"


def _required(
    case: Case,
    arch: Leaf,
    named: dict[str, list[str]],
    required: list[Expression],
    away: list[Expression],
) -> Leaf:
    common = [{"key": ARCH, "operator": "In", "values": [arch.value]}, *required, *away]
    if named:
        groups = [[{"key": k, "operator": "In", "values": v}] for k, v in named.items()]
        models = ", ".join(model.name for model in case.models)
        reason = f"nodes with {models}{label_words(case)}, whose CPUs are {arch.value}"
        asked = ("models",) if case.spec.gpu.models else ()
        origin = Origin("spec", ("spec", "gpu", *asked))
    else:
        # The profile's pools were chosen by the envelope; without pools the labels say it.
        groups = [[]] if case.pools else _envelope(case)
        reason = f"any GPU model that meets the envelope; CPUs are {arch.value}"
        origin = arch.origin
    reason += _besides(case, required, away)
    terms = [{"matchExpressions": [*group, *common]} for group in groups]
    return Leaf({"nodeSelectorTerms": terms}, reason, origin)


def _assumed(case: Case, where: Leaf) -> list[Note]:
    """A word where a profile without pools takes for granted that something labels its nodes.

    A loud one where the profile is a provider's, whose nodes may be without it.
    """
    labels = hardware.provider(case.profile.spec.provider).labels
    if case.pools or labels.assumes is None:
        return []
    ours = {*hardware.labellers()[labels.labeller].keys.values()}
    terms = where.value["nodeSelectorTerms"]
    used = [one["key"] for term in terms for one in term["matchExpressions"] if one["key"] in ours]
    if not used:
        return []
    text = (
        f"profile {case.profile.name} assumes {labels.assumes}: nodes are found by {used[0]}, and "
        "without it pods pend; a profile that names its pools says what labels they have"
    )
    loud = case.profile.spec.provider != "none"
    return [Note(text, Origin("table", row="hardware/providers"), loud=loud)]


def _envelope(case: Case) -> list[list[Expression]]:
    """Least memory and compute capability in labels, as OR of ANDs.

    By GPU Feature Discovery's, or by the models where the provider's label is another's.
    """
    named = fitting(case)
    if named is not None:
        return [[{"key": named[0], "operator": "In", "values": named[1]}]]
    memory: list[Expression] = []
    if least := least_memory(case.spec):
        memory = [_greater(GFD_MEMORY, least * (100 - MEMORY_SLACK) // 100 // MIB - 1)]
    if not case.spec.gpu.compute_capability:
        return [memory]
    major, minor = read_version(case.spec.gpu.compute_capability)
    if not minor:
        return [[*memory, _greater(GFD_MAJOR, major - 1)]]
    same = {"key": GFD_MAJOR, "operator": "In", "values": [str(major)]}
    return [
        [*memory, _greater(GFD_MAJOR, major)],
        [*memory, same, _greater(GFD_MINOR, minor - 1)],
    ]


def _greater(key: str, than: int) -> Expression:
    return {"key": key, "operator": "Gt", "values": [str(than)]}


def _preferred(case: Case) -> Node:
    """Weights that fall with the spec's order of models; nothing for a single model."""
    if len(case.spec.gpu.models) < 2 or len(case.models) < 2 or _claims_know(case):
        return None
    weighted: list[dict[str, Any]] = []
    step = 90 // (len(case.models) - 1)
    for rank, model in enumerate(case.models[:-1]):
        for key, values in products(case, model).items():
            expression = {"key": key, "operator": "In", "values": values}
            preference = {"matchExpressions": [expression]}
            weighted.append({"weight": max(1, 100 - rank * step), "preference": preference})
    names = ", then ".join(model.name for model in case.models)
    return from_spec(("spec", "gpu", "models"), weighted, f"the spec's order: {names}")


def _runtime_class(case: Case) -> Node:
    if not case.pools or case.pools[0].pool.runtime_class is None:
        return None
    first = case.pools[0]
    return from_profile(
        first.path("runtimeClass"), first.pool.runtime_class, "GPU pods of this pool need it"
    )


def _scheduler(case: Case) -> Node:
    name = case.profile.spec.scheduler
    return name and from_profile(
        ("spec", "scheduler"), name, "the cluster's scheduler for GPU pods"
    )
