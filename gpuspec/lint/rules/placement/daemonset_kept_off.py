"""A DaemonSet for GPU nodes that their taint keeps off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.placement.placing import names, pins
from gpuspec.lint.subjects.placement.profile_pools import Placed
from gpuspec.lint.subjects.placement.taints import tolerate, written
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import admitted, scheduling

if TYPE_CHECKING:
    from gpuspec.spec import Taint

RULE = Rule(
    "GPU206",
    "daemonset-kept-off",
    "error",
    "A DaemonSet selects GPU nodes but does not tolerate their taint",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Daemons without a device of their own: no admission plugin adds a toleration to them."""
    if not pod.object.is_a("apps", "DaemonSet") or pod.has_gpu:
        return
    bound = pins(pod, context)
    if not bound:
        return
    from gpuspec.fleet.match import selects, untolerated

    given = admitted(pod, context.provider)
    if context.cluster is None or not context.cluster.pools:
        taint = _usual(bound[0].key)
        if untolerated(given, [taint]):
            yield Found(
                pod.path("tolerations"),
                f"its pods run on no node with the taint `{written(taint)}`, which GPU nodes "
                "usually have",
                note="a DaemonSet does not count nodes whose taints it does not tolerate as desired",
                fix=tolerate(pod, [taint]),
                severity="warning",
                confidence="likely",
            )
        return
    spec = scheduling(pod)
    meant = [one for one in context.placed if selects(spec, one.labels)]
    kept = [one for one in meant if untolerated(given, one.pool.taints)]
    if kept:
        left = untolerated(given, kept[0].pool.taints)
        yield _kept_off(pod, meant, kept, left)


def _kept_off(pod: Pod, meant: list[Placed], kept: list[Placed], left: list[Taint]) -> Found:
    pools = names([one.pool.name for one in kept])
    word = "pool" if len(kept) == 1 else "pools"
    everywhere = len(kept) == len(meant)
    return Found(
        pod.path("tolerations"),
        f"its pods run on no node of {word} {pools}, which has the taint `{written(left[0])}`"
        + (": the DaemonSet runs nowhere" if everywhere else ""),
        note="a DaemonSet does not count nodes whose taints it does not tolerate as desired",
        fix=tolerate(pod, left),
        severity=None if everywhere else "warning",
    )


def _usual(key: str) -> Taint:
    """The taint of nodes with this label: named like the device of the label's maker."""
    from gpuspec import hardware
    from gpuspec.spec import Taint

    maker = next(
        (one.vendor for one in hardware.labellers().values() if key in one.keys.values()), "nvidia"
    )
    devices = {vendor.name: vendor.resources[0].name for vendor in hardware.vendors()}
    domain = key.rpartition("/")[0]
    own = next((one for one in devices.values() if one.partition("/")[0] == domain), None)
    return Taint(key=own or devices.get(maker, "nvidia.com/gpu"))
