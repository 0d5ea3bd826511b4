"""The fabric between pods: which pods use it, whether they may, and their requests for it."""

import msgspec

from gpuspec import hardware
from gpuspec.enumeration import counted, listed
from gpuspec.manifests import Quantity
from gpuspec.plan.hugepages import part_of
from gpuspec.plan.permit import Permit
from gpuspec.plan.resolution import ChosenPool, Resolution
from gpuspec.spec import Pool, Rdma, WorkloadSpec
from gpuspec.spec.quoting import either
from gpuspec.spec.rules.violation import camel
from gpuspec.spec.together import pods_together

LOCKING = "IPC_LOCK"


class FabricShare(msgspec.Struct, frozen=True):
    """A pod's part of a fabric: devices by resource, huge pages, and network attachments."""

    devices: dict[str, int]
    hugepages: Quantity | None
    networks: tuple[str, ...]


def wants_fabric(spec: WorkloadSpec) -> bool:
    """Return whether pods communicate: several workers, transferred KV caches, or a spec that
    requests a fabric."""
    apart = getattr(spec, "prefill", None) is not None
    return pods_together(spec) > 1 or apart or spec.gpu.interconnect == "rdma"


def unusable(pool: Pool, gpus: int, permit: Permit) -> str | None:
    """Return why pods with this number of GPUs cannot use the pool's fabric, or None if they
    can."""
    rdma = pool.rdma
    if rdma is None:
        return f"it has no RDMA fabric{_sold_with(pool)}"
    return _locked_out(rdma, permit) or _forbidden(rdma, permit) or _misfit(pool, rdma, gpus)


def taken(rdma: Rdma, permit: Permit) -> tuple[str, ...]:
    """Return the exceptions from `restricted` that a fabric needs, by the Python names of the
    waivers."""
    recipe = rdma.known_recipe
    resources = dict.fromkeys(recipe.takes if recipe else ())
    if added(rdma, permit):
        resources["capabilities"] = None
    return tuple(resources)


def added(rdma: Rdma, permit: Permit) -> tuple[str, ...]:
    """Return added capabilities of the main container, only for root: other users do not get
    them."""
    if not permit.as_root:
        return ()
    recipe = rdma.known_recipe
    capabilities = dict.fromkeys(recipe.capabilities if recipe else ())
    if rdma.memlock != "unlimited":
        capabilities[LOCKING] = None
    return tuple(capabilities)


def _sold_with(pool: Pool) -> str:
    """Return the profile fields for the fabric that the pool's machine type is known to have."""
    machine = pool.labels.get(hardware.INSTANCE_TYPE)
    names = [recipe.name for recipe in hardware.recipes().values() if machine in recipe.machines]
    alternatives = either(f"`rdma: {{recipe: {name}}}`" for name in names) if names else ""
    return f"; {machine} machines have one: write {alternatives}" if names else ""


def _locked_out(rdma: Rdma, permit: Permit) -> str | None:
    """Return why memory cannot be locked, or None if it can.

    RDMA registers memory by locking it. Pod Security `restricted` (and `baseline`) forbids adding
    IPC_LOCK, and the capability has no effect for a process that is not root. So the container
    runtime itself must have an unlimited lock limit, or the pod is root and states why.
    """
    if rdma.memlock == "unlimited":
        return None
    if permit.as_root and not permit.refused(("capabilities",)):
        return None
    return "its nodes limit locked memory, and restricted pods cannot add IPC_LOCK"


def _forbidden(rdma: Rdma, permit: Permit) -> str | None:
    """Return why Pod Security denies what the fabric needs, or None."""
    fabric_words = f"its fabric {rdma.title}"
    fields = taken(rdma, permit)
    if refused := permit.refused(fields):
        names = listed(camel(field) for field in refused)
        return f"{fabric_words} needs {names}, and namespace {permit.namespace} enforces {permit.level}"
    if lacking := permit.lacking(fields, rdma):
        names = listed(camel(field) for field in lacking)
        return f"{fabric_words} needs {names}: write the reasons in the pool's rdma.waivers"
    return None


def _misfit(pool: Pool, rdma: Rdma, gpus: int) -> str | None:
    """Return why the nodes have no part of their fabric for this number of GPUs, or None if they
    have."""
    if gpus >= pool.gpu.count:
        return None
    recipe = rdma.known_recipe
    once = "have one interface on each network" if rdma.interfaces else None
    once = once or (recipe.whole_node if recipe is not None else None)
    if once is not None:
        return f"its nodes {once}, for a pod with all {counted(pool.gpu.count, 'GPU')}"
    if not rdma.per_gpu:
        return None
    for name, have in rdma.devices.items():
        if have * gpus < pool.gpu.count:
            return (
                f"its nodes have {have} {name} for {counted(pool.gpu.count, 'GPU')}, less than one "
                f"for {gpus}: perGpu: false gives each pod all {have}"
            )
    return None


def fabric_pool(resolution: Resolution) -> ChosenPool | None:
    """Return the pool whose fabric the pods use; None when they use none."""
    if not resolution.pools or not wants_fabric(resolution.spec):
        return None
    first = resolution.pools[0]
    return None if unusable(first.pool, resolution.gpus, resolution.permit) else first


def fabric_share(pool: Pool, gpus: int) -> FabricShare | None:
    """Return the part of a pod with this number of GPUs in the pool's fabric; None if there is
    none."""
    rdma = pool.rdma
    if rdma is None or _misfit(pool, rdma, gpus):
        return None
    if not rdma.per_gpu:
        return FabricShare(rdma.devices, rdma.hugepages, rdma.networks)
    of = pool.gpu.count
    pages = rdma.hugepages
    if pages is not None:
        pages = part_of(pages, gpus, of)
    devices = {name: have * gpus // of for name, have in rdma.devices.items()}
    return FabricShare(devices, pages, rdma.networks[: -(-len(rdma.networks) * gpus // of)])
