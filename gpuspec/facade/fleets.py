"""The nodes that workloads are placed on: a profile's, or those that run now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    from gpuspec.cluster.discover import Survey
    from gpuspec.cluster.discover.input import Node as LiveNode
    from gpuspec.fleet.nodes.node import Gpus, Node
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.spec import Pool, Profile

_DONE = ("Succeeded", "Failed")
_MOST_ASSUMED = 1000
_MOST_NODES = 200_000
"""More than any cluster has; memory is bounded."""


class Fleet(msgspec.Struct, frozen=True):
    """Nodes with what runs on them, the profile of the cluster, and what was assumed."""

    name: str
    snapshot: Snapshot
    profile: Profile
    notes: tuple[str, ...] = ()


def profile_fleet(profile: Profile, pods: int) -> Fleet:
    """The nodes of a profile's pools, empty but for what DaemonSets take.

    Of an autoscaled pool all nodes that there can be; where the profile does not say how many there
    are, as many as `pods` could need. Raises `InputError` for a profile without pools, or with more nodes
    than any cluster has.
    """
    from gpuspec.fleet.nodes import pool_nodes
    from gpuspec.fleet.scheduler import Placed, Snapshot
    from gpuspec.manifests import InputError, Problem

    pools = profile.spec.pools
    known = {pool.name: pool for pool in pools}
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
    if (many := sum(counts.values())) > _MOST_NODES:
        text = (
            f"profile {profile.name} has {many:,} nodes: no more than {_MOST_NODES:,} are counted"
        )
        hint = "give its pools fewer `nodes`"
        raise InputError([Problem(text, profile.place(("spec", "pools")), hint)])
    notes += (_assumed(pool) for pool in pools if pool.allocatable is None)
    nodes = pool_nodes(profile, counts)
    snapshot = Snapshot(_unbounded(node, known[node.group]) for node in nodes)
    taken = {name: _taken(pool) for name, pool in known.items()}
    for index, node in enumerate(snapshot.nodes):
        if taken[node.group]:
            snapshot.add(index, Placed("DaemonSets", _shape(taken[node.group]), daemon=True))
    return Fleet(profile.name, snapshot, profile, tuple(notes))


def live_fleet(path: str, profile: Profile | None = None) -> Fleet:
    """The nodes and pods of what kubectl printed; `-` is standard input.

    Without a profile the one that the nodes make. Raises `InputError` as `discover` does.
    """
    from gpuspec.cluster.discover import survey
    from gpuspec.fleet.scheduler import Placed, Snapshot, shape_of
    from gpuspec.manifests.files import content

    name = "<stdin>" if path == "-" else path
    found = survey(content(path), name)
    groups = {node: made.pool.name for made in found.pools for node in made.nodes}
    snapshot = Snapshot(_nodes(found, groups))
    at = {node.name: index for index, node in enumerate(snapshot.nodes)}
    notes = list(found.notes)
    strangers = waiting = 0
    for pod in found.inventory.pods or ():
        where = _text(pod, "spec", "nodeName")
        if _text(pod, "status", "phase") in _DONE:
            continue
        if not where:
            waiting += 1
            continue
        if where not in at:
            strangers += 1
            continue
        metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
        space = _text(pod, "metadata", "namespace") or "default"
        shape = shape_of(spec, labels=metadata.get("labels"), namespace=space)
        owners = metadata.get("ownerReferences") or ()
        daemon = any(isinstance(one, dict) and one.get("kind") == "DaemonSet" for one in owners)
        placed = Placed(
            f"{space}/{_text(pod, 'metadata', 'name')}",
            shape,
            started=_text(pod, "status", "startTime"),
            daemon=daemon,
            ending=bool(_text(pod, "metadata", "deletionTimestamp")),
        )
        snapshot.add(at[where], placed)
    if found.inventory.pods is None:
        notes.append("no pods were given: every node counts as empty")
    if waiting:
        who = "1 pod waits" if waiting == 1 else f"{waiting} pods wait"
        notes.append(f"{who} for a node already, and may come first: not counted")
    if strangers:
        notes.append(f"{strangers} pods run on nodes that were not given, and are not counted")
    return Fleet(name, snapshot, profile or _profile(found), tuple(notes))


def _nodes(found: Survey, groups: Mapping[str, str]) -> Iterable[Node]:
    from gpuspec.fleet.nodes import Node
    from gpuspec.spec import Taint

    for one in found.inventory.nodes:
        taints = tuple(
            Taint(key=key, value=value, effect=cast("Literal['NoSchedule']", effect))
            for key, value, effect in one.taints
        )
        gpus = _gpus(one, one.name in found.inventory.dra_nodes)
        group = groups.get(one.name) or ("others with GPUs" if gpus else "without GPUs")
        have = {name: _amount(one, name) for name in one.allocatable}
        yield Node(one.name, one.labels, have, taints, one.cordoned, gpus, group)


def _amount(node: LiveNode, resource: str) -> int:
    found = node.milli(resource) if resource == "cpu" else node.amount(resource)
    return found or 0


def _gpus(node: LiveNode, dra: bool) -> Gpus | None:
    from gpuspec import hardware
    from gpuspec.cluster.discover.devices import read_devices
    from gpuspec.fleet.nodes import gpus, joined, unknown

    reading = read_devices(node, dra)
    if reading is not None and reading.parts:
        parts = reading.parts
        return joined(gpus(one.model, one.count, one.resource, one.sharing) for one in parts)
    names = (name for name in node.allocatable if hardware.is_gpu_resource(name))
    return unknown({name: _amount(node, name) for name in names})


def _profile(found: Survey) -> Profile:
    """The profile of the nodes, as if somebody had written it."""
    from gpuspec.manifests import read
    from gpuspec.spec import parse_profile

    (document,) = read(found.text, "<live nodes>")
    return parse_profile(document)


def _assumed(pool: Pool) -> str:
    """What CPU and memory the nodes of a pool count with whose profile does not say it."""
    from gpuspec import hardware

    model = hardware.model(pool.gpu.model)
    if hardware.common_share(model) is None:
        said = "are not bounded"
    else:
        said = f"are those of the smallest common machines with {model.name}"
    return f"CPU and memory of a node of pool {pool.name} {said}: its profile does not say"


def _unbounded(node: Node, pool: Pool) -> Node:
    """The node, whose CPU and memory bound nothing where neither profile nor table tells them."""
    from gpuspec import hardware
    from gpuspec.fleet.nodes.pools import UNTOLD_DISK as UNTOLD

    if pool.allocatable is not None or hardware.common_share(hardware.model(pool.gpu.model)):
        return node
    have = {**node.allocatable, "cpu": UNTOLD, "memory": UNTOLD}
    return msgspec.structs.replace(node, allocatable=have)


def _taken(pool: Pool) -> dict[str, int]:
    """What DaemonSets take of a node, in the scheduler's units."""
    taken = pool.reserved
    found = {"cpu": taken.cpu.milli_value, "memory": taken.memory.int_value}
    if pool.allocatable is not None and pool.allocatable.ephemeral_storage is not None:
        found["ephemeral-storage"] = taken.ephemeral_storage.int_value
    return {name: amount for name, amount in found.items() if amount > 0}


def _shape(requests: dict[str, int]) -> Any:
    from gpuspec.fleet.scheduler import Shape

    return Shape(requests, namespace="kube-system", priority=2_000_001_000)


def _text(value: Mapping[str, Any], *keys: str) -> str:
    found: Any = value
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""
