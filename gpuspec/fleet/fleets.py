"""The nodes that workloads are placed on; those of a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
    from gpuspec.spec import Pool, Profile

Owner = tuple[str, str, str]
"""Namespace, kind and name of what pods are of."""
_MOST_ASSUMED = 1000
"""More than any cluster has; memory is bounded."""


class Fleet(msgspec.Struct, frozen=True):
    """Nodes with what runs on them, the profile of the cluster, and what was assumed."""

    name: str
    snapshot: Snapshot
    profile: Profile
    notes: tuple[str, ...]
    version: str
    """Kubernetes of its scheduler, `major.minor`."""
    known: tuple[Mapping[str, Any], ...] = ()
    """Pods and other objects that are there: what they tell counts for what is to come too."""
    own: Mapping[Owner, list[tuple[int, RunningPod]]] = {}
    """The pods that run, by what they are of, with the place of their node."""
    waiting: tuple[frozenset[Owner], ...] = ()
    """The pods that wait for a node, each by what it may be of."""

    def waits(self, owners: Iterable[Owner]) -> tuple[str, ...]:
        """Return how many pods wait already that are of none of these."""
        others = sum(1 for owner_set in self.waiting if owner_set.isdisjoint(owners))
        if not others:
            return ()
        who = "1 pod waits" if others == 1 else f"{others} pods wait"
        return (f"{who} for a node already, and may come first: not counted",)

    def without(self, owners: Iterable[Owner]) -> tuple[Snapshot, dict[Owner, int]]:
        """Return the fleet once the pods of some are gone, and how many those were of each."""
        snapshot, gone = self.snapshot.copy(), dict[Owner, int]()
        left: set[tuple[int, str]] = set()
        for owner in owners:
            for node, placed in self.own.get(owner, ()):
                if (node, placed.name) not in left:
                    left.add((node, placed.name))
                    snapshot.remove(node, placed)
                    gone[owner] = gone.get(owner, 0) + 1
        return snapshot, gone


def profile_fleet(profile: Profile, pods: int, parts: int | None = None) -> Fleet:
    """Return the nodes of a profile's pools, empty but for what DaemonSets take.

    Of an autoscaled pool all nodes that there can be; where the profile does not say how many there
    are, as many as `pods` could need. `parts`: of a card, where HAMi hands them out. Raises `InputError` for a profile without pools, or with more nodes
    than any cluster has.
    """
    from gpuspec.fleet.claims.shown import advertise, claimed, without_plugin
    from gpuspec.fleet.claims.supposed import supposed
    from gpuspec.fleet.hami import divided
    from gpuspec.fleet.nodes import pool_nodes
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
    from gpuspec.manifests import InputError, Problem
    from gpuspec.manifests.limits import MAX_NODES

    pools = profile.spec.pools
    pools_by_name = {pool.name: pool for pool in pools}
    if not pools:
        text = f"profile {profile.name} has no pools: there is no node to place a pod on"
        hint = "give a profile with pools: -c FILE, or the nodes that run: --live"
        raise InputError([Problem(text, profile.place(("spec",)), hint)])
    notes: list[str] = []
    counts: dict[str, int] = {}
    for pool in pools:
        most = pool.most_nodes
        counts[pool.name] = min(pods, _MOST_ASSUMED) if most is None else most
        if most is None:
            told = f"pool {pool.name} has as many nodes as are needed: its profile does not say"
            notes.append(told)
        elif most != pool.nodes:
            notes.append(f"pool {pool.name} is counted with all {most} nodes that it can grow to")
    if (many := sum(counts.values())) > MAX_NODES:
        text = f"profile {profile.name} has {many:,} nodes: no more than {MAX_NODES:,} are counted"
        hint = "give its pools fewer `nodes`"
        raise InputError([Problem(text, profile.place(("spec", "pools")), hint)])
    notes += (_assumed(pool) for pool in pools if pool.allocatable is None)
    nodes = pool_nodes(profile, counts)
    if parts is not None:
        nodes = [divided(node, parts) for node in nodes]
    devices = supposed(profile, nodes)
    if devices is not None:
        nodes = [
            claimed(without_plugin(node, pools_by_name[node.group]), devices) for node in nodes
        ]
    snapshot = Snapshot(_unbounded(node, pools_by_name[node.group]) for node in nodes)
    if devices is not None:
        snapshot.devices = devices
        advertise(devices, snapshot, {})
    taken = {name: _taken(pool) for name, pool in pools_by_name.items()}
    for index, node in enumerate(snapshot.nodes):
        if taken[node.group]:
            snapshot.add(index, RunningPod("DaemonSets", _shape(taken[node.group]), daemon=True))
    return Fleet(profile.name, snapshot, profile, tuple(notes), profile.spec.kubernetes)


def _assumed(pool: Pool) -> str:
    """Return what CPU and memory the nodes of a pool count with whose profile does not say it."""
    from gpuspec.fleet.slots import SYSTEM_PART, assumed, machine_of
    from gpuspec.spec import model_of

    model = model_of(pool)
    if (machine := machine_of(pool, model)) is not None:
        predicate = (
            f"are those of its instance type {machine.instance} as sold, less {SYSTEM_PART} %"
        )
    elif assumed(pool, model) is None:
        predicate = "are not bounded"
    else:
        predicate = f"are those of the smallest common machines with {model.name}"
    return f"CPU and memory of a node of pool {pool.name} {predicate}: its profile does not say"


def _unbounded(node: FleetNode, pool: Pool) -> FleetNode:
    """Return the node, whose CPU and memory bound nothing where neither profile nor table tells
    them."""
    from gpuspec.fleet.nodes.pools import UNTOLD_DISK as UNTOLD
    from gpuspec.fleet.slots import assumed
    from gpuspec.spec import model_of

    if pool.allocatable is not None or assumed(pool, model_of(pool)):
        return node
    have = {**node.allocatable, "cpu": UNTOLD, "memory": UNTOLD}
    return msgspec.structs.replace(node, allocatable=have)


def _taken(pool: Pool) -> dict[str, int]:
    """Return what DaemonSets take of a node, in the scheduler's units."""
    taken = pool.reserved
    amounts = {"cpu": taken.cpu.milli_value, "memory": taken.memory.int_value}
    if pool.allocatable is not None and pool.allocatable.ephemeral_storage is not None:
        amounts["ephemeral-storage"] = taken.ephemeral_storage.int_value
    return {name: amount for name, amount in amounts.items() if amount > 0}


def _shape(requests: dict[str, int]) -> Any:
    from gpuspec.fleet.scheduler.shape import Shape

    return Shape(requests, namespace="kube-system", priority=2_000_001_000)
