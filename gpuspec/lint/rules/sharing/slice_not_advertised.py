"""A whole GPU where there are only slices, or a slice under a name that its pool does not use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.placing import in_all, names
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.sharing.mig import PREFIX, owners, slices
from gpuspec.lint.analysis.sharing.sharing import unoffered
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, RawFinding, Rename, Rule
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.devices import DeviceRequest

RULE = Rule(
    "GPU312",
    "slice-not-advertised",
    "error",
    "A pod requests a device that its pool's MIG strategy does not advertise",
    gives_way=("GPU302", "GPU311"),
    fix="both",
)

_PLAIN = "nvidia.com/gpu"
_GKE = "cloud.google.com/gke-"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield slices that the pools do not advertise; without pools, slices requested on GKE."""
    if context.cluster is None or not context.cluster.pools:
        yield from _on_gke(pod)
        return
    for _, device, pools in unoffered(pod, context):
        cut = [pool for pool in pools if pool.pool.sharing and pool.pool.sharing.mode == "mig"]
        if device.name.startswith(PREFIX):
            # A slice that no GPU has is another rule's.
            if device.name in owners():
                yield _slice(device, pools, cut)
        elif cut and device.what.vendor == "nvidia":
            yield _whole(device, cut)


def _whole(device: DeviceRequest, cut: list[AdvertisingPool]) -> RawFinding:
    advertised_slices = _advertised(cut)
    name = cut[0].pool.name
    return RawFinding(
        device.path,
        f"the pod stays Pending: every GPU of pool `{name}` is partitioned by MIG with the "
        f"strategy `mixed`, which advertises {names(advertised_slices)} and no `{device.name}`",
        note=None
        if len(advertised_slices) == 1
        else "request the smallest slice that fits the work",
        fix=_fix(device, advertised_slices[0], safe=False)
        if len(advertised_slices) == 1 and device.count == 1
        else None,
        key=True,
    )


def _slice(
    device: DeviceRequest, pools: list[AdvertisingPool], cut: list[AdvertisingPool]
) -> RawFinding:
    advertised_slices = _advertised(pools)
    listed = names([pool.pool.name for pool in pools])
    profile = device.name.removeprefix(PREFIX)
    same = [pool for pool in cut if pool.pool.sharing and _only(pool) == device.name]
    if same:
        why = (
            f"pool `{same[0].pool.name}` has these slices, and its MIG strategy `single` advertises "
            f"them as `{_PLAIN}`"
        )
    else:
        why = f"the eligible pools ({listed}) advertise {names(advertised_slices)}, and no `{profile}`"
    sure = bool(same) and len(same) == len(pools)
    return RawFinding(
        device.path,
        f"the pod stays Pending: {why}",
        note=None
        if same
        else (
            "request an advertised slice: only the pool's owners can change the layout "
            "(`nvidia.com/mig.config`)"
        ),
        fix=_fix(device, _PLAIN, safe=True) if sure else None,
        key=True,
    )


def _on_gke(pod: Pod) -> Iterator[RawFinding]:
    """Yield GKE runs the strategy `single` alone, and takes the slice's size as a node label."""
    keys = [requirement for requirement in in_all(pod) if requirement.key.startswith(_GKE)]
    if not keys:
        return
    for container in pod.gpu_containers:
        for device in slices(container):
            yield RawFinding(
                device.path,
                f"GKE advertises slices as `{_PLAIN}`, and `{keys[0].key}` selects GKE's nodes: "
                f"no node there has `{device.name}`, and the pod stays Pending",
                note="select the slice size by a node label: "
                f"`cloud.google.com/gke-gpu-partition-size: {device.name.removeprefix(PREFIX)}`",
                severity="warning",
                confidence="likely",
                key=True,
            )


def _advertised(pools: list[AdvertisingPool]) -> list[str]:
    from gpuspec.fleet import advertised

    return list(dict.fromkeys(n for pool in pools for n in advertised(pool.pool, pool.model)))


def _only(advertising_pool: AdvertisingPool) -> str | None:
    """Return the slice that a pool under the strategy `single` has."""
    sharing = advertising_pool.pool.sharing
    if sharing is None or sharing.strategy != "single":
        return None
    profile = advertising_pool.model.profile(next(iter(sharing.profiles), ""))
    return None if profile is None else profile.resource


def _fix(device: DeviceRequest, name: str, *, safe: bool) -> Fix:
    amounts_by_field = (("limits", device.limit), ("requests", device.request))
    renames = tuple(
        Rename(device.at(where), name) for where, value in amounts_by_field if value is not None
    )
    return Fix(f"request `{name}`", renames, safe=safe)
