"""What the main container asks of a node: devices, CPU, memory, disk, and its /dev/shm.

Numbers are the spec's, or the pool's share per GPU, less what the pod's sidecars take.
"""

import math

import msgspec

from gpuspec.fleet import Host
from gpuspec.manifests import Path, Quantity
from gpuspec.plan import device_claims, other_resources, room
from gpuspec.plan.case import Case
from gpuspec.plan.devices import device
from gpuspec.plan.fabric import fabric_pool, fabric_share
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.fit import least_memory
from gpuspec.plan.hugepages import HUGEPAGES, added, driver_pages, page_notes
from gpuspec.plan.leaf import Leaf, Note, Origin, derived, from_profile, from_spec
from gpuspec.plan.needs import Needs, needs
from gpuspec.plan.words import MIB, cores, count, down, gib, up, written
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
    """What the container says of claims, as a part of its resources; empty where it has none."""
    counted: NodeMap
    """What a queue counts: the requests, and the devices of claims by their resource."""
    shm: Leaf | None
    notes: tuple[Note, ...]


def resources(case: Case) -> ResourcesPlan:
    """Requests and limits of the main container."""
    notes: list[Note] = []
    need = needs(case)
    cpu, memory = _cpu(case, need, notes), _memory(case, need, notes)
    disk, devices = _disk(case, need), _devices(case)
    claimed = {device(case): devices_asked(case)} if device_claims.is_claimed(case) else {}
    main = Host(
        cpu=math.floor(Quantity.parse(cpu.value).value * 1000),
        memory=math.floor(Quantity.parse(memory.value).value),
        disk=math.floor(Quantity.parse(disk.value).value),
        gpus=case.gpus,
    )
    notes += _shares(case, main, cpu, memory)
    notes += [*room.stranded(case, need, main), *page_notes(case), *other_resources.notes(case)]
    asked = {"memory": memory, "ephemeral-storage": disk, **devices}
    bound = memory_limit(case.spec.resources, ("spec", "resources")) or memory
    limits: dict[str, Leaf] = {**asked, "memory": bound}
    if limit := case.spec.resources.cpu_limit:
        path = ("spec", "resources", "cpuLimit")
        limits = {"cpu": from_spec(path, str(limit), "the spec asks for a CPU limit"), **limits}
    shm = _shm(case, need, math.floor(Quantity.parse(bound.value).value))
    requests = {"cpu": cpu, **asked}
    claims = device_claims.uses(case, case.gpus, joined=True)
    return ResourcesPlan(requests, limits, claims, {**requests, **claimed}, shm, tuple(notes))


def memory_limit(asked: Resources | RoleResources, path: Path) -> Leaf | None:
    """The limit of memory where the spec says another than the request."""
    if asked.memory_limit is None:
        return None
    words = (
        "the spec asks for a limit above the request: where the node runs short of memory, it is "
        "ended before pods that keep within theirs"
    )
    return from_spec((*path, "memoryLimit"), str(asked.memory_limit), words)


def _devices(case: Case) -> dict[str, Leaf]:
    own = {} if device_claims.is_claimed(case) else {device(case): devices_asked(case)}
    found = {**own, **driver_pages(case)}
    for name, leaf in other_resources.asked(case.spec).items():
        found[name] = added(found.get(name), leaf) if name == HUGEPAGES else leaf
    chosen = fabric_pool(case)
    share = fabric_share(chosen.pool, case.gpus) if chosen else None
    if chosen is None or share is None or chosen.pool.rdma is None:
        return found
    rdma, gpus = chosen.pool.rdma, chosen.pool.gpu.count
    for name, number in share.devices.items():
        if name in case.spec.resources.extended:
            continue  # the spec has said how many
        main = name == rdma.resource
        words = "what a pod asks of the pool's RDMA fabric"
        if rdma.per_gpu:
            words = (
                f"{case.gpus}/{gpus} of the {rdma.devices[name]} that a node has, as of its GPUs"
            )
        where = chosen.path("rdma", *(("count",) if main else ("resources", name)))
        found[name] = from_profile(where, str(number), words)
    if share.hugepages is not None:
        where = chosen.path("rdma", "hugepages")
        words = "the fabric's library needs huge pages"
        found[HUGEPAGES] = added(
            found.get(HUGEPAGES), from_profile(where, str(share.hugepages), words)
        )
    return found


def devices_asked(case: Case) -> Leaf:
    """How many devices the main container has, by resource or by claim."""
    path, value = ("spec", "gpu", "count"), str(case.gpus)
    offer = case.offer
    if offer is None or offer.kind == "whole":
        return from_spec(path, value, "whole devices, requests equal limits")
    need = gib(least_memory(case.spec))
    reason = f"{offer.one} has {gib(offer.memory)} for the {need} needed"
    if offer.kind == "partition":
        return from_spec(path, value, f"{reason}; requests equal limits")
    reason += "; several do not add up"
    return from_spec(("spec", "gpu", "memory"), value, reason)


