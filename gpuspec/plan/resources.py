"""Requests of the main container: devices, CPU, memory, disk, and its /dev/shm.

Numbers are the spec's, or the pool's share per GPU less the requests of the pod's sidecars.
"""

import math

import msgspec

from gpuspec.enumeration import counted
from gpuspec.fleet import Host
from gpuspec.manifests import Path, Quantity
from gpuspec.plan import device_claims, node_share, other_resources
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_profile, from_spec
from gpuspec.plan.devices import device
from gpuspec.plan.fabric import fabric_pool, fabric_share
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.fit import least_memory
from gpuspec.plan.hugepages import HUGEPAGES, added, driver_pages, page_notes
from gpuspec.plan.needs import NeededAmounts, needs
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import MIB, cores, down, gib, up, written
from gpuspec.spec import TrainingFields
from gpuspec.spec.envelope import Resources
from gpuspec.spec.roles import RoleResources

# /dev/shm is charged to the container's memory: past a half it crowds out the process itself.
SHM_PART = 2
# CPUs per GPU where nothing is known of any node: the least that common machines have.
UNKNOWN_CPUS = 4
# From here on whole cores are asked for, so that the kubelet can pin them; below it a core would
# be a large part of the share.
WHOLE_CORES = 2000
LEAST_CPU = 100


class ResourcesPlan(msgspec.Struct, frozen=True):
    """Requests and limits of the main container, and the size of /dev/shm (None: none)."""

    requests: NodeMap
    limits: NodeMap
    claims: NodeMap
    """The claims in the container's resources; empty if it has none."""
    counted: NodeMap
    """The amounts that a queue counts: the requests, and the devices of claims by their
    resource."""
    shm: Decision | None
    notes: tuple[Note, ...]


def resources(resolution: Resolution) -> ResourcesPlan:
    """Return requests and limits of the main container."""
    notes: list[Note] = []
    need = needs(resolution)
    cpu, memory = _cpu(resolution, need, notes), _memory(resolution, need, notes)
    disk, devices = _disk(resolution, need), _devices(resolution)
    claimed = (
        {device(resolution): devices_asked(resolution)}
        if device_claims.is_claimed(resolution)
        else {}
    )
    main = Host(
        cpu=math.floor(Quantity.parse(cpu.value).value * 1000),
        memory=math.floor(Quantity.parse(memory.value).value),
        disk=math.floor(Quantity.parse(disk.value).value),
        gpus=resolution.gpus,
    )
    notes += _shares(resolution, main, cpu, memory)
    notes += [
        *node_share.stranded(resolution, need, main),
        *page_notes(resolution),
        *other_resources.notes(resolution),
    ]
    decisions = {"memory": memory, "ephemeral-storage": disk, **devices}
    bound = memory_limit(resolution.spec.resources, ("spec", "resources")) or memory
    limits: dict[str, Decision] = {**decisions, "memory": bound}
    if limit := resolution.spec.resources.cpu_limit:
        path = ("spec", "resources", "cpuLimit")
        limits = {"cpu": from_spec(path, str(limit), "the spec sets a CPU limit"), **limits}
    shm = _shm(resolution, need, math.floor(Quantity.parse(bound.value).value))
    requests = {"cpu": cpu, **decisions}
    claims = device_claims.uses(resolution, resolution.gpus, joined=True)
    return ResourcesPlan(requests, limits, claims, {**requests, **claimed}, shm, tuple(notes))


def memory_limit(requested_resources: Resources | RoleResources, path: Path) -> Decision | None:
    """Return the memory limit if the spec sets another than the request."""
    if requested_resources.memory_limit is None:
        return None
    words = (
        "the spec sets a limit above the request: if the node runs short of memory, "
        "the pod is killed before pods that stay within their request"
    )
    return from_spec((*path, "memoryLimit"), str(requested_resources.memory_limit), words)


def _devices(resolution: Resolution) -> dict[str, Decision]:
    decisions = (
        {}
        if device_claims.is_claimed(resolution)
        else {device(resolution): devices_asked(resolution)}
    )
    device_amounts = {**decisions, **driver_pages(resolution)}
    for name, decision in other_resources.asked(resolution.spec).items():
        device_amounts[name] = (
            added(device_amounts.get(name), decision) if name == HUGEPAGES else decision
        )
    chosen = fabric_pool(resolution)
    share = fabric_share(chosen.pool, resolution.gpus) if chosen else None
    if chosen is None or share is None or chosen.pool.rdma is None:
        return device_amounts
    rdma, gpus = chosen.pool.rdma, chosen.pool.gpu.count
    for name, number in share.devices.items():
        if name in resolution.spec.resources.extended:
            continue  # the spec has said how many
        main = name == rdma.resource
        words = "the pod's share of the pool's RDMA fabric"
        if rdma.per_gpu:
            words = (
                f"{resolution.gpus}/{gpus} of the {rdma.devices[name]} of a node, the same "
                "share as of its GPUs"
            )
        where = chosen.path("rdma", *(("count",) if main else ("resources", name)))
        device_amounts[name] = from_profile(where, str(number), words)
    if share.hugepages is not None:
        where = chosen.path("rdma", "hugepages")
        words = "the fabric's library needs huge pages"
        device_amounts[HUGEPAGES] = added(
            device_amounts.get(HUGEPAGES), from_profile(where, str(share.hugepages), words)
        )
    return device_amounts


