"""Rules for the queues of a profile, their priorities, and topology levels."""

from collections.abc import Iterator

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path, dns_subdomain, label_key, label_value
from gpuspec.spec.profile import ClusterProfileSpec, Priorities
from gpuspec.spec.queues import Queue, Topology
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules import admission_checks, cohorts, queue_pools, schedulers
from gpuspec.spec.rules.priorities import priority_value
from gpuspec.spec.rules.violation import SpecViolation

HOSTNAME = "kubernetes.io/hostname"
# Kueue's own limit of a Topology.
MOST_LEVELS = 16
_QUEUES: Path = ("spec", "queues")
_POOLS: Path = ("spec", "pools")
_TOPOLOGY: Path = ("spec", "topology")
_QUEUED: Path = ("spec", "priorities", "queued")


def problems(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for queues, priorities and topology."""
    yield from _without_controller(spec)
    yield from _names(spec)
    for index, queue in enumerate(spec.queues):
        path: Path = (*_QUEUES, index)
        yield from _namespaces(queue, path)
        yield from _pools(queue, spec, path)
        yield from _cohort(queue, path)
        yield from _existing(queue, path)
        yield from _admission_checks(queue, path)
    yield from cohorts.problems(spec)
    yield from admission_checks.problems(spec)
    yield from schedulers.problems(spec)
    if spec.topology is not None:
        yield from _levels(spec.topology)
        yield from _topology_pools(spec.topology, spec)
    yield from _priorities(spec.priorities)


def _without_controller(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    rows: tuple[tuple[Path, object, tuple[str, ...]], ...] = (
        (_QUEUES, spec.queues, ("kueue", *schedulers.SCHEDULERS)),
        (cohorts.COHORTS, spec.cohorts, ("kueue", *schedulers.SCHEDULERS)),
        (admission_checks.CHECKS, spec.admission_checks, ("kueue",)),
        (_TOPOLOGY, spec.topology, ("kueue", "volcano")),
        (_QUEUED, spec.priorities.queued, ("kueue",)),
    )
    for path, is_set, components in rows:
        if not is_set or any(component in spec.installed for component in components):
            continue
        yield SpecViolation(
            f"`{path[-1]}` needs Kueue, which is not installed",
            path,
            'add installed: {kueue: "0.19"} with its version',
            key=True,
            needs=(("spec", "installed"),),
        )


def _names(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Check that the names of ClusterQueues are unique in the cluster, and those of LocalQueues in
    their namespace."""
    clusters: set[str] = set()
    local: set[tuple[str, str]] = set()
    for index, queue in enumerate(spec.queues):
        path: Path = (*_QUEUES, index)
        if queue.cluster in clusters:
            has_own_name = queue.cluster_queue is None
            message = (
                f"a second {'queue' if has_own_name else 'ClusterQueue'} {shown(queue.cluster)}"
            )
            hint = (
                "give each its own name"
                if has_own_name
                else "list all of its namespaces in one place"
            )
            yield SpecViolation(
                message, (*path, "name" if has_own_name else "clusterQueue"), hint, needs=(_QUEUES,)
            )
            continue
        clusters.add(queue.cluster)
        for at, space in enumerate(queue.namespaces):
            if (queue.name, space) in local:
                message = f"a second queue {shown(queue.name)} in namespace {shown(space)}"
                where = (*path, "namespaces", at)
                yield SpecViolation(message, where, "choose another name there", needs=(_QUEUES,))
        local |= {(queue.name, space) for space in queue.namespaces}


def _namespaces(queue: Queue, path: Path) -> Iterator[SpecViolation]:
    where = (*path, "namespaces")
    if not queue.namespaces:
        yield SpecViolation("the queue serves no namespace", where, "list those of its workloads")
    for index, name in enumerate(queue.namespaces):
        if name in queue.namespaces[:index]:
            yield SpecViolation(f"namespace {shown(name)} is listed twice", (*where, index))


def _pools(queue: Queue, spec: ClusterProfileSpec, path: Path) -> Iterator[SpecViolation]:
    where = (*path, "pools")
    if not queue.pools and not queue.existing:
        hint = "list those whose GPUs it allocates"
        yield SpecViolation("the queue has no pools", where, hint, needs=((*path, "existing"),))
    yield from queue_pools.problems(queue.pools, spec, where)
    for index, part in enumerate(queue.pools):
        if part.lend is not None and part.lend > part.gpus:
            at: Path = (*where, index)
            message = f"it lends {part.lend} GPUs but has {part.gpus}"
            yield SpecViolation(message, (*at, "lend"), needs=((*at, "gpus"),))
    yield from _mixed(queue, spec.topology, where)


def _mixed(queue: Queue, topology: Topology | None, path: Path) -> Iterator[SpecViolation]:
    """Check that a queue does not mix pools with and without a topology, because Kueue gives the
    former only to workloads that request one."""
    covered = [part.pool for part in queue.pools if topology and topology.covers(part.pool)]
    others = [part.pool for part in queue.pools if part.pool not in covered]
    if covered and others:
        yield SpecViolation(
            f"pool {covered[0]} is in the topology but {others[0]} is not: work without a "
            f"level would never get {covered[0]}",
            path,
            "use a queue for each, or label the nodes and add the pool to topology.pools",
            needs=((*_TOPOLOGY, "pools"),),
        )


def _cohort(queue: Queue, path: Path) -> Iterator[SpecViolation]:
    needs = ((*path, "cohort"),)
    if queue.cohort is not None:
        return
    hint = "name the cohort, or delete it"
    yield from queue_pools.limits(queue.pools, path, "the queue is in no cohort", hint, needs)
    if queue.weight is not None:
        message = "`weight` counts within a cohort, but this queue is in none"
        yield SpecViolation(message, (*path, "weight"), hint, key=True, needs=needs)
    if queue.pools and not any(part.gpus for part in queue.pools):
        message = "the queue has no GPUs, and no cohort to borrow from"
        yield SpecViolation(message, (*path, "pools"), needs=needs)


def _existing(queue: Queue, path: Path) -> Iterator[SpecViolation]:
    """Yield settings of a queue that have no effect because it is created elsewhere."""
    if not queue.existing:
        return
    needs = ((*path, "existing"),)
    for field, is_set in (
        ("weight", queue.weight is not None),
        ("preemption", queue.preemption != "lower-priority"),
        ("order", queue.order != "best-effort"),
        ("admissionChecks", bool(queue.admission_checks)),
    ):
        if is_set:
            message = f"`{field}` has no effect on a queue that is created elsewhere"
            yield SpecViolation(message, (*path, field), "delete it", key=True, needs=needs)
    if queue.cohort is not None and not queue.pools:
        message = "what the queue lends to its cohort is unknown"
        yield SpecViolation(
            message, (*path, "cohort"), "set its `pools`, or delete it", key=True, needs=needs
        )


def _admission_checks(queue: Queue, path: Path) -> Iterator[SpecViolation]:
    where = (*path, "admissionChecks")
    names = [check.name for check in queue.admission_checks]
    has = [part.pool for part in queue.pools]
    for index, check in enumerate(queue.admission_checks):
        if check.name in names[:index]:
            message = f"admission check {shown(check.name)} is listed twice"
            yield SpecViolation(
                message, (*where, index, "name"), "list all of its pools in one place"
            )
        for at, pool in enumerate(check.pools):
            if pool not in has:
                hint = did_you_mean(pool, has) or f"pools of the queue: {', '.join(has) or 'none'}"
                message = f"the queue has no pool {shown(pool)}"
                place = (*where, index, "pools", at)
                yield SpecViolation(message, place, hint, needs=((*path, "pools"),))


def _levels(topology: Topology) -> Iterator[SpecViolation]:
    path: Path = (*_TOPOLOGY, "levels")
    levels = topology.levels
    if not levels:
        yield SpecViolation(
            "a topology without levels", path, "add at least one, or delete `topology`"
        )
    if len(levels) > MOST_LEVELS:
        yield SpecViolation(f"{len(levels)} levels; Kueue allows {MOST_LEVELS}", path)
    for index, level in enumerate(levels):
        where: Path = (*path, index)
        before = levels[:index]
        if level.name in [earlier.name for earlier in before]:
            yield SpecViolation(f"a second level {shown(level.name)}", (*where, "name"))
        if level.label in [earlier.label for earlier in before]:
            yield SpecViolation(
                f"a second level of the label {shown(level.label)}", (*where, "label")
            )
        if reason := label_key(level.label):
            message = f"{shown(level.label)} is not a label: {reason}"
            yield SpecViolation(message, (*where, "label"))
        if level.label == HOSTNAME and index < len(levels) - 1:
            yield SpecViolation(
                f"{HOSTNAME} is the narrowest possible level", (*where, "label"), "put it last"
            )


def _topology_pools(topology: Topology, spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    names = {pool.name for pool in spec.pools}
    for index, name in enumerate(topology.pools):
        if name not in names:
            yield queue_pools.unknown(name, names, (*_TOPOLOGY, "pools", index))
    queued = {part.pool for queue in spec.queues for part in queue.pools}
    for index, pool in enumerate(spec.pools):
        if pool.name in queued and topology.covers(pool.name) and not pool.labels:
            yield SpecViolation(
                f"pool {pool.name} has no labels, which Kueue needs to find a topology's nodes",
                (*_POOLS, index),
                "add `labels` that its nodes have",
                needs=(_QUEUES, (*_TOPOLOGY, "pools"), (*_POOLS, index, "labels")),
            )


def _priorities(priorities: Priorities) -> Iterator[SpecViolation]:
    """Yield names that are invalid as labels, and queue priorities in another order than pod
    priorities."""
    for name in priorities.queued:
        if reason := dns_subdomain(name) or label_value(name):
            message = f"{shown(name)} cannot name a WorkloadPriorityClass: {reason}"
            yield SpecViolation(message, (*_QUEUED, name), key=True)
    in_both_orders = [
        (name, queued, value)
        for name, queued in priorities.queued.items()
        if (value := priority_value(priorities, priorities.names.get(name, ""))) is not None
    ]
    for index, (name, queued, value) in enumerate(in_both_orders):
        for other_name, other_queued, other_value in in_both_orders[:index]:
            if (queued - other_queued) * (value - other_value) < 0:
                above, below = (name, other_name) if queued > other_queued else (other_name, name)
                yield SpecViolation(
                    f"`{above}` is above `{below}` in queues but below it on nodes: what is "
                    "admitted first is evicted first",
                    (*_QUEUED, name),
                    "order `queued` and `values` alike",
                    needs=(("spec", "priorities"),),
                )
