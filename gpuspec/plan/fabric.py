"""The RDMA fabric between pods: who uses it, what a pod asks of it, and what is said about it."""

from gpuspec.manifests import Quantity
from gpuspec.plan.case import Case, ChosenPool
from gpuspec.plan.leaf import Note, Origin
from gpuspec.plan.words import MIB
from gpuspec.spec import Pool, TrainingFields, WorkloadSpec

HUGEPAGES = "hugepages-2Mi"
_PAGE = 2 * MIB


def wants_fabric(spec: WorkloadSpec) -> bool:
    """Whether the pods talk to each other: several workers, or a spec that says so."""
    several = isinstance(spec, TrainingFields) and spec.workers > 1
    return several or spec.gpu.interconnect == "rdma"


def usable(pool: Pool) -> bool:
    """Whether restricted pods can use the pool's fabric.

    RDMA registers memory by locking it. Pod Security `restricted` (and `baseline`) forbids adding
    IPC_LOCK, and the capability does nothing for a process that is not root, so the container
    runtime itself must give an unlimited lock limit.
    """
    return pool.rdma is not None and pool.rdma.memlock == "unlimited"


def fabric_pool(case: Case) -> ChosenPool | None:
    """The pool whose fabric the pods use; None when they use none."""
    if not case.pools or not wants_fabric(case.spec) or not usable(case.pools[0].pool):
        return None
    return case.pools[0]


def fabric_request(pool: Pool, gpus: int) -> tuple[str, int, Quantity | None] | None:
    """Resource, number and huge pages that a pod with so many GPUs asks of the pool's fabric."""
    rdma = pool.rdma
    if rdma is None or not usable(pool):
        return None
    if not rdma.per_gpu:
        return rdma.resource, rdma.count, rdma.hugepages
    pages = rdma.hugepages
    if pages is not None:
        part = -(-int(pages.value) * gpus // (pool.gpu.count * _PAGE)) * _PAGE
        pages = Quantity.parse(f"{part // MIB}Mi")
    return rdma.resource, max(1, rdma.count * gpus // pool.gpu.count), pages


def fabric_notes(case: Case) -> list[Note]:
    """What to know when workers have no fabric that they could use."""
    if case.workers == 1 or not case.pools or fabric_pool(case) is not None:
        return []
    first = case.pools[0]
    if first.pool.rdma is None:
        text = f"pool {first.pool.name} has no RDMA fabric: {case.workers} workers talk over TCP"
        return [Note(text, Origin("profile", first.path()), loud=True)]
    text = (
        f"pool {first.pool.name} limits locked memory, and restricted pods cannot add IPC_LOCK: "
        f"its RDMA fabric is not used, and {case.workers} workers talk over TCP"
    )
    return [Note(text, Origin("profile", first.path("rdma", "memlock")), loud=True)]
