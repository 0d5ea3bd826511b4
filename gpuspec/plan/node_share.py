"""A pod's share of the smallest node of its pools, and resources that a larger pod leaves stranded.

The share is the smallest over the chosen pools, by resource, so that on each of them the last GPU
of a node still finds host resources.
"""

from typing import Literal

from msgspec import Struct

from gpuspec import hardware
from gpuspec.enumeration import counted
from gpuspec.fleet import SYSTEM_PART, Host, bounds, common_share, host, machine_of, share
from gpuspec.hardware import GpuModel
from gpuspec.plan.decision import Decision, Note, Origin, from_profile, from_table
from gpuspec.plan.device_options import device_options, less_reserved, node_of
from gpuspec.plan.devices import maker
from gpuspec.plan.fit import model_misfit
from gpuspec.plan.needs import NeededAmounts
from gpuspec.plan.resolution import ChosenPool, Resolution
from gpuspec.plan.wording import cores, gib

Resource = Literal["cpu", "memory"]
MACHINES = "hardware/nodes"
"""The name of the table of machine types."""


class NodeShare(Struct, frozen=True):
    """The part of one resource that a pod may take (`cpu` in thousandths, `memory` in bytes)."""

    size: int
    words: str
    chosen: ChosenPool | None
    """The pool that limits it; None for a common machine type."""

    def decision(self, resource: Resource, value: str, extra: str = "") -> Decision:
        """Return the decision with this amount."""
        reason = self.words + extra
        if self.chosen is None or self.chosen.pool.allocatable is None:
            return from_table(MACHINES, value, reason)
        return from_profile(self.chosen.path("allocatable", resource), value, reason)


def part(resolution: Resolution, resource: Resource) -> NodeShare | None:
    """Return the pod's share of a resource; None if no node is described."""
    if not resolution.pools:
        return _common(resolution, resource)
    node_shares: list[NodeShare] = []
    for chosen in resolution.pools:
        node = node_of(chosen.pool, chosen.model, chosen.device_option)
        if node is not None:
            size = getattr(share(node, resolution.gpus), resource)
            node_shares.append(NodeShare(size, _words(resolution, chosen, node, resource), chosen))
    return min(node_shares, key=lambda node_share: node_share.size) if node_shares else None


def most_memory(resolution: Resolution) -> int | None:
    """Return the memory in bytes that the smallest node of the chosen pools has for one pod; None
    if unknown."""
    nodes = [host(chosen.pool, chosen.model) for chosen in resolution.pools]
    return min((node.memory for node in nodes if node is not None), default=None)


def stranded(resolution: Resolution, needs: NeededAmounts, main: Host) -> list[Note]:
    """Return a loud note for each pool in which pods of this size leave GPUs without host
    resources."""
    pod = needs.pod(main.cpu, main.memory, main.disk or 0, resolution.gpus)
    notes: list[Note] = []
    for chosen in resolution.pools:
        node = node_of(chosen.pool, chosen.model, chosen.device_option)
        if node is None:
            continue
        room = bounds(node, pod)
        gpus_needed = room["GPUs"]
        least = min(room, key=lambda name: room[name])
        if room[least] < gpus_needed:
            idle = (gpus_needed - room[least]) * resolution.gpus
            text = (
                f"a node of pool {chosen.pool.name} fits {counted(room[least], 'such pod')}, not "
                f"{gpus_needed}: {_bound(least, pod, node)}; {counted(idle, chosen.device_option.unit)} "
                "of it stay idle"
            )
            notes.append(Note(text, Origin("profile", chosen.path()), loud=True))
    return notes


def _bound(name: str, pod: Host, node: Host) -> str:
    match name:
        case "CPU":
            return f"{cores(pod.cpu)} of its {cores(node.cpu)} CPUs each"
        case "memory":
            return f"{gib(pod.memory)} of its {gib(node.memory)} of memory each"
        case "disk":
            return f"{gib(pod.disk or 0)} of its {gib(node.disk or 0)} of disk each"
        case _:
            return f"it has {counted(node.pods, 'pod slot')}"


def _words(resolution: Resolution, chosen: ChosenPool, node: Host, resource: Resource) -> str:
    pool = chosen.pool
    have = getattr(node, resource)
    room = f"{cores(have)} CPUs" if resource == "cpu" else gib(have)
    machine = machine_of(pool, chosen.model)
    source = "that such a machine" if machine is None else f"that a {machine.instance}"
    if pool.allocatable is not None:
        source = f"{less_reserved(pool, resource)} that a node of pool {pool.name}"
    whom = "pods" if _is_one_kind(chosen) else f"pods with {chosen.device_option}, by their memory"
    return f"{resolution.gpus}/{node.gpus} of the {room} {source} leaves for {whom}"


def _is_one_kind(chosen: ChosenPool) -> bool:
    """Return whether the pool has no other device option, so that a whole node goes with this
    one."""
    return len(device_options(chosen.pool, chosen.model)) == 1


def _common(resolution: Resolution, resource: Resource) -> NodeShare | None:
    common = common_share(resolution.models or _any_models(resolution))
    if common is None:
        return None
    machine = common.cpu_from if resource == "cpu" else common.memory_from
    size = getattr(common.share, resource) * resolution.gpus
    have = cores(machine.cpu * 1000) + " CPUs" if resource == "cpu" else gib(machine.memory)
    words = f"the profile has no pools: {smallest(resolution.gpus)}, {machine.instance} ({have} for {counted(machine.gpus, 'GPU')}), less {SYSTEM_PART} %"
    return NodeShare(size, words, None)


def assumed_share(resolution: Resolution) -> str:
    """Return the machine types behind a share, if no pool states allocatable amounts: those in the
    pools' labels, or the smallest common one."""
    instances = {
        machine.instance
        for pool in resolution.pools
        if pool.pool.allocatable is None and (machine := machine_of(pool.pool, pool.model))
    }
    if not instances:
        return smallest(resolution.gpus)
    return (
        f"{_whose(resolution.gpus)} share of {' or '.join(sorted(instances))}, less {SYSTEM_PART} %"
    )


def smallest(gpus: int) -> str:
    """Return the share for this number of GPUs, if no node is described."""
    return f"{_whose(gpus)} share of the smallest machine sold with {'it' if gpus == 1 else 'them'}"


def _whose(gpus: int) -> str:
    return "1 GPU's" if gpus == 1 else f"{gpus} GPUs'"


def _any_models(resolution: Resolution) -> list[GpuModel]:
    """Return every model that the envelope allows and that has the requested resource."""
    arch = resolution.spec.architecture or "amd64"
    return [
        model
        for model in hardware.models()
        if model.vendor == maker(resolution)
        and model.architecture in (None, arch)
        and model_misfit(resolution.spec, model) is None
    ]
