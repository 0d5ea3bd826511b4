"""Check for pools whose nodes Karpenter cannot create, or not as the profile states.

Sources: sigs.k8s.io/karpenter v1.14.1; aws/karpenter-provider-aws v1.14.1
(pkg/providers/instancetype/types.go).
"""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.cluster.platform.karpenter import bounded_below
from gpuspec.hardware import INSTANCE_TYPE, Instance
from gpuspec.plan.wording import GIB, gib
from gpuspec.spec import ClusterProfileSpec
from gpuspec.spec.karpenter import CLASSES

_EC2 = CLASSES["eks"][0]
_GPU_NAME = f"{_EC2}/instance-gpu-name"
# Labels of nodes that a group of the cloud's has, which Karpenter never joins.
_GROUPS = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
)
_MIB = 1 << 20
# What Karpenter takes off the memory of a machine that it has not seen yet, in thousandths; and in MiB for
# the kubelet, of which a part is for each pod.
_OVERHEAD, _ALL = 75, 1000
_KUBELET, _EACH_POD = 255 + 100, 11


def karpenter_machine(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a remark if no label names the machine type, or if the machine type does not exist."""
    if at.pool.karpenter is None or INSTANCE_TYPE in at.pool.labels:
        return
    label = at.pool.labels.get(_GPU_NAME)
    if label is None:
        yield at.error(
            ("karpenter",),
            "no label names the instance type that Karpenter starts",
            "it buys the cheapest one that fits the pod, with any GPU",
            f"write the label {INSTANCE_TYPE}",
        )
        return
    instances = [
        instance
        for family in hardware.instances().values()
        for instance in family
        if instance.gpu == label
    ]
    if instances and at.pool.gpu.count not in {instance.gpus for instance in instances}:
        suggestions = ", ".join(
            dict.fromkeys(
                f"{instance.name} has {instance.gpus}" for instance in instances if instance.gpus
            )
        )
        yield at.error(
            ("gpu", "count"),
            f"no machine of EC2 has {at.pool.gpu.count} {label}",
            f"Karpenter makes no node for its pods; {suggestions or 'it knows none with a whole GPU'}",
            "write the number of one of them",
        )


def karpenter_claims(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield GPUs for claims, for which Karpenter creates no node.

    Source: sigs.k8s.io/karpenter v1.14.1 pkg/operator/options: `--ignore-dra-requests` is true by
    default, and Karpenter then skips a pod with claims.
    """
    if at.pool.karpenter is None or not at.pool.claimed:
        return
    yield at.note(
        ("gpu", "dra", "by"),
        "Karpenter ignores pods that request GPUs through claims",
        "it creates no node for them, and they stay Pending while the pool is empty",
        "write by: extended-resource, or set Karpenter's IGNORE_DRA_REQUESTS=false where its provider "
        "knows the devices of machines",
    )


def karpenter_group(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield the label of a node group, which Karpenter's nodes do not join."""
    if at.pool.karpenter is None:
        return
    for key in _GROUPS:
        if key in at.pool.labels:
            yield at.error(
                ("labels", key),
                f"label {key} marks nodes of a node group, but Karpenter creates the nodes of this pool",
                "each of the two would have nodes that the other does not count",
                "delete the label, or `karpenter`",
            )


def karpenter_nodes(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield node limits that Karpenter does not enforce, and missing ones."""
    if at.pool.karpenter is None:
        return
    if at.pool.most_nodes is None:
        yield at.note(
            ("karpenter",),
            "no limit on the number of nodes that Karpenter creates",
            "everyone who may create pods can buy machines",
            "write nodes: {max: 16}",
        )
    elif least := bounded_below(at.pool):
        yield at.note(
            ("nodes",),
            f"Karpenter does not keep the minimum of {least} nodes when they are empty",
            "a starting server waits for a machine",
            "write min: 0, and reserve slots with `warm` in the server's spec",
        )


def karpenter_memory(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a pool with more memory for pods than Karpenter expects of a machine type that it has
    not created yet."""
    machine, have = _type(at), at.pool.allocatable
    if at.pool.karpenter is None or machine is None or have is None:
        return
    expected = _expected(machine, have.pods)
    for_pods = have.memory.int_value - at.pool.reserved.memory.int_value
    if for_pods > expected:
        yield at.note(
            ("allocatable", "memory"),
            f"pods may request {gib(for_pods)} of a node, but Karpenter expects {gib(expected)} of "
            f"{machine.name} before it has seen one",
            "while the pool is empty, no node is made for a pod with all of its GPUs",
            f"write memory: {(expected + at.pool.reserved.memory.int_value) // GIB}Gi, or tell Karpenter "
            "a smaller VM_MEMORY_OVERHEAD_PERCENT",
        )


def karpenter_check(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a queue with a ProvisioningRequest check for nodes that Karpenter creates."""
    asking = {
        admission_check.name
        for admission_check in spec.admission_checks
        if admission_check.provisioning_request is not None
    }
    names = {pool.name for pool in spec.pools if pool.karpenter is not None}
    for index, queue in enumerate(spec.queues):
        for number, check in enumerate(queue.admission_checks):
            pools = check.pools or tuple(part.pool for part in queue.pools)
            bought = [pool for pool in pools if pool in names]
            if check.name in asking and bought:
                yield CheckRemark(
                    "error",
                    ("spec", "queues", index, "admissionChecks", number, "name"),
                    f"queue {queue.name} asks {check.name} about pool {bought[0]}, whose nodes Karpenter "
                    "makes",
                    "Karpenter answers no ProvisioningRequest: what the queue admits there never starts",
                    "delete it: Karpenter makes nodes for the pods that the queue admits",
                )


def _type(at: PoolAt) -> Instance | None:
    """Return the machine type of the pool, if it is known."""
    return hardware.instance(at.pool.labels.get(INSTANCE_TYPE, ""))


def _expected(machine: Instance, pods: int) -> int:
    """Return the memory in bytes that Karpenter expects to be free for pods."""
    after_overhead = machine.memory * (_ALL - _OVERHEAD) // _ALL
    return (after_overhead - _KUBELET - _EACH_POD * pods) * _MIB
