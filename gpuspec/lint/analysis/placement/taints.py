"""Taints as text, and the tolerations that a fix adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.placing import names, pins, queued, reached
from gpuspec.lint.model import Fix, Put
from gpuspec.objects.scheduling import admitted, scheduling

if TYPE_CHECKING:
    from gpuspec.hardware import Provider, ProviderTaint
    from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Pod
    from gpuspec.spec import Taint


def left_of(tolerations: list[dict[str, object]], advertising_pool: AdvertisingPool) -> list[Taint]:
    """Return the taints of a pool that some tolerations do not match."""
    from gpuspec.fleet.match import untolerated

    return untolerated(tolerations, advertising_pool.pool.taints)


def kept_off(pod: Pod, context: Context) -> list[tuple[AdvertisingPool, list[Taint]]]:
    """Return the pools that a pod without devices is bound to, with the taints that it does not
    tolerate; empty if one of them accepts it, or if it is unknown."""
    if context.cluster is None or queued(pod) or pod.object.is_a("apps", "DaemonSet"):
        return []
    if not pins(pod, context):
        return []
    pools = reached(pod, context)
    tolerations = admitted(pod, context.provider)
    excluding = [(pool, taints) for pool in pools if (taints := left_of(tolerations, pool))]
    return excluding if len(excluding) == len(pools) else []


def unasked_taint(pod: Pod, context: Context, key: str) -> tuple[Provider, ProviderTaint] | None:
    """Return the provider of nodes with a label, and its default taint, if the pod does not
    tolerate it; None with pools, which state their taints.

    The provider is the profile's; without one, that of the label.
    """
    from gpuspec import hardware
    from gpuspec.fleet.scheduler.tolerations import tolerations_of

    if context.placed:
        return None
    labellers = hardware.labellers()
    makers = (vendor for vendor in hardware.vendors() if vendor.labeller in labellers)
    maker = next(
        (vendor.name for vendor in makers if key in labellers[str(vendor.labeller)].keys.values()),
        "nvidia",
    )
    for name, provider in hardware.providers().items():
        mine = provider.labels.always and key in labellers[provider.labels.labeller].keys.values()
        if name != context.provider and not (context.provider is None and mine):
            continue
        tolerations = tolerations_of({"tolerations": admitted(pod, name)})
        for taint in provider.taints:
            if not taint.automatic or taint.spot_only or not taint.is_of(maker):
                continue
            if not any(
                toleration.answers(taint.key, taint.value, taint.effect)
                for toleration in tolerations
            ):
                return provider, taint
    return None


def written(taint: Taint) -> str:
    """Format a taint as kubectl does."""
    return f"{taint.key}{'=' if taint.value else ''}{taint.value}:{taint.effect}"


def tolerate(pod: Pod, taints: list[Taint]) -> Fix | None:
    """Return changes that append tolerations to the pod's own.

    Safe if the taints only mark GPU nodes, for which the pod is meant; other taints are for a user
    to decide. None if the pod's tolerations are defined elsewhere, or invalid.
    """
    from gpuspec import hardware

    tolerations = pod.spec.get("tolerations")
    if tolerations and not isinstance(tolerations, list):
        return None
    if scheduling(pod).get("tolerations") and not tolerations:
        return None  # a workflow's, which some of the pod's own would replace
    new_tolerations = [_toleration(taint) for taint in taints]
    path = pod.path("tolerations")
    safe = all(hardware.is_gpu_resource(taint.key) for taint in taints)
    title = f"tolerate {names([written(taint) for taint in taints])}"
    if not tolerations:
        return Fix(title, (Put(path, new_tolerations),), safe)
    puts = (
        Put((*path, len(tolerations) + index), new_toleration)
        for index, new_toleration in enumerate(new_tolerations)
    )
    return Fix(title, tuple(puts), safe)


def _toleration(taint: Taint) -> dict[str, str]:
    """Return a toleration; that of GPU nodes matches any value, which differs between clusters."""
    from gpuspec import hardware

    if hardware.is_gpu_resource(taint.key) or not taint.value:
        return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
