"""What the main container asks of a node: devices, CPU, memory, disk, and its /dev/shm.

Numbers are the spec's, or the pool's share per GPU: the minimum over the pools of the plan, less
what the pod's other containers take, so that the last GPU of a node still finds room.
"""

from dataclasses import dataclass

from gpuspec import hardware
from gpuspec.fleet import Host, common_share, host, share
from gpuspec.manifests import Quantity
from gpuspec.plan.case import Case, ChosenPool, Refusal, Refused
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.leaf import Leaf, Note, Origin, derived, from_profile, from_spec, from_table
from gpuspec.plan.pools import fabric_request, uses_fabric
from gpuspec.spec import TrainingFields

MIB, GIB = 1 << 20, 1 << 30
RDMA_HUGEPAGES = "hugepages-2Mi"
# Batches that wait in /dev/shm: a loader prefetches two, and 256Mi holds a large batch of images.
LOADER_SHM = 512 * MIB
# /dev/shm is charged to the container's memory: past a half it crowds out the process itself.
SHM_PART = 2
# CPUs per GPU where nothing is known of any node.
UNKNOWN_CPUS = 4


@dataclass(frozen=True, slots=True)
class ResourcesPlan:
    """Requests and limits of the main container, and the size of /dev/shm (None: none)."""

    requests: NodeMap
    limits: NodeMap
    shm: Leaf | None
    notes: tuple[Note, ...]


def resources(case: Case, disk_need: int) -> ResourcesPlan:
    """Requests and limits. `disk_need` is what the scratch volumes may come to hold, in bytes.

    Raises `Refusal` when no node of the chosen pools leaves enough host memory for the weights.
    """
    notes: list[Note] = []
    devices = _devices(case)
    shm_need = _shm_need(case)
    cpu, memory = _cpu(case, notes), _memory(case, shm_need, notes)
    disk = _disk(case, disk_need)
    shm = _shm(case, shm_need, int(Quantity.parse(memory.value).value))
    asked = {"memory": memory, "ephemeral-storage": disk, **devices}
    limits: dict[str, Leaf] = {**asked}
    if case.spec.resources.cpu_limit:
        limit = case.spec.resources.cpu_limit
        leaf = from_spec(("spec", "resources", "cpuLimit"), str(limit), "asked for")
        limits = {"cpu": leaf, **limits}
    return ResourcesPlan({"cpu": cpu, **asked}, limits, shm, tuple(notes))


def node_share(case: Case) -> tuple[Host, str, ChosenPool | None] | None:
    """The pod's share of the smallest node it may land on, and which node that is.

    None when nothing is known of any node.
    """
    found: list[tuple[Host, str, ChosenPool | None]] = []
    for chosen in case.pools:
        node = host(chosen.pool, chosen.model)
        if node is not None:
            found.append((share(node, case.gpus), f"pool {chosen.pool.name}", chosen))
    if not case.pools:
        common = common_share(case.models or hardware.models())
        if common is not None:
            per_pod = Host(common.cpu * case.gpus, common.memory * case.gpus, None, case.gpus)
            found.append((per_pod, "the smallest common machine with such a GPU", None))
    return min(found, key=lambda item: (item[0].cpu, item[0].memory)) if found else None


def _devices(case: Case) -> dict[str, Leaf]:
    path = ("spec", "gpu", "count")
    resource = case.pools[0].pool.gpu.resource if case.pools else "nvidia.com/gpu"
    count = case.gpus
    found = {resource: from_spec(path, str(count), "whole devices, equal in requests and limits")}
    if case.pools and uses_fabric(case.workload):
        first = case.pools[0]
        request = fabric_request(first, case.workload)
        if request is not None:
            name, number, pages = request
            found[name] = from_profile(
                first.path("rdma", "count"), str(number), "the pool's RDMA fabric"
            )
            if pages is not None:
                found[RDMA_HUGEPAGES] = from_profile(
                    first.path("rdma", "hugepages"), str(pages), "the fabric library needs them"
                )
    return found


def _helpers(case: Case, name: str) -> int:
    """What the other containers take: sidecars run beside, each init container alone before."""
    unit = 1000 if name == "cpu" else 1
    beside = [getattr(c.resources, name).value * unit for c in case.spec.sidecars]
    return int(sum(beside))


