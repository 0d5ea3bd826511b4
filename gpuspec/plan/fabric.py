"""The fabric between pods: who uses it, what a pod asks of it, and what is said about it."""

import msgspec

from gpuspec import hardware
from gpuspec.manifests import Quantity
from gpuspec.plan.case import Case, ChosenPool
from gpuspec.plan.devices import library, maker, pod_needs
from gpuspec.plan.hugepages import part_of
from gpuspec.plan.leaf import Note, Origin
from gpuspec.plan.words import count
from gpuspec.spec import Pool, Rdma, WorkloadSpec
from gpuspec.spec.rules.fabric import turned_off
from gpuspec.spec.together import pods_together


class FabricShare(msgspec.Struct, frozen=True):
    """What one pod takes of a fabric: devices by resource, huge pages, and network attachments."""

    devices: dict[str, int]
    hugepages: Quantity | None
    networks: tuple[str, ...]


def wants_fabric(spec: WorkloadSpec) -> bool:
    """Whether the pods talk to each other: several workers, or a spec that says so."""
    return pods_together(spec) > 1 or spec.gpu.interconnect == "rdma"


def unusable(pool: Pool, gpus: int) -> str | None:
    """Why restricted pods with so many GPUs cannot use the pool's fabric, or None when they can.

    RDMA registers memory by locking it. Pod Security `restricted` (and `baseline`) forbids adding
    IPC_LOCK, and the capability does nothing for a process that is not root, so the container
    runtime itself must give an unlimited lock limit.
    """
    rdma = pool.rdma
    if rdma is None:
        return "it has no RDMA fabric"
    if rdma.memlock != "unlimited":
        return "it limits locked memory, and restricted pods cannot add IPC_LOCK"
    if gpus >= pool.gpu.count:
        return None
    if rdma.interfaces:
        return (
            f"its nodes have one interface on each network, for a pod with all "
            f"{count(pool.gpu.count, 'GPU')}"
        )
    if not rdma.per_gpu:
        return None
    for name, have in _devices(rdma).items():
        if have * gpus < pool.gpu.count:
            return (
                f"its nodes have {have} {name} for {count(pool.gpu.count, 'GPU')}, less than one "
                f"for {gpus}"
            )
    return None


def fabric_pool(case: Case) -> ChosenPool | None:
    """The pool whose fabric the pods use; None when they use none."""
    if not case.pools or not wants_fabric(case.spec):
        return None
    first = case.pools[0]
    return None if unusable(first.pool, case.gpus) else first


def fabric_share(pool: Pool, gpus: int) -> FabricShare | None:
    """What a pod with so many GPUs takes of the pool's fabric; None when it cannot use it."""
    rdma = pool.rdma
    if rdma is None or unusable(pool, gpus):
        return None
    if not rdma.per_gpu:
        return FabricShare(_devices(rdma), rdma.hugepages, rdma.networks)
    of = pool.gpu.count
    pages = rdma.hugepages
    if pages is not None:
        pages = part_of(pages, gpus, of)
    devices = {name: have * gpus // of for name, have in _devices(rdma).items()}
    return FabricShare(devices, pages, rdma.networks[: -(-len(rdma.networks) * gpus // of)])


def _devices(rdma: Rdma) -> dict[str, int]:
    return {rdma.resource: rdma.count, **rdma.resources}


def fabric_notes(case: Case) -> list[Note]:
    """What to know of the fabric: that there is none to use, or what it rests on."""
    if not case.pools or not wants_fabric(case.spec):
        return []
    first = case.pools[0]
    if reason := unusable(first.pool, case.gpus):
        return _over_tcp(case, first, reason)
    return _rests_on(case, first)


def _over_tcp(case: Case, first: ChosenPool, reason: str) -> list[Note]:
    """Loud: the library itself says nothing when it falls back to TCP."""
    workers = f"{case.together} talk over TCP"
    known = pod_needs(case).collectives
    if known is not None and not known.tcp:
        workers = f"{known.name} does not talk over TCP: {case.together} do not come together"
    rdma, own = first.pool.rdma, pod_needs(case).network
    if rdma is None and own is not None:
        text = (
            f"pool {first.pool.name} has no fabric that pods ask for: {library(case)} goes over the "
            f"accelerators' own ports where they are cabled, since {own.why}"
        )
        return [Note(text, Origin("table", row=f"hardware/vendors {maker(case)}"))]
    if rdma is None:
        text = f"pool {first.pool.name} has no RDMA fabric: {workers}"
        return [Note(text, Origin("profile", first.path()), loud=True)]
    field = "memlock" if rdma.memlock != "unlimited" else "resource"
    text = f"pool {first.pool.name}: {reason}: its RDMA fabric is not used, and {workers}"
    return [Note(text, Origin("profile", first.path("rdma", field)), loud=True)]


def _rests_on(case: Case, first: ChosenPool) -> list[Note]:
    rdma = first.pool.rdma
    assert rdma is not None
    notes: list[Note] = []
    plain = {k: v for k, v in case.spec.env.items() if isinstance(v, str | int | bool)}
    if name := turned_off(rdma.resource, plain, maker(case)):
        text = (
            f"{name}={plain[name]} keeps {library(case)} off the {rdma.resource} that each pod "
            "asks for"
        )
        notes.append(Note(text, Origin("spec", ("spec", "env", name)), loud=True))
    text = (
        "IPC_LOCK is not added: restricted forbids it and it gives nothing to a user that is not "
        "root; RDMA rests on the node's lock limit, which the profile says is unlimited"
    )
    notes.append(Note(text, Origin("profile", first.path("rdma", "memlock"))))
    if known := hardware.fabric(rdma.resource):
        text = (
            f"{known.title}: the image needs {known.needs_of.get(maker(case), known.needs)}; without, "
            f"{library(case)} {_without(case)}"
        )
        notes.append(Note(text, Origin("table", row=f"hardware/fabrics {known.name}")))
    return notes


def _without(case: Case) -> str:
    """What the library does of which the image has no part that reaches the fabric."""
    known = pod_needs(case).collectives
    return "goes over TCP unasked" if known is None or known.tcp else "reaches no other node"
