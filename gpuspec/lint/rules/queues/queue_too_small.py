"""More than a queue can ever give at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.kinds.owned import PARTIAL
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.amounts import all_amounts, written_at
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.queues import (
    KUEUE,
    cluster_queue,
    cohort,
    groups,
    has_more,
    queue_of,
)

if TYPE_CHECKING:
    from fractions import Fraction

    from gpuspec.fleet.lending import CohortShare
    from gpuspec.objects.collection import Collection
    from gpuspec.spec import QueuePool

RULE = Rule(
    "GPU713",
    "queue-too-small",
    "error",
    "A workload requests more than its queue can ever admit",
)
_ONE_BY_ONE = {("apps", "Deployment"), ("apps", "ReplicaSet"), ("batch", "CronJob")}


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Compare the total requests of a template's pods with the largest quota, including borrowing."""
    label = queue_of(obj)
    if label is None or PARTIAL in obj.annotations:
        return
    queue = cluster_queue(context.collection, label.queue, obj)
    related: tuple[RelatedPlace, ...] = ()
    if queue is not None:
        related = (RelatedPlace(queue.number, queue.path("spec", "resourceGroups"), "its quota"),)
    for pod in obj.pods:
        count = _count(pod)
        if count is None or count < 1:
            continue
        for name, amount in all_amounts(pod).items():
            most: Fraction | int | None
            lent = False
            if queue is not None:
                most = _most(queue, name)
                if most is None and cohort(queue):
                    most, lent = _with_cohort(queue, name, context.collection), True
            else:
                most = _most_by_profile(obj, label.queue, name, context)
            if most is not None and count * amount > most:
                whole = f"{count} pods request" if count > 1 else "it requests"
                end = ", including what the cohort's queues here lend" if lent else ""
                yield RawFinding(
                    written_at(pod, name),
                    f"Kueue never admits the workload: {whole} {shown(name, count * amount)}, "
                    f"but queue `{label.queue}` can give at most {shown(name, most)} at once{end}",
                    note=f"request at most {shown(name, most)}, or raise the queue's quota",
                    # Queues of the cohort may lie elsewhere.
                    severity="warning" if lent else None,
                    confidence="likely" if lent else "certain",
                    related=related,
                )


def _count(pod: Pod) -> int | None:
    """Return the pods that are admitted together."""
    owner = pod.object
    if (owner.group, owner.kind) in _ONE_BY_ONE:
        return 1
    count, completions = pod.role.count, owner.spec.get("completions")
    if owner.is_a("batch", "Job") and count is not None and isinstance(completions, int):
        return min(count, completions)
    return count


def _most(queue: Object, name: str) -> Fraction | None:
    """Return the largest quota of one flavor; None if unknown or unlimited."""
    amounts: list[Fraction] = []
    for _, row in _quotas(queue, name):
        nominal = quantity(row.get("nominalQuota"))
        borrow = quantity(row.get("borrowingLimit"))
        if nominal is None or (cohort(queue) and borrow is None):
            return None
        amounts.append(nominal.value + (borrow.value if cohort(queue) and borrow else 0))
    return max(amounts, default=None)


def _with_cohort(queue: Object, name: str, collection: Collection) -> Fraction | None:
    """Return the largest quota of one flavor, including what the other queues of its cohort lend;
    None if there are no other queues, the cohort has quota of its own, or a quota is unknown."""
    of, lent = cohort(queue), collection.once(_lent_here)
    if collection.once(_members)[of] < 2 or has_more(of, collection):
        return None
    reachable: list[Fraction] = []
    for flavor, row in _quotas(queue, name):
        nominal_quota, limit = (
            quantity(row.get("nominalQuota")),
            quantity(row.get("borrowingLimit")),
        )
        amounts = lent[of, name, flavor] - Counter([_lends(row)])
        if nominal_quota is None or None in amounts:
            return None
        borrowed = sum((amount or 0) * often for amount, often in amounts.items())
        reachable.append(nominal_quota.value + (min(borrowed, limit.value) if limit else borrowed))
    return max(reachable, default=None)


def _members(collection: Collection) -> Counter[str]:
    """Return how many queues each cohort has."""
    return Counter(cohort(obj) for obj in collection.of(KUEUE, "ClusterQueue"))


def _lent_here(
    collection: Collection,
) -> dict[tuple[str, str, str], Counter[Fraction | None]]:
    """Return what queues lend, each amount as often as there is one that lends it; by cohort,
    resource, flavor."""
    lent: defaultdict[tuple[str, str, str], Counter[Fraction | None]] = defaultdict(Counter)
    for queue in collection.of(KUEUE, "ClusterQueue"):
        for _, _, flavors in groups(queue):
            for _, flavor in flavors:
                for row in map(mapping, items(flavor.get("resources"))):
                    key = cohort(queue), text(row.get("name")), text(flavor.get("name"))
                    lent[key][_lends(row)] += 1
    return lent


def _lends(row: dict[str, Any]) -> Fraction | None:
    """Return what a queue lends of a flavor: all it has, unless it has a lending limit."""
    lends = quantity(row.get("lendingLimit", row.get("nominalQuota")))
    return None if lends is None else lends.value


def _quotas(queue: Object, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the flavors in which a queue has a resource, with its entries."""
    for _, _, flavors in groups(queue):
        for _, flavor in flavors:
            for row in map(mapping, items(flavor.get("resources"))):
                if row.get("name") == name:
                    yield text(flavor.get("name")), row


def _most_by_profile(obj: Object, queue: str, name: str, context: Context) -> int | None:
    """Return the largest share of one pool in a queue of the profile; None for GPU shares."""
    from gpuspec.fleet.lending import reach
    from gpuspec.spec import find_queue

    profile_queue = find_queue(context.queues, queue, obj.namespace)
    if profile_queue is None or context.cluster is None:
        return None
    whole = {
        pool.name
        for pool in context.cluster.pools
        if pool.sharing is None and pool.gpu.resource == name
    }
    if any(entry.pool not in whole for entry in profile_queue.pools):
        return None
    cluster = context.cluster
    reaches = [reach(cluster, profile_queue, entry.pool, _gpus) for entry in profile_queue.pools]
    return max((most[_GPUS] for most in reaches), default=None)


_GPUS = "gpus"


def _gpus(part: QueuePool) -> CohortShare:
    """Return a queue's share of a pool in GPUs."""
    from gpuspec.fleet.lending import CohortShare

    lend, borrow = (None if gpus is None else {_GPUS: gpus} for gpus in (part.lend, part.borrow))
    return CohortShare({_GPUS: part.gpus}, lend, borrow)
