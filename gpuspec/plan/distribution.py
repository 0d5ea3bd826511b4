"""The distribution of pods: replicas apart, over zones and nodes; workers near each other."""

from typing import Any

from gpuspec.plan import device_claims, slices
from gpuspec.plan.decision import Decision, Origin, PlanPart
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Ranks, Target
from gpuspec.spec import BatchInferenceSpec, InferenceSpec, Replicas, WorkloadSpec
from gpuspec.spec.together import pods_together

TOPOLOGY = {"zones": "topology.kubernetes.io/zone", "nodes": "kubernetes.io/hostname"}
# Nothing else that pods prefer is worth as much to workers that wait for each other at every step.
NEAR_WEIGHT = 100
# Shards at a time where the spec does not say: one node's worth of GPUs.
MOST_AT_ONCE = 8


def spread(spec: InferenceSpec, selector: dict[str, str], revision: str) -> PlanPart:
    """Return topology spread constraints of serving pods; none for a single pod."""
    if most_replicas(spec) == 1:
        return None
    constraints: list[dict[str, Any]] = []
    for field in ("zones", "nodes"):
        how = getattr(spec.availability, field)
        if how == "none":
            continue
        constraint: dict[str, Any] = {
            "maxSkew": 1,
            "topologyKey": TOPOLOGY[field],
            "whenUnsatisfiable": "DoNotSchedule" if how == "hard" else "ScheduleAnyway",
            "labelSelector": {"matchLabels": selector},
            # A rollout's old pods would otherwise count against the new ones.
            "matchLabelKeys": [revision],
        }
        if how == "hard":
            # Else a cordoned node is an empty place that must be filled first, and never can be.
            constraint["nodeTaintsPolicy"] = "Honor"
        constraints.append(constraint)
    soft = spec.availability.zones == "soft" and spec.availability.nodes == "none"
    reason = (
        (
            "a soft spread over zones: a hard rule cannot be met on a full cluster, and a "
            "spread over nodes would leave a few free GPUs on many nodes"
        )
        if soft
        else (
            "as the spec says; hard means that a replica stays Pending if the spread would "
            "be uneven"
        )
    )
    return Decision(constraints or None, reason, Origin("spec", ("spec", "availability")))


def most_replicas(spec: InferenceSpec) -> int:
    """Return the largest number of replicas of the service."""
    return spec.replicas.max if isinstance(spec.replicas, Replicas) else spec.replicas


def least_replicas(spec: InferenceSpec) -> int:
    """Return the smallest number of replicas of the service in normal operation."""
    return spec.replicas.min if isinstance(spec.replicas, Replicas) else spec.replicas


def most_pods(spec: WorkloadSpec) -> int:
    """Return the largest number of pods that run at one time."""
    match spec:
        case InferenceSpec():
            return most_replicas(spec) * pods_together(spec)
        case BatchInferenceSpec():
            return min(spec.shards.count, at_once(spec))
    return pods_together(spec)


def near(resolution: Resolution, target: Target, name: Decision) -> PlanPart:
    """Return pod affinity that keeps pods which work together in one domain of their fabric.

    Preferred, except where only NVLink connects them: without a gang the first worker chooses the
    domain, and if that has no capacity for all, the others would stay pending. A queue knows the
    capacity of a domain: if the spec requests a topology from it, there is no affinity. A TPU slice
    is one domain as a whole.
    """
    ranks = target.ranks
    if ranks is None or resolution.workers == 1:
        return None
    which = {ranks.pods: name.value, **ranks.own}
    if target.beside and resolution.roles:
        # Near each other, and not near a helper that may be anywhere.
        which[target.beside.label] = target.roles[0]
    if (sliced := slices.together(resolution, which)) is not None:
        return {"requiredDuringSchedulingIgnoredDuringExecution": sliced}
    if not resolution.pools or getattr(resolution.spec, "topology", None) is not None:
        return None
    first = resolution.pools[0]
    if device_claims.is_joined(resolution):
        return {"requiredDuringSchedulingIgnoredDuringExecution": _joined(resolution, ranks, which)}
    domain = first.pool.rdma.domain if first.pool.rdma else None
    if domain is None:
        return None
    term: dict[str, Any] = {
        "labelSelector": {"matchLabels": which},
        "topologyKey": domain,
    }
    if ranks.group:
        term["matchLabelKeys"] = [ranks.group]
    reason = (
        f"{resolution.together} prefer to be near each other, by `{domain}`; with a "
        "hard rule, the first pod could choose a place where not all fit"
    )
    weighted = [{"weight": NEAR_WEIGHT, "podAffinityTerm": term}]
    origin = Origin("profile", first.path("rdma", "domain"))
    return {"preferredDuringSchedulingIgnoredDuringExecution": Decision(weighted, reason, origin)}


def _joined(resolution: Resolution, ranks: Ranks, which: dict[str, str]) -> Decision:
    """Return pod affinity that keeps all pods in one NVLink domain: another has no channel to
    it."""
    term: dict[str, Any] = {
        "labelSelector": {"matchLabels": which},
        "topologyKey": device_claims.CLIQUE,
    }
    if ranks.group:
        term["matchLabelKeys"] = [ranks.group]
    origin = Origin("profile", resolution.pools[0].path("computeDomains"))
    return Decision([term], f"NVLink connects {resolution.together} only within one clique", origin)


def alone(resolution: Resolution, target: Target, name: Decision) -> PlanPart:
    """Return pod anti-affinity that excludes the pods of other runs from a slice that the workers
    fill."""
    if target.ranks is None:
        return None
    apart = slices.apart(resolution, target.ranks.pods, name.value)
    return None if apart is None else {"requiredDuringSchedulingIgnoredDuringExecution": apart}


def at_once(spec: BatchInferenceSpec) -> int:
    """Return the number of shards that run at a time."""
    return spec.shards.parallelism or min(spec.shards.count, MOST_AT_ONCE)
