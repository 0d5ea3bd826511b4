"""How replicas are spread over zones and nodes."""

from typing import Any

from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Node, Origin
from gpuspec.spec import InferenceSpec, Replicas

TOPOLOGY = {"zones": "topology.kubernetes.io/zone", "nodes": "kubernetes.io/hostname"}


def spread(case: Case, spec: InferenceSpec, selector: dict[str, str]) -> Node:
    """Topology spread constraints; none for a service that is a single pod."""
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
            "matchLabelKeys": ["pod-template-hash"],
        }
        if how == "hard":
            # Else a cordoned node is an empty place that must be filled first, and never can be.
            constraint["nodeTaintsPolicy"] = "Honor"
        constraints.append(constraint)
    soft = spec.availability.zones == "soft" and spec.availability.nodes == "none"
    reason = (
        "over zones, softly: a hard rule cannot be met when room is tight, and one over nodes "
        "would leave small holes on many of them"
        if soft
        else "as the spec says; hard means that a replica pends rather than unbalance"
    )
    return Leaf(constraints or None, reason, Origin("spec", ("spec", "availability")))


def most_replicas(spec: InferenceSpec) -> int:
    """The most replicas that the service can have."""
    return spec.replicas.max if isinstance(spec.replicas, Replicas) else spec.replicas


def least_replicas(spec: InferenceSpec) -> int:
    """The fewest replicas that the service has in normal times."""
    return spec.replicas.min if isinstance(spec.replicas, Replicas) else spec.replicas
