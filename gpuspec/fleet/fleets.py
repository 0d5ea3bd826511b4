"""The nodes that workloads are placed on, and those of a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
    from gpuspec.spec import Pool, Profile

Owner = tuple[str, str, str]
"""Namespace, kind and name of the owner of pods."""
_MOST_ASSUMED = 1000
"""The most nodes that are assumed, more than any cluster has, to limit memory."""


class Fleet(msgspec.Struct, frozen=True):
    """Nodes with their pods, the profile of the cluster, and assumptions."""

    name: str
    snapshot: Snapshot
    profile: Profile
    notes: tuple[str, ...]
    version: str
    """The Kubernetes version of its scheduler, `major.minor`."""
    known: tuple[Mapping[str, Any], ...] = ()
    """Existing pods and other objects, which also count for new workloads."""
    own: Mapping[Owner, list[tuple[int, RunningPod]]] = {}
    """The running pods by owner, with the index of their node."""
    waiting: tuple[frozenset[Owner], ...] = ()
    """The pending pods, each with its possible owners."""

    def waits(self, owners: Iterable[Owner]) -> tuple[str, ...]:
        """Return a note on pending pods that belong to none of these owners."""
        others = sum(1 for owner_set in self.waiting if owner_set.isdisjoint(owners))
        if not others:
            return ()
        who = "1 pending pod" if others == 1 else f"{others} pending pods"
        return (f"{who}, not counted: the scheduler may place pending pods first",)

    def without(self, owners: Iterable[Owner]) -> tuple[Snapshot, dict[Owner, int]]:
        """Return the fleet without the pods of some owners, and the number of removed pods of each."""
        snapshot, gone = self.snapshot.copy(), dict[Owner, int]()
        nodes_without: set[tuple[int, str]] = set()
        for owner in owners:
            for node, placed in self.own.get(owner, ()):
                if (node, placed.name) not in nodes_without:
                    nodes_without.add((node, placed.name))
                    snapshot.remove(node, placed)
                    gone[owner] = gone.get(owner, 0) + 1
        return snapshot, gone


def profile_fleet(profile: Profile, pods: int, parts: int | None = None) -> Fleet:
    """Return the nodes of a profile's pools, empty except for DaemonSets.

    An autoscaled pool has its maximum of nodes; without a number in the profile, as many as `pods`
    could need. `parts`: the parts of a card under HAMi. Raises `InputError` for a profile without
    pools, or with more nodes than any cluster has.
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
        text = f"profile {profile.name} has no pools, so there is no node to place a pod on"
        hint = "use a profile with pools (-c FILE), or the live nodes (--live)"
        raise InputError([Problem(text, profile.place(("spec",)), hint)])
    notes: list[str] = []
    counts: dict[str, int] = {}
    for pool in pools:
        most = pool.most_nodes
        counts[pool.name] = min(pods, _MOST_ASSUMED) if most is None else most
        if most is None:
            assumption = (
                f"pool {pool.name} counts with as many nodes as needed: its profile has no `nodes`"
            )
            notes.append(assumption)
        elif most != pool.nodes:
            notes.append(
                f"pool {pool.name} counts with all {most} nodes that its autoscaler may add"
            )
    if (node_count := sum(counts.values())) > MAX_NODES:
        text = (
            f"profile {profile.name} has {node_count:,} nodes, more than the limit of {MAX_NODES:,}"
        )
        hint = "reduce `nodes` of its pools"
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
    reserved_by_pool = {name: _taken(pool) for name, pool in pools_by_name.items()}
    for index, node in enumerate(snapshot.nodes):
        if reserved_by_pool[node.group]:
            snapshot.add(
                index, RunningPod("DaemonSets", _shape(reserved_by_pool[node.group]), daemon=True)
            )
    return Fleet(profile.name, snapshot, profile, tuple(notes), profile.spec.kubernetes)


def _assumed(pool: Pool) -> str:
    """Return a note on the assumed CPU and memory of nodes of a pool without `allocatable`."""
    from gpuspec.fleet.slots import SYSTEM_PART, assumed, machine_of
    from gpuspec.spec import model_of

    model = model_of(pool)
    if (machine := machine_of(pool, model)) is not None:
        predicate = (
            f"are those of its instance type {machine.instance} as sold, less {SYSTEM_PART} %"
        )
    elif assumed(pool, model) is None:
        predicate = "are unlimited"
    else:
        predicate = f"are those of the smallest common machines with {model.name}"
    return (
        f"CPU and memory of a node of pool {pool.name} {predicate}: its profile has no "
        "`allocatable`"
    )


def _unbounded(node: FleetNode, pool: Pool) -> FleetNode:
    """Return the node, with unlimited CPU and memory if neither profile nor table has them."""
    from gpuspec.fleet.nodes.pools import UNTOLD_DISK as UNTOLD
    from gpuspec.fleet.slots import assumed
    from gpuspec.spec import model_of

    if pool.allocatable is not None or assumed(pool, model_of(pool)):
        return node
    have = {**node.allocatable, "cpu": UNTOLD, "memory": UNTOLD}
    return msgspec.structs.replace(node, allocatable=have)


def _taken(pool: Pool) -> dict[str, int]:
    """Return the requests of a node's DaemonSets, in the scheduler's units."""
    reserved = pool.reserved
    amounts = {"cpu": reserved.cpu.milli_value, "memory": reserved.memory.int_value}
    if pool.allocatable is not None and pool.allocatable.ephemeral_storage is not None:
        amounts["ephemeral-storage"] = reserved.ephemeral_storage.int_value
    return {name: amount for name, amount in amounts.items() if amount > 0}


def _shape(requests: dict[str, int]) -> Any:
    from gpuspec.fleet.scheduler.shape import Shape

    return Shape(requests, namespace="kube-system", priority=2_000_001_000)
