"""A DaemonSet for GPU nodes that their taint keeps off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.placement.placing import in_all, names, pins
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.placement.taints import tolerate, written
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import admitted, scheduling

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement
    from gpuspec.spec import Taint

RULE = Rule(
    "GPU206",
    "daemonset-kept-off",
    "error",
    "A DaemonSet selects GPU nodes but does not tolerate their taint",
    fix="both",
)
_EFFECT = "NoSchedule"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield daemons without a device of their own: no admission plugin adds a toleration to
    them."""
    if not pod.object.is_a("apps", "DaemonSet") or pod.has_gpu:
        return
    bound = pins(pod, context)
    if not bound:
        return
    from gpuspec.fleet.match import selects, untolerated

    tolerations = admitted(pod, context.provider)
    if context.cluster is None or not context.cluster.pools:
        spot = _of_spot(in_all(pod))
        if spot is not None and untolerated(tolerations, [spot]):
            yield RawFinding(
                pod.path("tolerations"),
                "no pod of this DaemonSet runs: it selects only spot nodes, which the provider "
                f"taints with `{written(spot)}`",
                note="tolerate the taint: without the toleration the DaemonSet shows 0 desired pods and no error",
                fix=tolerate(pod, [spot]),
                severity="warning",
                confidence="likely",
            )
            return
        taint = _usual(bound[0])
        if untolerated(tolerations, [taint]) and not _knows_its_nodes(tolerations, bound):
            yield RawFinding(
                pod.path("tolerations"),
                f"the DaemonSet runs on no node with the taint `{written(taint)}`, which GPU "
                "nodes usually have",
                note=(
                    "tolerate the taint: without the toleration the DaemonSet shows fewer desired "
                    "pods, and no error"
                ),
                fix=tolerate(pod, [taint]),
                severity="warning",
                confidence="likely",
            )
        return
    spec = scheduling(pod)
    pools = [pool for pool in context.placed if selects(spec, pool.labels)]
    advertising_pools = [pool for pool in pools if untolerated(tolerations, pool.pool.taints)]
    if advertising_pools:
        taints = untolerated(tolerations, advertising_pools[0].pool.taints)
        yield _kept_off(pod, pools, advertising_pools, taints)


def _kept_off(
    pod: Pod,
    target_pools: list[AdvertisingPool],
    advertising_pools: list[AdvertisingPool],
    taints: list[Taint],
) -> RawFinding:
    pools = names([advertising_pool.pool.name for advertising_pool in advertising_pools])
    word = "pool" if len(advertising_pools) == 1 else "pools"
    everywhere = len(advertising_pools) == len(target_pools)
    return RawFinding(
        pod.path("tolerations"),
        (
            f"the DaemonSet runs on no node of {word} {pools}, which has the taint "
            f"`{written(taints[0])}`"
        )
        + (": no pod of it runs anywhere" if everywhere else ""),
        note=(
            "tolerate the taint: without the toleration the DaemonSet shows fewer desired pods, and "
            "no error"
        ),
        fix=tolerate(pod, taints),
        severity=None if everywhere else "warning",
    )


def _of_spot(requirements: list[Requirement]) -> Taint | None:
    """Return the taint of a provider's spot nodes, if a daemon selects these."""
    from gpuspec import hardware
    from gpuspec.spec import Taint

    selected_labels = {
        (requirement.key, requirement.values)
        for requirement in requirements
        if requirement.operator == "In"
    }
    for provider in hardware.providers().values():
        label = None if provider.spot is None else provider.spot.label
        if label is None or (label[0], (label[1],)) not in selected_labels:
            continue
        for taint in provider.taints:
            if taint.spot_only and taint.automatic and taint.effect == _EFFECT:
                return Taint(key=taint.key, value=taint.value)
    return None


def _knows_its_nodes(tolerations: list[dict[str, Any]], bound: list[Requirement]) -> bool:
    """Return whether a daemon for a provider's nodes tolerates a taint by which people there mark
    GPU nodes."""
    from gpuspec import hardware
    from gpuspec.fleet.match import untolerated
    from gpuspec.spec import Taint

    domains = {requirement.key.rpartition("/")[0] for requirement in bound}
    for provider in hardware.providers().values():
        label = None if provider.spot is None else provider.spot.label
        if label is None or label[0].rpartition("/")[0] not in domains:
            continue
        usual = [
            taint for taint in provider.taints if not taint.spot_only and taint.effect == _EFFECT
        ]
        taints = [Taint(key=taint.key, value=taint.value) for taint in usual]
        if len(untolerated(tolerations, taints)) < len(taints):
            return True
    return False


def _usual(requirement: Requirement) -> Taint:
    """Return the taint of nodes with this label: named like the device of the maker that its value
    or its key names."""
    from gpuspec import hardware
    from gpuspec.spec import Taint

    key = requirement.key
    makers = {vendor.name for vendor in hardware.vendors()}
    maker = next((value for value in requirement.values if value in makers), None) or next(
        (
            labeller.vendor
            for labeller in hardware.labellers().values()
            if key in labeller.keys.values()
        ),
        "nvidia",
    )
    devices = {vendor.name: vendor.resources[0].name for vendor in hardware.vendors()}
    domain = key.rpartition("/")[0]
    value = next(
        (device for device in devices.values() if device.partition("/")[0] == domain), None
    )
    return Taint(key=value or devices.get(maker, "nvidia.com/gpu"))
