"""Check limits of namespaces that have no effect, or that reject the profile's own pods."""

from collections.abc import Iterator

from gpuspec.cluster.check.finding import CheckRemark
from gpuspec.enumeration import counted
from gpuspec.manifests import Path
from gpuspec.plan.quotas import devices
from gpuspec.spec import ClusterProfileSpec
from gpuspec.spec.rules.gpu_operator import nvidia_pools


def gpus_per_pod(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a limit above the GPUs of every node, or one that does not count the way in which GPUs
    are requested."""
    most = max((sum(devices(pool, pool.gpu.count).values()) for pool in spec.pools), default=0)
    claimed = [pool.name for pool in spec.pools if pool.claimed]
    for index, space in enumerate(spec.namespaces):
        limit, path = space.max_gpus_per_pod, ("spec", "namespaces", index, "maxGpusPerPod")
        if limit is None:
            continue
        if limit >= most > 0:
            yield CheckRemark(
                "note",
                path,
                f"a pod of namespace {space.name} may have {counted(limit, 'GPU')}, but no node "
                f"has more than {most}",
                "the limit has no effect",
                f"write a number below {most}, or delete it",
            )
        elif claimed:
            yield CheckRemark(
                "note",
                path,
                f"pods claim the GPUs of pool {claimed[0]}, and a limit of namespace "
                f"{space.name} does not count claims",
                "a pod names its claims, but not their number of devices",
                "add a `quota`, which counts them",
            )


def closed_servers(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a closed namespace in which servers get no policy that opens them."""
    if spec.network is not None:
        return
    for index, space in enumerate(spec.namespaces):
        if space.default_deny:
            yield CheckRemark(
                "note",
                ("spec", "namespaces", index, "defaultDeny"),
                f"namespace {space.name} is closed, and the profile has no `network`",
                "without it no server gets its own policy: no client reaches the servers "
                "there, and training reaches nothing outside",
                "write network: {ingress: [{namespace: gateway}]} with who calls servers",
            )


def validation_limits(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a namespace whose limits reject the validation Jobs."""
    validation = spec.validation
    if validation is None:
        return
    for index, space in enumerate(spec.namespaces):
        if space.name != validation.namespace:
            continue
        for pool in nvidia_pools(spec):
            if pool.sharing is not None:
                continue
            nodes = pool.least_nodes or 1
            of_all = {name: units * nodes for name, units in devices(pool, pool.gpu.count).items()}
            path: Path = ("spec", "namespaces", index)
            limit = space.max_gpus_per_pod
            if limit is not None and limit < pool.gpu.count:
                yield CheckRemark(
                    "error",
                    (*path, "maxGpusPerPod"),
                    f"a pod of namespace {space.name} may have {counted(limit, 'GPU')}, but "
                    f"nodes of pool {pool.name} are validated by pods with {pool.gpu.count}",
                    "the server refuses every pod of the Job",
                    f"write {pool.gpu.count}, or delete it",
                )
                return
            for name, units in of_all.items():
                quota = space.quota.get(name)
                if quota is not None and quota.value < units:
                    yield CheckRemark(
                        "error",
                        (*path, "quota", name),
                        f"namespace {space.name} may request {quota} of {name}, but nodes of "
                        f"pool {pool.name} are validated by {units}",
                        "the Job holds all devices of the pool at the same time, and fails without them",
                        f"write {units}, or delete it",
                    )
                    return
