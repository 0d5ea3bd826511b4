"""TPU chips of one pod that no host of its slice has, or that are a part of a host's."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.slices import TPU, Chips, chips_of

RULE = Rule(
    "GPU519",
    "chips-of-no-host",
    "error",
    "A pod requests more TPU chips than its host has, or part of a host's chips",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that are bound to an accelerator, to an arrangement of chips, or to both."""
    chips = chips_of(pod)
    if chips is None or not chips.count:
        return
    path = next(
        device.path
        for gpu_container in pod.gpu_containers
        for device in gpu_container.devices
        if device.name == TPU
    )
    most = _most(chips)
    whole = sorted({machine.chips for machine in chips.machines})
    if most is not None and chips.count > most[0]:
        yield RawFinding(
            path,
            f"the pod stays Pending: it requests {chips.count} chips, but {most[1]} has {most[0]}",
            note=f"set `{TPU}: {most[0]}`, with one pod for each host of the slice",
        )
    elif (
        chips.machines
        and chips.count not in whole
        and all(machine.hosts > 1 for machine in chips.machines)
    ):
        yield RawFinding(
            path,
            f"the pod requests {chips.count} chips, but a host of the slice has "
            f"{' or '.join(map(str, whole))}: a program needs all chips of a slice, and waits "
            "for the missing ones",
            note=f"set `{TPU}: {whole[0]}`, with one pod for each host of the slice",
            severity="warning",
            confidence="likely",
        )


def _most(chips: Chips) -> tuple[int, str] | None:
    """Return the maximum number of chips for the pod, and its source; None if unknown."""
    if chips.machines and chips.topology is not None:
        most = max(machine.chips for machine in chips.machines)
        return most, f"a host of a slice `{chips.topology.value}`"
    if chips.table is not None and chips.accelerator is not None:
        return chips.table.hosts[-1], f"a host of `{chips.accelerator.value}`"
    if chips.of_slice is not None and chips.topology is not None:
        return chips.of_slice, f"a whole slice `{chips.topology.value}`"
    return None
