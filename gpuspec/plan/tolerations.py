"""Tolerations for the taints of the chosen pools, and which other taints they let through."""

from gpuspec.hardware import SPOT_LABELS, SPOT_OF
from gpuspec.plan.case import Case
from gpuspec.plan.devices import device
from gpuspec.plan.leaf import Leaf, derived, from_profile
from gpuspec.spec import Pool

Toleration = dict[str, str]

# Keys whose taint means "GPU nodes" whatever its value: GKE writes `present`, others `true` or
# nothing, so a toleration of one value breaks on the next cluster.
GPU_TAINTS = ("nvidia.com/gpu", "amd.com/gpu")


def tolerations(case: Case) -> Leaf:
    """One toleration for each distinct taint of the chosen pools."""
    if not case.pools:
        return _usual(case)
    made = tolerated(case)
    names = ", ".join(chosen.pool.name for chosen in case.pools)
    return from_profile(
        case.pools[0].path("taints"),
        made or None,
        f"the taints of {names}; a toleration permits, the affinity attracts",
    )


def tolerated(case: Case) -> list[Toleration]:
    """The tolerations that the chosen pools' taints ask for."""
    found: list[Toleration] = []
    for chosen in case.pools:
        for taint in chosen.pool.taints:
            made = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
            if taint.value and taint.key not in (*GPU_TAINTS, chosen.pool.gpu.resource):
                made |= {"operator": "Equal", "value": taint.value}
            if made not in found:
                found.append({key: made[key] for key in _ORDER if key in made})
    return found


def lets_in(made: list[Toleration], pool: Pool) -> bool:
    """Whether pods with these tolerations may run on the pool's nodes."""
    return all(
        taint.effect == "PreferNoSchedule"
        or any(
            t["key"] == taint.key
            and t["effect"] == taint.effect
            and t.get("value", taint.value) == taint.value
            for t in made
        )
        for taint in pool.taints
    )


_ORDER = ("key", "operator", "value", "effect")


def _usual(case: Case) -> Leaf:
    """The taints that GPU nodes usually have, and spot nodes of the provider."""
    # Whoever taints GPU nodes by habit names the taint like the device.
    made = [{"key": device(case), "operator": "Exists", "effect": "NoSchedule"}]
    reason = "the usual taint of GPU nodes, whatever its value"
    spot = SPOT_OF.get(case.profile.spec.provider)
    if case.spec.capacity == "spot" and spot in SPOT_LABELS:
        value = SPOT_LABELS[spot]
        made.append({"key": spot, "operator": "Equal", "value": value, "effect": "NoSchedule"})
        reason += ", and the provider's for spot nodes"
    return derived("placement", made, reason)
