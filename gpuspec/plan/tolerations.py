"""Tolerations for the taints of the chosen pools, and the other taints that they match."""

from gpuspec import hardware
from gpuspec.hardware import Provider, ProviderTaint
from gpuspec.plan.decision import Decision, from_profile, from_table
from gpuspec.plan.devices import device, maker
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import Pool, Taint

Toleration = dict[str, str]

# Keys whose taint means "GPU nodes" whatever its value: GKE writes `present`, others `true` or
# nothing, so a toleration of one value breaks on the next cluster.
GPU_TAINTS = ("nvidia.com/gpu", "amd.com/gpu")


def tolerations(resolution: Resolution) -> Decision:
    """Return one toleration for each distinct taint of the chosen pools."""
    if not resolution.pools:
        return _usual(resolution)
    all_tolerations = tolerated(resolution)
    names = ", ".join(chosen.pool.name for chosen in resolution.pools)
    return from_profile(
        resolution.pools[0].path("taints"),
        all_tolerations or None,
        f"the taints of {names}; tolerations allow these nodes, the affinity selects them",
    )


def tolerated(resolution: Resolution) -> list[Toleration]:
    """Return the tolerations for the chosen pools' taints."""
    pool_tolerations: list[Toleration] = []
    for chosen in resolution.pools:
        for taint in chosen.pool.taints:
            taint_toleration = toleration(chosen.pool, taint)
            if taint_toleration not in pool_tolerations:
                pool_tolerations.append(taint_toleration)
    return pool_tolerations


def toleration(pool: Pool, taint: Taint) -> Toleration:
    """Return the toleration for one taint of a pool; that of GPU nodes matches any value."""
    fields = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    if taint.value and not gpu_taint(pool, taint):
        fields |= {"operator": "Equal", "value": taint.value}
    return {key: fields[key] for key in _ORDER if key in fields}


def gpu_taint(pool: Pool, taint: Taint) -> bool:
    """Return whether a taint only marks nodes with GPUs."""
    return taint.key in (*GPU_TAINTS, pool.gpu.resource)


def lets_in(accepted: list[Toleration], pool: Pool) -> bool:
    """Return whether pods with these tolerations may run on the pool's nodes."""
    return all(
        taint.effect == "PreferNoSchedule"
        or any(
            t["key"] == taint.key
            and t["effect"] == taint.effect
            and t.get("value", taint.value) == taint.value
            for t in accepted
        )
        for taint in pool.taints
    )


_ORDER = ("key", "operator", "value", "effect")


def _usual(resolution: Resolution) -> Decision:
    """Return tolerations for a profile without pools: for the usual taints of the provider's GPU
    nodes.

    A toleration that the provider would add itself is written too: it is the same one, and the
    object shows where its pods can run.
    """
    provider = hardware.provider(resolution.profile.spec.provider)
    spot = resolution.spec.capacity == "spot"
    taints = [
        taint
        for taint in provider.taints
        if (spot or not taint.spot_only) and taint.is_of(maker(resolution))
    ]
    # Whoever taints GPU nodes by habit names the taint like the device.
    usual_tolerations = [{"key": device(resolution), "operator": "Exists", "effect": "NoSchedule"}]
    usual_tolerations += [
        {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
        for taint in taints
        if taint.key not in (*GPU_TAINTS, device(resolution))
    ]
    return from_table(
        f"hardware/providers {provider.name}", usual_tolerations, _reason(provider, taints)
    )


def _reason(provider: Provider, taints: list[ProviderTaint]) -> str:
    if not taints:
        return (
            f"the taints of GPU nodes on {provider.title} are unknown: the usual one, as a "
            "precaution"
        )
    sources = dict.fromkeys(taint.source for taint in taints)
    words = "taints that GPU nodes of {} {}: {}".format(
        provider.title,
        "have" if all(taint.automatic for taint in taints) else "usually have",
        ", ".join(str(taint) for taint in taints),
    )
    if provider.tolerations:
        words += f"; {provider.tolerations.by} also adds the one named like the device"
        sources[provider.tolerations.source] = None
    return f"{words} ({'; '.join(sources)})"