def _cpu(case: Case, notes: list[Note]) -> Leaf:
    asked = case.spec.resources.cpu
    if asked is not None:
        return from_spec(("spec", "resources", "cpu"), str(asked), "asked for")
    found = node_share(case)
    if found is None:
        guess = UNKNOWN_CPUS * case.gpus
        notes.append(_assumed(f"{guess} CPUs: nothing is known of the nodes"))
        return derived("host-share", str(guess), "4 CPUs per GPU, for want of anything better")
    part, where, chosen = found
    milli = part.cpu - _helpers(case, "cpu")
    cores = max(milli // 1000 * 1000 if milli >= 2000 else milli // 100 * 100, 100)
    value = str(cores // 1000) if cores % 1000 == 0 else f"{cores}m"
    return _share_leaf(chosen, value, f"share of {case.gpus} GPUs of {where}")


def _memory(case: Case, shm_need: int, notes: list[Note]) -> Leaf:
    asked, need, why = case.spec.resources.memory, *_memory_need(case, shm_need)
    if asked is not None:
        if asked.value < need and case.model is not None:
            notes.append(
                Note(
                    f"memory {asked} is below {_size(need)}: {why}",
                    Origin("spec", ("spec", "resources", "memory")),
                    loud=True,
                )
            )
        return from_spec(("spec", "resources", "memory"), str(asked), "asked for")
    found = node_share(case)
    if found is None:
        notes.append(_assumed(f"{_size(need)} of memory: nothing is known of the nodes"))
        return derived("host-memory", _size(need), why)
    part, where, chosen = found
    room = part.memory - _helpers(case, "memory")
    if room >= need:
        return _share_leaf(chosen, _size(room), f"share of {case.gpus} GPUs of {where}")
    return _more_than_share(case, need, why, notes)


def _more_than_share(case: Case, need: int, why: str, notes: list[Note]) -> Leaf:
    """Memory beyond the share, where a whole node has it: it strands GPUs, so it is said."""
    rooms = [host(chosen.pool, chosen.model) for chosen in case.pools]
    known = [room.memory for room in rooms if room is not None]
    if known and min(known) - _helpers(case, "memory") < need:
        raise Refusal(
            case.name,
            case.profile.name,
            [
                Refused(
                    f"a node leaves {_size(min(known))} of memory for pods, the workload needs "
                    f"{_size(need)}: {why}",
                    case.workload.place(("spec", "resources")),
                )
            ],
        )
    notes.append(
        Note(
            f"{_size(need)} of memory is more than the share of {case.gpus} GPUs: other GPUs of "
            "the node may be left without host memory",
            Origin("derived", row="host-memory"),
            loud=True,
        )
    )
    return derived("host-memory", _size(need), why)


def _memory_need(case: Case, shm_need: int) -> tuple[int, str]:
    """Host memory that loading and running needs, in bytes, and the arithmetic in words."""
    model = case.model
    weights = int(model[1].size.value) if model and model[1].size else 0
    need = case.runtime.memory.mib(case.gpus, weights // MIB) * MIB + shm_need
    parts = [f"{_size(need - shm_need)} to load"]
    if weights:
        parts[0] += f" {_size(weights)} of weights on {case.gpus} GPUs"
    if shm_need:
        parts.append(f"{_size(shm_need)} of /dev/shm")
    return need, " and ".join(parts)


def _disk(case: Case, need: int) -> Leaf:
    asked = case.spec.resources.ephemeral_storage
    if asked is not None:
        return from_spec(("spec", "resources", "ephemeralStorage"), str(asked), "asked for")
    return derived("scratch", _size(need), "what /tmp, home, caches and logs may come to hold")


def _shm_need(case: Case) -> int:
    """Bytes of /dev/shm; 0 when 64Mi, which every container has, will do."""
    spec = case.spec
    if spec.resources.shm is not None:
        return int(spec.resources.shm.value)
    loaders = spec.data_loaders if isinstance(spec, TrainingFields) else 0
    need = loaders * case.gpus * LOADER_SHM
    if case.gpus > 1 or case.workers > 1:
        need += case.runtime.shm.mib(case.gpus) * MIB
    return need


def _shm(case: Case, need: int, memory: int) -> Leaf | None:
    if not need:
        return None
    if case.spec.resources.shm is not None:
        return from_spec(("spec", "resources", "shm"), str(case.spec.resources.shm), "asked for")
    size = min(need, memory // SHM_PART)
    users = [
        name
        for name, used in (
            (f"{case.gpus} GPUs", case.gpus > 1),
            (f"{case.workers} workers", case.workers > 1),
            ("data loaders", bool(getattr(case.spec, "data_loaders", 0))),
        )
        if used
    ]
    reason = f"{', '.join(users)}: 64Mi are not enough; counts inside the memory limit"
    return from_table(f"runtimes/{case.runtime.name} shm", _size(size), reason)


def _share_leaf(chosen: ChosenPool | None, value: str, reason: str) -> Leaf:
    if chosen is None or chosen.pool.allocatable is None:
        return from_table("hardware/nodes", value, reason)
    return from_profile(chosen.path("allocatable"), value, reason)


def _assumed(text: str) -> Note:
    return Note(f"assumed {text}", Origin("derived", row="host-share"), loud=True)


def _size(size: int) -> str:
    """Bytes as a quantity: whole Gi where that loses little, else whole Mi, rounded down."""
    if size >= 4 * GIB:
        return f"{size // GIB}Gi"
    return f"{size // MIB}Mi" if size % GIB else f"{size // GIB}Gi"
