"""A GPU pod that does not tolerate the taint of the nodes that have its device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec.lint.analysis.placement.placing import (
    flavor_tolerations,
    in_all,
    queued,
    reached,
    wanted_devices,
)
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.placement.taints import kept_off, left_of, tolerate, written
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.queues import KUEUE
from gpuspec.objects.scheduling import admitted, has_all_tolerations, is_whole, tolerations

if TYPE_CHECKING:
    from gpuspec.spec import Taint

RULE = Rule(
    "GPU201",
    "no-toleration",
    "error",
    "A GPU pod does not tolerate the taints of the nodes it needs",
    fix="both",
)

# By the maker of a device: the labeller of its operator, and the usual taint of its nodes.
_OPERATORS = {"nvidia": ("gfd", "nvidia.com/gpu"), "amd": ("amd", "amd.com/gpu")}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that every fitting pool excludes by its taints; without a profile, pods that
    are bound to GPU nodes."""
    devices = wanted_devices(pod)
    if not has_all_tolerations(pod) or pod.spec.get("nodeName"):
        return
    if not devices:
        if is_whole(pod):
            yield from _bound(pod, context)
        return
    if context.cluster is None or not context.cluster.pools:
        if not admitted(pod, context.provider) and not queued(pod):
            yield from _unknown(pod, devices[0])
        return
    pod_tolerations = tolerations(pod) + (flavor_tolerations(context) if queued(pod) else [])
    pools = reached(pod, context)
    excluding = [
        (advertising_pool, taints)
        for advertising_pool in pools
        if (taints := left_of(pod_tolerations, advertising_pool))
    ]
    if not pools or len(excluding) < len(pools):
        return
    after = [*pod_tolerations, *admitted(pod, context.provider)]
    excluding = [
        (advertising_pool, left_of(after, advertising_pool)) for advertising_pool, _ in excluding
    ]
    # Of the pool that asks for least: to reach one is enough.
    pool, untolerated = min(excluding, key=lambda pool_and_taints: len(pool_and_taints[1]))
    if untolerated:
        yield _pends(pod, context, excluding, untolerated)
    else:
        yield from _rests_on_admission(pod, context, pool, left_of(pod_tolerations, pool))


def _bound(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield a pod without a device that is bound to GPU nodes: only pods that name the device, even
    with 0, get a toleration.

    Whether it should run on a GPU node is its author's decision.
    """
    pools = kept_off(pod, context)
    if pools:
        finding = _pends(pod, context, pools, min((taints for _, taints in pools), key=len))
        note = "request a device, or tolerate the taint to run on GPU nodes without a device"
        yield replace(finding, fix=None, note=note)


def _pends(
    pod: Pod,
    context: Context,
    pools: list[tuple[AdvertisingPool, list[Taint]]],
    untolerated: list[Taint],
) -> RawFinding:
    """Return the finding on `pools`, each with the taints that the pod does not tolerate;
    `untolerated` are those of the nearest."""
    tainted = [
        (advertising_pool.pool.name, written(taints[0])) for advertising_pool, taints in pools[:4]
    ]
    (pool, _), *others = tainted
    all_of_it = " and ".join(f"`{written(taint)}`" for taint in pools[0][1])
    if others:
        taint_list = ", ".join(f"`{name}` `{with_}`" for name, with_ in tainted)
        reason = f"it tolerates none of the taints of pools in profile `{_profile(context)}` ({taint_list})"
    else:
        reason = (
            f"it does not tolerate the taint {all_of_it} of pool `{pool}` in profile "
            f"`{_profile(context)}`"
        )
    soft = queued(pod) and not context.collection.of(KUEUE, "ResourceFlavor")
    return RawFinding(
        pod.path("tolerations"),
        f"the pod stays Pending: {reason}",
        note="ignore this finding if Kueue's flavor adds the toleration" if soft else None,
        fix=tolerate(pod, untolerated),
        severity="warning" if soft else None,
        confidence="likely" if soft else "certain",
    )


def _rests_on_admission(
    pod: Pod, context: Context, pool: AdvertisingPool, taints: list[Taint]
) -> Iterator[RawFinding]:
    """Yield pods that only the provider's admission lets in.

    If the provider sets the taint itself, both belong together; a taint that people set needs a
    toleration that people can read.
    """
    from gpuspec import hardware

    provider = hardware.provider(context.provider or "none")
    automatic = {taint.key for taint in provider.taints if taint.automatic}
    if {taint.key for taint in taints} <= automatic or provider.tolerations is None:
        return
    yield RawFinding(
        pod.path("tolerations"),
        f"the pod runs only because {provider.tolerations.by} of {provider.title} adds the "
        f"toleration for `{written(taints[0])}` of pool `{pool.pool.name}`: on other clusters it "
        "stays Pending",
        note="add the toleration, so that the pod also runs on other clusters",
        fix=tolerate(pod, taints),
        severity="info",
        confidence="likely",
    )


def _unknown(pod: Pod, device: str) -> Iterator[RawFinding]:
    """Yield pods that are bound to an operator's nodes; without pools, other taints are unknown."""
    bound = in_all(pod)
    if not bound:
        return
    from gpuspec import hardware

    resource = hardware.resource(device)
    labeller, key = _OPERATORS.get(resource.vendor if resource else "", (None, ""))
    if labeller is None:
        return
    keys = set(hardware.labellers()[labeller].keys.values())
    if not any(requirement.key in keys for requirement in bound):
        return
    from gpuspec.spec import Taint

    taint = Taint(key=key)
    yield RawFinding(
        pod.path("tolerations"),
        "the pod has no toleration, and stays Pending if GPU nodes have their usual taint, "
        f"`{written(taint)}`",
        note="name a profile (`-c`): it lists the taints, and the providers that add tolerations",
        fix=tolerate(pod, [taint]),
        severity="info",
        confidence="possible",
    )


def _profile(context: Context) -> str:
    return context.profile.name if context.profile is not None else ""
