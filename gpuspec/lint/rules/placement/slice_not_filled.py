"""Pods on TPU slices of several hosts that are not as many as the hosts."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scale import scale_of
from gpuspec.objects.slices import chips_of, pods_on_one_slice

RULE = Rule(
    "GPU520",
    "slice-not-filled",
    "warning",
    "A multi-host TPU slice has more or fewer pods than hosts",
)

_OWN_BOUNDS = ("TPU_PROCESS_BOUNDS", "TPU_HOST_BOUNDS", "TPU_CHIPS_PER_PROCESS_BOUNDS")
"""Variables of a program that uses a part of a slice, and selects it."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield objects whose pods are bound to one arrangement: at the first of the pods, all are
    counted."""
    chips = chips_of(pod)
    if chips is None or chips.topology is None or pod.object.is_a("", "Pod"):
        return
    alike = [sibling for sibling in pod.object.pods if _topology(sibling) == chips.topology.value]
    if alike[0] is not pod or any(map(_has_own_bounds, alike)):
        return
    # A host alone may be shared by pods, each with a part of its chips.
    alone = any(machine.hosts == 1 for machine in chips.machines)
    hosts = {
        machine.hosts for machine in chips.machines if machine.chips == chips.count and not alone
    }
    if len(hosts) != 1:
        return
    group = pods_on_one_slice(pod, alike)
    if group is not None and group != min(hosts):
        yield _wrong_group(pod, chips.topology.value, group, min(hosts))
        return
    count = _total(alike, context)
    if count is None or count % min(hosts) == 0:
        return
    few, others = count < min(hosts), chips.table.of(count, chips.count) if chips.table else ()
    yield RawFinding(
        pod.path(*chips.topology.path),
        (
            f"the slice `{chips.topology.value}` has {min(hosts)} hosts, but there "
            f"{'is 1 pod' if count == 1 else f'are {count} pods'}: the program starts only when one "
            "pod runs on each host"
        )
        + (", and waits for the missing pods" if few else ", and the extra pods wait"),
        note=f"create {min(hosts)} pods"
        + ("" if few else " for each slice")
        + (f", or use the slice {names(list(others))}" if others else ""),
        confidence="likely",
    )


def _wrong_group(pod: Pod, topology: str, group: int, hosts: int) -> RawFinding:
    kind = pod.object.kind
    subject = f"{kind} `{pod.object.name}` puts {group} {'pod' if group == 1 else 'pods'} on one"
    then = (
        "the program starts only when one pod runs on each host"
        if group < hosts
        else f"{group - hosts} of them stay Pending"
    )
    chips = chips_of(pod)
    assert chips is not None and chips.topology is not None
    return RawFinding(
        pod.path(*chips.topology.path),
        f"{subject} slice `{topology}`, which has {hosts} hosts: {then}",
        note=f"create {hosts} pods for each slice, one for each host",
        confidence="likely",
    )


def _topology(pod: Pod) -> str | None:
    chips = chips_of(pod)
    return chips.topology.value if chips is not None and chips.topology is not None else None


def _has_own_bounds(pod: Pod) -> bool:
    return any(
        name in gpu_container.env for gpu_container in pod.gpu_containers for name in _OWN_BOUNDS
    )


def _total(pods: list[Pod], context: Context) -> int | None:
    """Return the total number of pods; None if it is unknown, or set by an autoscaler."""
    scales = [scale_of(pod, context.collection) for pod in pods]
    counts = [
        scale.least for scale in scales if not isinstance(scale, str) and scale.least == scale.most
    ]
    return sum(counts) if len(counts) == len(scales) else None
