"""An arrangement of TPU chips without the chips, or one that there is not of them."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement.placing import queued, requirements
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.slices import ACCELERATOR, TOPOLOGY, Chips, chips_of

RULE = Rule(
    "GPU521",
    "no-such-slice",
    "warning",
    "A TPU topology has no accelerator, or one that does not offer it",
)

_CLASS = "cloud.google.com/compute-class"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check pods with TPU chips that require a topology."""
    chips = chips_of(pod)
    if chips is None or chips.topology is None:
        return
    path, topology = pod.path(*chips.topology.path), chips.topology.value
    if chips.of_slice is None:
        yield RawFinding(
            path,
            f"`{topology}` is not a topology of chips, such as `2x4` or `2x2x4`: no node "
            "has it, and the pod stays Pending",
            note="write a topology of the accelerator, such as `2x4` or `2x2x4`",
        )
    elif chips.accelerator is None and not _is_told_elsewhere(pod):
        yield RawFinding(
            path,
            f"the topology `{topology}` is required without `{ACCELERATOR}`: node "
            "auto-provisioning creates no such slice, and a cluster with several kinds of TPU "
            "may give the pod any of them",
            note=f"select `{ACCELERATOR}` too",
            confidence="likely",
        )
    elif chips.table is not None and not chips.machines:
        yield _unknown(pod, chips, chips.table)


def _is_told_elsewhere(pod: Pod) -> bool:
    """Return whether several accelerators are named, or a compute class or a queue's flavor may
    choose one."""
    keys = {requirement.key for term in requirements(pod) for requirement in term}
    return not keys.isdisjoint((ACCELERATOR, _CLASS)) or queued(pod)


def _unknown(pod: Pod, chips: Chips, table: hardware.SliceTable) -> RawFinding:
    assert chips.topology is not None and chips.accelerator is not None
    near = [
        tpu_slice.topology
        for tpu_slice in table.named
        if tpu_slice.hosts * tpu_slice.chips == chips.of_slice
    ]
    others = list(dict.fromkeys(near or [tpu_slice.topology for tpu_slice in table.named]))
    return RawFinding(
        pod.path(*chips.topology.path),
        f"`{chips.accelerator.value}` has no topology `{chips.topology.value}`: no node "
        "matches the pod's `nodeSelector`, and the pod stays Pending",
        note=f"set `{TOPOLOGY}` to {choice_of(others, 12)}",
        confidence="likely",
    )
