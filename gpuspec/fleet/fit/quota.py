"""The remaining quota of queues and namespaces. Amounts are in the units of `Node.allocatable`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.claims.counting import billed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.nodes import FleetNode

Amounts = dict[str, int]
PODS = "pods"


class QueueShare(msgspec.Struct, frozen=True):
    """A queue's quota for some nodes: those of a group, or those with the labels of a flavor."""

    group: str
    """The group, or the flavor."""
    own: Mapping[str, int]
    lent: Mapping[str, int]
    """The most that it may borrow from its cohort."""
    kept: Mapping[str, int] = {}
    """The part of its own quota that it does not lend."""
    labels: Mapping[str, str] | None = None
    """The labels of the flavor's nodes; None for the nodes of the group."""

    def means(self, node: FleetNode) -> bool:
        """Return whether admitted pods may run on a node."""
        if self.labels is None:
            return node.group == self.group
        return all(node.labels.get(key) == value for key, value in self.labels.items())


class FitQueue(msgspec.Struct, frozen=True):
    """A queue: its shares in the order in which they are tried."""

    name: str
    namespaces: frozenset[str]
    shares: tuple[QueueShare, ...]
    cohort: str | None = None
    cluster: str = ""
    """The cohort, whose queues share quota; empty for the queue's own name."""
    preempts: bool = False
    """Whether it preempts its own workloads of lower priority."""

    @property
    def owner(self) -> str:
        """The namespaces that it admits from."""
        return self.cluster or self.name


class Entry(msgspec.Struct, frozen=True):
    """A workload in a queue."""

    name: str
    namespace: str
    queue: str
    priority: int
    made: str
    """Its creation time, in Kubernetes' format; empty for now."""
    usage: Mapping[str, Mapping[str, int]] | None
    """Its part of the queue's shares, by group; None while it waits."""
    owner: str = ""
    """The queue of its quota."""


class Lack(msgspec.Struct, frozen=True):
    """A resource of which a queue or a namespace has too little left."""

    holder: str
    """The holder in a sentence: `queue research`."""
    group: str | None
    resource: str
    asked: int
    left: int
    total: int


class Ledger:
    """The used quota of queues and namespaces while workloads are placed. Changed in place."""

    def __init__(
        self,
        queues: tuple[FitQueue, ...] = (),
        namespaces: Mapping[str, Mapping[str, int]] | None = None,
        entries: Iterable[Entry] = (),
    ) -> None:
        self.queues = queues
        self._entries = list(entries)
        self._namespaces = namespaces or {}
        self._used: dict[tuple[str, str, str], int] = {}
        self._spent: dict[tuple[str, str], int] = {}
        for entry in self._entries:
            for group, amounts in (entry.usage or {}).items():
                for resource, amount in amounts.items():
                    key = entry.owner, group, resource
                    self._used[key] = self._used.get(key, 0) + amount

    def find(self, name: str, namespace: str) -> FitQueue | None:
        """Return the queue of a name that admits from a namespace."""
        queues = (queue for queue in self.queues if queue.name == name)
        return next((queue for queue in queues if namespace in queue.namespaces), None)

    def lack(self, queue: FitQueue, share: QueueShare, requests: Mapping[str, int]) -> Lack | None:
        """Return the resource of one share of which a queue has too little to admit these amounts;
        devices first."""
        requests = billed(requests)
        for resource in sorted(requests, key=lambda name: "/" not in name):
            own_quota, used = share.own.get(resource, 0), self._of(queue, share, resource)
            lent = min(share.lent.get(resource, 0), self._others(queue, share, resource))
            remaining = max(0, own_quota + lent - used)
            if requests[resource] > remaining:
                holder = f"queue {queue.name}"
                return Lack(
                    holder,
                    share.group,
                    resource,
                    requests[resource],
                    remaining,
                    max(own_quota, own_quota + lent),
                )
        return None

    def admit(self, queue: FitQueue, share: QueueShare, requests: Mapping[str, int]) -> None:
        """Record the admission of amounts by a queue to one share."""
        for resource, amount in billed(requests).items():
            key = queue.owner, share.group, resource
            self._used[key] = self._used.get(key, 0) + amount

    def ahead(self, queue: FitQueue, priority: int) -> tuple[str, ...]:
        """Return the workloads in a queue that come before a new one: the highest priority first,
        of equals the oldest."""
        waiting = [
            entry
            for entry in self._entries
            if entry.usage is None and entry.priority >= priority and self._is_in(entry, queue)
        ]
        waiting.sort(key=lambda entry: (-entry.priority, not entry.made, entry.made))
        return tuple(entry.name for entry in waiting)

    def wait(self, queue: FitQueue, name: str, namespace: str, priority: int) -> None:
        """Record that a workload starts to wait in a queue."""
        self._entries.append(Entry(name, namespace, queue.name, priority, "", None))

    def victims(
        self, queue: FitQueue, share: QueueShare, requests: Mapping[str, int], priority: int
    ) -> tuple[str, ...]:
        """Return the workloads that a workload may preempt in its own queue: the lowest priority
        first, of equals the newest, as many as needed; none if all of them are not enough."""
        lower = [
            entry
            for entry in self._entries
            if entry.usage is not None and entry.owner == queue.owner and entry.priority < priority
        ]
        lower.sort(key=lambda entry: entry.made, reverse=True)
        lower.sort(key=lambda entry: entry.priority)
        used = dict(self._used)
        gone: list[str] = []
        try:
            for entry in lower if queue.preempts else ():
                freed = (entry.usage or {}).get(share.group, {})
                if not freed:
                    continue
                for resource, amount in freed.items():
                    self._used[queue.owner, share.group, resource] -= amount
                gone.append(entry.name)
                if self.lack(queue, share, requests) is None:
                    return tuple(gone)
        finally:
            self._used = used
        return ()

    def _is_in(self, entry: Entry, queue: FitQueue) -> bool:
        fit_queue = self.find(entry.queue, entry.namespace)
        return fit_queue is not None and fit_queue.owner == queue.owner

    def short(self, namespace: str, requests: Mapping[str, int], pods: int = 1) -> Lack | None:
        """Return the resource of which a namespace's quota has too little for this number of pods
        together."""
        bounds = self._namespaces.get(namespace)
        if not bounds:
            return None
        requests = billed(requests)
        for resource, total in bounds.items():
            requested = pods if resource == PODS else requests.get(resource, 0)
            remaining = total - self._spent.get((namespace, resource), 0)
            if requested > remaining:
                holder = f"the quota of namespace {namespace}"
                return Lack(holder, None, resource, requested, max(0, remaining), total)
        return None

    def spend(self, namespace: str, requests: Mapping[str, int]) -> None:
        """Record the requests of a new pod of a namespace."""
        if namespace in self._namespaces:
            for resource, amount in ((PODS, 1), *billed(requests).items()):
                key = namespace, resource
                self._spent[key] = self._spent.get(key, 0) + amount

    def _of(self, queue: FitQueue, share: QueueShare, resource: str) -> int:
        return self._used.get((queue.owner, share.group, resource), 0)

    def _others(self, queue: FitQueue, share: QueueShare, resource: str) -> int:
        """Return what the others of a queue's cohort can lend: negative if they borrow."""
        if queue.cohort is None:
            return 0
        members = {
            other_queue.owner: other_queue
            for other_queue in self.queues
            if other_queue.cohort == queue.cohort
        }
        return sum(
            part.own.get(resource, 0)
            - max(part.kept.get(resource, 0), self._of(member, part, resource))
            for owner, member in members.items()
            if owner != queue.owner
            for part in member.shares
            if part.group == share.group
        )
