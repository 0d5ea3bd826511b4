"""Check namespaces, their quotas, and the queues that admit their workloads."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark
from gpuspec.escaping.meant import did_you_mean
from gpuspec.hardware import PodLevel
from gpuspec.manifests import Path
from gpuspec.plan.quotas import devices
from gpuspec.spec import ClusterProfileSpec, Cohort, Queue
from gpuspec.spec.namespaces import Namespace

_STRICT: tuple[PodLevel, ...] = ("restricted", "baseline", "privileged")


def pod_security(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield Namespaces that allow more than rendered pods need; a fabric may need all of it."""
    recipes = [pool.rdma.known_recipe for pool in spec.pools if pool.rdma is not None]
    needed = any(recipe is not None and recipe.takes for recipe in recipes)
    for index, space in enumerate(spec.namespaces):
        expected_levels = ["restricted", *(["privileged"] if needed else []), *_levels(spec, space)]
        if space.pod_security not in expected_levels:
            yield CheckRemark(
                "note",
                ("spec", "namespaces", index, "podSecurity"),
                f"namespace {space.name} enforces {space.pod_security}",
                "rendered pods pass restricted; what else runs there may do more to its nodes",
                "write podSecurity: restricted, unless something there needs more",
            )


def scc_level(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield constraints (SCCs) that allow what the Pod Security level of their namespace
    rejects."""
    for index, space in enumerate(spec.namespaces):
        for name, level in zip(space.scc, _levels(spec, space), strict=True):
            if level is not None and _STRICT.index(level) > _STRICT.index(space.pod_security):
                yield CheckRemark(
                    "note",
                    ("spec", "namespaces", index, "scc", name),
                    f"namespace {space.name} enforces {space.pod_security}, but {name} allows "
                    f"{level} pods",
                    "what the constraint allows, Pod Security refuses",
                    f"write podSecurity: {level}, or give these pods a namespace of their own",
                )


def _levels(spec: ClusterProfileSpec, space: Namespace) -> list[PodLevel | None]:
    """Return the Pod Security level that each SCC of a namespace corresponds to; None for an SCC of
    the cluster."""
    constraints = hardware.provider(spec.provider).constraints
    rows = [constraints.named(name) if constraints is not None else None for name in space.scc]
    return [row.level if row is not None else None for row in rows]


def quota_above(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a quota of more devices than the cluster has."""
    totals = _most(spec)
    for index, space in enumerate(spec.namespaces):
        for name, amount in space.quota.items():
            most = totals.get(name)
            if most is not None and amount.value > most:
                yield CheckRemark(
                    "note",
                    ("spec", "namespaces", index, "quota", name),
                    f"namespace {space.name} may request {amount} of {name}, but there are "
                    f"only {most}",
                    "such a quota has no effect",
                    "write the amount that it may use, or delete it",
                )


def quota_gap(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a quota of some devices in a namespace that can also use devices without a quota."""
    all_names = [name for pool in spec.pools for name in devices(pool, 1)]
    for index, space in enumerate(spec.namespaces):
        counted = [name for name in space.quota if name in all_names]
        free = [name for name in dict.fromkeys(all_names) if name not in space.quota]
        if counted and free:
            yield CheckRemark(
                "note",
                ("spec", "namespaces", index, "quota"),
                f"namespace {space.name} has a quota of {', '.join(counted)}, but none of "
                f"{', '.join(free)}",
                "each resource counts on its own: the namespace may take all of a resource "
                "that the quota does not name",
                f"write {free[0]}: 0, or how many it may have",
            )


def queue_capacity(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield queues, and cohorts with GPUs of their own, with more quota in a pool than the pool
    has."""
    pools = {pool.name: pool for pool in spec.pools}
    promised: dict[str, int] = {}
    holders: list[tuple[str, Queue | Cohort, Path]] = [
        *(("queue", queue, ("spec", "queues", at)) for at, queue in enumerate(spec.queues)),
        *(("cohort", cohort, ("spec", "cohorts", at)) for at, cohort in enumerate(spec.cohorts)),
    ]
    for holder_kind, holder, path in holders:
        for at, part in enumerate(holder.pools):
            pool = pools[part.pool]
            nodes = pool.most_nodes
            before = promised.get(part.pool, 0)
            promised[part.pool] = before + part.gpus
            have = None if nodes is None else nodes * pool.gpu.count
            if have is None or before > have or promised[part.pool] <= have:
                continue
            all_of = f"{holder_kind} {holder.name} is" if not before else "queues are together"
            yield CheckRemark(
                "error",
                (*path, "pools", at, "gpus"),
                f"{all_of} promised {promised[part.pool]} GPUs of pool {part.pool}, which has "
                f"{have} at most",
                "Kueue admits by quota: excess pods stay Pending and hold their quota",
                f"write {max(have - before, 0)} or less here, and let a cohort lend what is idle",
            )


def cohort_members(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield cohorts without members, such as one that a queue spells differently."""
    parents = {queue.cohort for queue in spec.queues} | {cohort.parent for cohort in spec.cohorts}
    for index, cohort in enumerate(spec.cohorts):
        if cohort.name not in parents:
            others = [name for name in parents if name is not None]
            hint = did_you_mean(cohort.name, others) or f"write cohort: {cohort.name} in a queue"
            yield CheckRemark(
                "note",
                ("spec", "cohorts", index, "name"),
                f"no queue and no cohort names cohort {cohort.name}",
                "its limits apply to no queue, and no queue uses its GPUs",
                hint,
            )


def queue_namespaces(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield queues of namespaces that are missing in the profile, though it has others."""
    names = [space.name for space in spec.namespaces]
    for index, queue in enumerate(spec.queues):
        for at, name in enumerate(queue.namespaces):
            if names and name not in names and not queue.existing:
                yield CheckRemark(
                    "note",
                    ("spec", "queues", index, "namespaces", at),
                    f"queue {queue.name} admits from {name}, which `namespaces` does not name",
                    "its LocalQueue is refused where the namespace does not exist",
                    f"name it in `namespaces`, which has {', '.join(names)}",
                )


def queue_quota(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a namespace's quota below the quota of a queue for that namespace alone."""
    pools = {pool.name: pool for pool in spec.pools}
    quotas = {space.name: (index, space.quota) for index, space in enumerate(spec.namespaces)}
    for queue in spec.queues:
        if len(queue.namespaces) != 1 or queue.namespaces[0] not in quotas:
            continue
        index, quota = quotas[queue.namespaces[0]]
        admitted: dict[str, int] = {}
        for part in queue.pools:
            for name, units in devices(pools[part.pool], part.gpus).items():
                admitted[name] = admitted.get(name, 0) + units
        for name, amount in quota.items():
            if name in admitted and amount.value < admitted[name]:
                path: Path = ("spec", "namespaces", index, "quota", name)
                yield CheckRemark(
                    "note",
                    path,
                    f"namespace {queue.namespaces[0]} may request {amount} of {name}, but its "
                    f"queue {queue.name} admits {admitted[name]}",
                    "Kueue admits more, the API server refuses the pods, and the workload "
                    "holds its quota",
                    f"write {admitted[name]}, or leave the namespace to the queue",
                )


def _most(spec: ClusterProfileSpec) -> dict[str, int]:
    """Return the largest number of devices by resource, if every pool with the resource states its
    number of nodes."""
    total: dict[str, int] = {}
    unknown: set[str] = set()
    for pool in spec.pools:
        nodes = pool.most_nodes
        for name, units in devices(pool, pool.gpu.count).items():
            if nodes is None:
                unknown.add(name)
            else:
                total[name] = total.get(name, 0) + nodes * units
    return {name: most for name, most in total.items() if name not in unknown}