def devices_asked(resolution: Resolution) -> Decision:
    """Return the number of devices of the main container, by resource or by claim."""
    path, value = ("spec", "gpu", "count"), str(resolution.gpus)
    device_option = resolution.device_option
    if device_option is None or device_option.kind == "whole":
        return from_spec(path, value, "whole devices, requests equal limits")
    need = gib(least_memory(resolution.spec))
    reason = f"{device_option.one} has {gib(device_option.memory)} for the {need} needed"
    if device_option.kind == "partition":
        return from_spec(path, value, f"{reason}; requests equal limits")
    reason += "; several do not add up"
    return from_spec(("spec", "gpu", "memory"), value, reason)


def _cpu(resolution: Resolution, need: NeededAmounts, notes: list[Note]) -> Decision:
    cpu = resolution.spec.resources.cpu
    if cpu is not None:
        return from_spec(("spec", "resources", "cpu"), str(cpu), "set in the spec")
    part = node_share.part(resolution, "cpu")
    if part is None:
        guess = UNKNOWN_CPUS * resolution.gpus
        words = (
            f"{UNKNOWN_CPUS} for each of {counted(resolution.gpus, 'GPU')}: the nodes are unknown"
        )
        notes.append(_assumed(f"{guess} CPUs a pod, {words}", loud=True))
        return derived("host-share", str(guess), words)
    milli = max(part.size - need.beside.cpu, LEAST_CPU)
    step = 1000 if milli >= WHOLE_CORES else LEAST_CPU
    milli = milli // step * step
    value = str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"
    extra = f", less {cores(need.beside.cpu)} for sidecars" if need.beside.cpu else ""
    return part.decision("cpu", value, extra)


def _memory(resolution: Resolution, need: NeededAmounts, notes: list[Note]) -> Decision:
    memory, least = resolution.spec.resources.memory, need.memory
    path = ("spec", "resources", "memory")
    if memory is not None:
        limit = resolution.spec.resources.memory_limit or memory
        if limit.value < least.size and resolution.model is not None:
            text = f"memory {written(limit)} is below {up(least.size)}: {least.why}"
            notes.append(Note(text, Origin("spec", path), loud=True))
        equal = "; the limit equals the request" if limit == memory else ""
        return from_spec(path, str(memory), f"set in the spec{equal}")
    part = node_share.part(resolution, "memory")
    if part is None:
        text = f"{up(least.size)} of memory a pod: the nodes are unknown"
        notes.append(_assumed(text, loud=True))
        return derived("host-memory", up(least.size), least.why)
    free = part.size - need.beside.memory
    if free >= least.size:
        extra = f", less {gib(need.beside.memory)} for sidecars" if need.beside.memory else ""
        extra += f"; {up(least.size)} are needed" if resolution.weights else ""
        return part.decision("memory", down(free), extra)
    words = f"{least.why}; more than the share of its GPUs"
    most = node_share.most_memory(resolution)
    if most is None or most - need.beside.memory >= least.size:
        return derived("host-memory", up(least.size), words)
    # What is only assumed keeps the pod off no node: pages of the weights' files can be dropped.
    size = max(most - need.beside.memory, least.least)
    return derived("host-memory", down(size), f"{words}; cut to what a node has")


def _disk(resolution: Resolution, need: NeededAmounts) -> Decision:
    ephemeral_storage = resolution.spec.resources.ephemeral_storage
    if ephemeral_storage is not None:
        path = ("spec", "resources", "ephemeralStorage")
        return from_spec(
            path, str(ephemeral_storage), "set in the spec; the limit equals the request"
        )
    return derived("scratch", up(need.disk.size), need.disk.why)


def _shm(resolution: Resolution, need: NeededAmounts, memory: int) -> Decision | None:
    if not need.shm.size:
        return None
    shm = resolution.spec.resources.shm
    if shm is not None:
        path = ("spec", "resources", "shm")
        return from_spec(path, str(shm), "set in the spec; counts inside the memory limit")
    size = min(need.shm.size, max(memory // SHM_PART, MIB))
    words = need.shm.why
    if isinstance(resolution.spec, TrainingFields) and not resolution.spec.data_loaders:
        # Of memory there is enough, and none of it is taken before somebody writes.
        half = f"half of the memory limit of {gib(memory)}: the number of data loaders is unknown"
        return derived(
            "shm", down(max(memory // SHM_PART, MIB)), f"{half}; counts inside the limit"
        )
    if size < need.shm.size:
        words += f"; cut to half of the memory limit of {gib(memory)}"
    value = up(size) if size == need.shm.size else down(size)
    return derived("shm", value, f"{words}; counts inside the memory limit")


def _shares(resolution: Resolution, main: Host, cpu: Decision, memory: Decision) -> list[Note]:
    """Return a note on a share of an assumed machine type, which the cluster may lack; loud if
    memory exceeds it."""
    shares, less = [], ""
    if cpu.origin.row == node_share.MACHINES:
        shares.append(f"{cores(main.cpu)} CPUs")
    share = (
        None
        if resolution.pools or memory.origin.kind == "spec"
        else node_share.part(resolution, "memory")
    )
    if share is not None and share.size < main.memory:
        less = f" has {gib(share.size)}"
    if less or memory.origin.row == node_share.MACHINES:
        shares.append(f"{gib(main.memory)} of memory")
    if not shares:
        return []
    text = f"{' and '.join(shares)} a pod ({node_share.assumed_share(resolution)}{less})"
    return [_assumed(text, loud=bool(less))]


def _assumed(text: str, *, loud: bool = False) -> Note:
    return Note(text, Origin("derived", row="host-share"), loud=loud, assumed=True)