def _cpu(case: Case, need: Needs, notes: list[Note]) -> Leaf:
    asked = case.spec.resources.cpu
    if asked is not None:
        return from_spec(("spec", "resources", "cpu"), str(asked), "the spec asks for it")
    part = room.part(case, "cpu")
    if part is None:
        guess = UNKNOWN_CPUS * case.gpus
        words = f"{UNKNOWN_CPUS} for each of {count(case.gpus, 'GPU')}: nothing is known of nodes"
        notes.append(_assumed(f"{guess} CPUs a pod, {words}", loud=True))
        return derived("host-share", str(guess), words)
    milli = max(part.size - need.beside.cpu, LEAST_CPU)
    step = 1000 if milli >= WHOLE_CORES else LEAST_CPU
    milli = milli // step * step
    value = str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"
    extra = f", less {cores(need.beside.cpu)} for sidecars" if need.beside.cpu else ""
    return part.leaf("cpu", value, extra)


def _memory(case: Case, need: Needs, notes: list[Note]) -> Leaf:
    asked, least = case.spec.resources.memory, need.memory
    path = ("spec", "resources", "memory")
    if asked is not None:
        limit = case.spec.resources.memory_limit or asked
        if limit.value < least.size and case.model is not None:
            text = f"memory {written(limit)} is below {up(least.size)}: {least.why}"
            notes.append(Note(text, Origin("spec", path), loud=True))
        equal = "; the limit equals the request" if limit == asked else ""
        return from_spec(path, str(asked), f"the spec asks for it{equal}")
    part = room.part(case, "memory")
    if part is None:
        text = f"{up(least.size)} of memory a pod: nothing is known of nodes"
        notes.append(_assumed(text, loud=True))
        return derived("host-memory", up(least.size), least.why)
    free = part.size - need.beside.memory
    if free >= least.size:
        extra = f", less {gib(need.beside.memory)} for sidecars" if need.beside.memory else ""
        extra += f"; {up(least.size)} are needed" if case.weights else ""
        return part.leaf("memory", down(free), extra)
    words = f"{least.why}; more than the share of its GPUs"
    most = room.most_memory(case)
    if most is None or most - need.beside.memory >= least.size:
        return derived("host-memory", up(least.size), words)
    # What is only assumed keeps the pod off no node: pages of the weights' files can be dropped.
    size = max(most - need.beside.memory, least.least)
    return derived("host-memory", down(size), f"{words}; cut to what a node has")


def _disk(case: Case, need: Needs) -> Leaf:
    asked = case.spec.resources.ephemeral_storage
    if asked is not None:
        path = ("spec", "resources", "ephemeralStorage")
        return from_spec(path, str(asked), "the spec asks for it; the limit equals the request")
    return derived("scratch", up(need.disk.size), need.disk.why)


def _shm(case: Case, need: Needs, memory: int) -> Leaf | None:
    if not need.shm.size:
        return None
    asked = case.spec.resources.shm
    if asked is not None:
        path = ("spec", "resources", "shm")
        return from_spec(path, str(asked), "the spec asks for it; counts inside the memory limit")
    size = min(need.shm.size, max(memory // SHM_PART, MIB))
    words = need.shm.why
    if isinstance(case.spec, TrainingFields) and not case.spec.data_loaders:
        # Of memory there is enough, and none of it is taken before somebody writes.
        half = f"a half of the memory limit of {gib(memory)}: nothing says how many data loaders there are"
        return derived(
            "shm", down(max(memory // SHM_PART, MIB)), f"{half}; counts inside the limit"
        )
    if size < need.shm.size:
        words += f"; cut to a half of the memory limit of {gib(memory)}"
    value = up(size) if size == need.shm.size else down(size)
    return derived("shm", value, f"{words}; counts inside the memory limit")


def _shares(case: Case, main: Host, cpu: Leaf, memory: Leaf) -> list[Note]:
    """What was taken of a machine that may be none of the cluster's, loud where memory exceeds it."""
    taken, less = [], ""
    if cpu.origin.row == room.MACHINES:
        taken.append(f"{cores(main.cpu)} CPUs")
    share = None if case.pools or memory.origin.kind == "spec" else room.part(case, "memory")
    if share is not None and share.size < main.memory:
        less = f" has {gib(share.size)}"
    if less or memory.origin.row == room.MACHINES:
        taken.append(f"{gib(main.memory)} of memory")
    if not taken:
        return []
    text = f"{' and '.join(taken)} a pod ({room.smallest(case.gpus)}{less})"
    return [_assumed(text, loud=bool(less))]


def _assumed(text: str, *, loud: bool = False) -> Note:
    return Note(text, Origin("derived", row="host-share"), loud=loud, assumed=True)
