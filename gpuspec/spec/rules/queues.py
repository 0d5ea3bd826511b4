"""Queues of a profile, their priorities, and the levels of its topology."""

from collections.abc import Iterator

from gpuspec.manifests import Path, dns_label, dns_subdomain, label_key
from gpuspec.spec.profile import ClusterProfileSpec, Priorities
from gpuspec.spec.queues import Queue, QueuePool, Topology
from gpuspec.spec.rules.broken import Broken
from gpuspec.spec.rules.priorities import priority_value
from gpuspec.spec.rules.quotas import resources_of
from gpuspec.spec.words import did_you_mean, shown

HOSTNAME = "kubernetes.io/hostname"
# Kueue's own limits, of a Topology and of a ClusterQueue.
MOST_LEVELS = 16
MOST_FLAVORS = 64
MOST_RESOURCES = 64
# What a queue covers beside devices: CPU, memory, disk and huge pages.
_HOST_RESOURCES = 4
_QUEUES: Path = ("spec", "queues")
_POOLS: Path = ("spec", "pools")
_TOPOLOGY: Path = ("spec", "topology")
_QUEUED: Path = ("spec", "priorities", "queued")


def problems(spec: ClusterProfileSpec) -> Iterator[Broken]:
    """Broken rules of everything about queues."""
    yield from _without_controller(spec)
    names: set[str] = set()
    for index, queue in enumerate(spec.queues):
        path: Path = (*_QUEUES, index)
        if queue.name in names:
            said = f"a second queue {shown(queue.name)}"
            yield Broken(said, (*path, "name"), "give each its own name")
        names.add(queue.name)
        yield from _namespaces(queue, path)
        yield from _pools(queue, spec, path)
        yield from _cohort(queue, path)
    if spec.topology is not None:
        yield from _levels(spec.topology)
        yield from _topology_pools(spec.topology, spec)
    yield from _priorities(spec.priorities)


def _without_controller(spec: ClusterProfileSpec) -> Iterator[Broken]:
    rows: tuple[tuple[Path, object, tuple[str, ...]], ...] = (
        (_QUEUES, spec.queues, ("kueue",)),
        (_TOPOLOGY, spec.topology, ("kueue", "volcano")),
        (_QUEUED, spec.priorities.queued, ("kueue",)),
    )
    for path, there, components in rows:
        if not there or any(one in spec.installed for one in components):
            continue
        yield Broken(
            f"`{path[-1]}` is for Kueue, which is not installed",
            path,
            'write installed: {kueue: "0.19"} with its version',
            key=True,
            needs=(("spec", "installed"),),
        )


def _namespaces(queue: Queue, path: Path) -> Iterator[Broken]:
    where = (*path, "namespaces")
    if not queue.namespaces:
        yield Broken("the queue admits from no namespace", where, "name those of its workloads")
    for index, name in enumerate(queue.namespaces):
        if name in queue.namespaces[:index]:
            yield Broken(f"namespace {shown(name)} stands here twice", (*where, index))


def _pools(queue: Queue, spec: ClusterProfileSpec, path: Path) -> Iterator[Broken]:
    where = (*path, "pools")
    known = {pool.name for pool in spec.pools}
    if not queue.pools:
        yield Broken("the queue has no pools", where, "name those whose GPUs it hands out")
    yield from _limits(queue, spec, where)
    seen: set[str] = set()
    for index, part in enumerate(queue.pools):
        at: Path = (*where, index, "pool")
        if part.pool not in known:
            yield _unknown_pool(part.pool, known, at)
        elif reason := dns_subdomain(part.pool):
            said = f"{shown(part.pool)} cannot name a ResourceFlavor: {reason}"
            yield Broken(said, at, "give the pool such a name", needs=(_POOLS,))
        if part.pool in seen:
            yield Broken(f"pool {shown(part.pool)} stands here twice", at, "add up its GPUs")
        seen.add(part.pool)
    yield from _mixed(queue, spec.topology, where)


def _limits(queue: Queue, spec: ClusterProfileSpec, where: Path) -> Iterator[Broken]:
    """What a ClusterQueue has room for."""
    if len(queue.pools) > MOST_FLAVORS:
        said = f"{len(queue.pools)} pools; Kueue takes {MOST_FLAVORS} in a queue"
        yield Broken(said, where, "make several queues of one cohort")
        return
    named = {part.pool for part in queue.pools}
    devices = {name for pool in spec.pools if pool.name in named for name in resources_of(pool)}
    if len(devices) + _HOST_RESOURCES > MOST_RESOURCES:
        yield Broken(
            f"its pools have {len(devices)} kinds of devices; Kueue counts "
            f"{MOST_RESOURCES - _HOST_RESOURCES} in a queue, beside CPU, memory, disk and huge pages",
            where,
            "make several queues",
            needs=(_POOLS,),
        )


