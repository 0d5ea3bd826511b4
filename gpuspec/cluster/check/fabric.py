"""Check for fabrics that pods cannot use, or cannot use completely."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.cluster.discover.fabric import EFA
from gpuspec.enumeration import counted, listed
from gpuspec.hardware import INSTANCE_TYPE
from gpuspec.spec.rules.violation import camel

AWS = ("eks", "eks-auto", "openshift")


def memlock(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a lock limit under which restricted pods cannot register memory."""
    rdma = at.pool.rdma
    if rdma is not None and rdma.memlock == "limited":
        yield at.note(
            ("rdma", "memlock"),
            "locked memory is limited: restricted pods cannot use its fabric",
            "RDMA locks the memory that it registers; restricted pods cannot add IPC_LOCK, which "
            "would do nothing for them anyway unless they are root",
            "set LimitMEMLOCK=infinity for the container runtime, and write memlock: unlimited",
        )


def fabric_pods(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a remark if a node has fewer fabric devices than GPUs, so that small pods compete
    for them. If the machine has no more devices, a profile cannot change that, and there is no
    remark."""
    rdma, gpus = at.pool.rdma, at.pool.gpu.count
    if rdma is None or rdma.resource is None or not rdma.per_gpu:
        return
    if rdma.interfaces:  # which go with whole nodes
        return
    rdma_resource = hardware.provider(at.spec.provider).rdma_resource(rdma.resource)
    most = (
        rdma_resource.machines.get(at.pool.labels.get(INSTANCE_TYPE, "")) if rdma_resource else None
    )
    if rdma.amount < gpus and rdma.amount != most:
        yield at.note(
            ("rdma", "count"),
            f"{counted(rdma.amount, 'device')} of the fabric for {counted(gpus, 'GPU')}: of pods with "
            f"fewer than {-(-gpus // rdma.amount)} GPUs that use it, a node takes {rdma.amount}",
            "each requests at least one device, and the other GPUs stay idle",
            f"give workers on the fabric {-(-gpus // rdma.amount)} GPUs or more",
        )


def fabric_reasons(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a recipe that weakens Pod Security, and reasons that the pool lacks."""
    rdma = at.pool.rdma
    recipe = rdma.known_recipe if rdma else None
    if rdma is None or recipe is None:
        return
    lacking = [field for field in recipe.takes if getattr(rdma.waivers, field) is None]
    if lacking:
        names = listed(camel(field) for field in lacking)
        yield at.note(
            ("rdma", "recipe"),
            f"recipe {recipe.name} takes {names}, and the pool gives no reason",
            "only workloads that give reasons of their own use the fabric; of the others, those with "
            "interconnect: rdma are refused, and the rest talk over TCP",
            f"write waivers: {{{', '.join(f'{camel(field)}: …' for field in lacking)}}}",
        )


def efa(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield EFA on a machine without it, without its huge pages, or in an impossible number."""
    rdma = at.pool.rdma
    if rdma is None or rdma.resource != EFA:
        return
    if at.spec.provider not in AWS:
        message = f"{EFA} is a device of AWS, but the provider is {at.spec.provider}"
        why = "no node advertises it, and pods that request it stay Pending"
        yield at.error(
            ("rdma", "resource"), message, why, "write provider: eks, or the fabric here"
        )
        return
    rdma_resource = hardware.provider(at.spec.provider).rdma_resource(EFA)
    if rdma.hugepages is None and rdma_resource is not None and rdma_resource.of == at.model.vendor:
        yield at.note(
            ("rdma",),
            "EFA without huge pages",
            "libfabric allocates its buffers from them and needs 5Gi on a node",
            "write hugepages: 5120Mi",
        )
    instance = at.pool.labels.get(INSTANCE_TYPE, "")
    most = rdma_resource.machines.get(instance) if rdma_resource else None
    if most is not None and rdma.amount > most:
        yield at.error(
            ("rdma", "count"),
            f"{rdma.amount} EFA devices, and {instance} has {most}",
            "pods that request more than a node has stay Pending",
            f"write count: {most}",
        )