def _mixed(queue: Queue, topology: Topology | None, path: Path) -> Iterator[Broken]:
    """Kueue gives the pools of a topology, in a queue with others too, only to who asks for one."""
    covered = [part.pool for part in queue.pools if topology and topology.covers(part.pool)]
    others = [part.pool for part in queue.pools if part.pool not in covered]
    if covered and others:
        yield Broken(
            f"pool {covered[0]} is in the topology and {others[0]} is not: work that names no "
            f"level would never be given {covered[0]}",
            path,
            "make a queue for each, or label the nodes and name the pool in topology.pools",
            needs=((*_TOPOLOGY, "pools"),),
        )


def _cohort(queue: Queue, path: Path) -> Iterator[Broken]:
    needs = ((*path, "cohort"),)
    hint = "name the cohort, or delete it"
    for index, part in enumerate(queue.pools):
        where: Path = (*path, "pools", index)
        if queue.cohort is None:
            for field in ("borrow", "lend"):
                if getattr(part, field) is not None:
                    said = f"`{field}`, and the queue is in no cohort"
                    yield Broken(said, (*where, field), hint, key=True, needs=needs)
        yield from _lending(part, where)
    if queue.cohort is None:
        if queue.weight is not None:
            said = "`weight` counts among queues of a cohort, and this one is in none"
            yield Broken(said, (*path, "weight"), hint, key=True, needs=needs)
        if queue.pools and not any(part.gpus for part in queue.pools):
            said = "the queue has no GPUs, and no cohort to borrow from"
            yield Broken(said, (*path, "pools"), needs=needs)


def _lending(part: QueuePool, path: Path) -> Iterator[Broken]:
    if part.lend is not None and part.lend > part.gpus:
        said = f"it lends {part.lend} GPUs and has {part.gpus}"
        yield Broken(said, (*path, "lend"), needs=((*path, "gpus"),))


def _levels(topology: Topology) -> Iterator[Broken]:
    path: Path = (*_TOPOLOGY, "levels")
    levels = topology.levels
    if not levels:
        yield Broken("a topology without levels", path, "name one at least, or delete `topology`")
    if len(levels) > MOST_LEVELS:
        yield Broken(f"{len(levels)} levels; Kueue takes {MOST_LEVELS}", path)
    for index, level in enumerate(levels):
        where: Path = (*path, index)
        before = levels[:index]
        if level.name in [other.name for other in before]:
            yield Broken(f"a second level {shown(level.name)}", (*where, "name"))
        if level.label in [other.label for other in before]:
            yield Broken(f"a second level of the label {shown(level.label)}", (*where, "label"))
        if reason := label_key(level.label):
            said = f"{shown(level.label)} is no label: {reason}"
            yield Broken(said, (*where, "label"))
        if level.label == HOSTNAME and index < len(levels) - 1:
            yield Broken(
                f"{HOSTNAME} is the closest level there is", (*where, "label"), "put it last"
            )


def _topology_pools(topology: Topology, spec: ClusterProfileSpec) -> Iterator[Broken]:
    known = {pool.name for pool in spec.pools}
    for index, name in enumerate(topology.pools):
        if name not in known:
            yield _unknown_pool(name, known, (*_TOPOLOGY, "pools", index))
    queued = {part.pool for queue in spec.queues for part in queue.pools}
    for index, pool in enumerate(spec.pools):
        if pool.name in queued and topology.covers(pool.name) and not pool.labels:
            yield Broken(
                f"pool {pool.name} has no labels, and Kueue finds a topology's nodes by them",
                (*_POOLS, index),
                "give it `labels` that its nodes have",
                needs=(_QUEUES, (*_TOPOLOGY, "pools"), (*_POOLS, index, "labels")),
            )


def _unknown_pool(name: str, known: set[str], path: Path) -> Broken:
    hint = did_you_mean(name, known) or f"pools: {', '.join(sorted(known)) or 'none'}"
    return Broken(f"no pool {shown(name)}", path, hint, needs=(_POOLS,))


def _priorities(priorities: Priorities) -> Iterator[Broken]:
    """Names that are labels too, and an order in queues that nodes do not turn around."""
    for name in priorities.queued:
        if reason := dns_label(name):
            said = f"{shown(name)} cannot name a WorkloadPriorityClass: {reason}"
            yield Broken(said, (*_QUEUED, name), key=True)
    both = [
        (name, queued, value)
        for name, queued in priorities.queued.items()
        if (value := priority_value(priorities, priorities.names.get(name, ""))) is not None
    ]
    for index, (name, queued, value) in enumerate(both):
        for other, other_queued, other_value in both[:index]:
            if (queued - other_queued) * (value - other_value) < 0:
                above, below = (name, other) if queued > other_queued else (other, name)
                yield Broken(
                    f"`{above}` is above `{below}` in queues, and below it on nodes: what is "
                    "admitted first is evicted first",
                    (*_QUEUED, name),
                    "order `queued` and `values` alike",
                    needs=(("spec", "priorities"),),
                )
