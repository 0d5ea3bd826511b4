"""The running nodes, and the pods on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from gpuspec.cluster.discover.input import field
from gpuspec.fleet.fleets import Fleet, Owner
from gpuspec.fleet.scheduler.reading import text
from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO, Literal

    from gpuspec.cluster.discover import Survey
    from gpuspec.cluster.discover.input import Inventory, LiveNode
    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.nodes.node import FleetNode, Gpus
    from gpuspec.fleet.scheduler.cluster_context import ClusterContext
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
    from gpuspec.manifests import InputError
    from gpuspec.spec import Pool, Profile

_DONE = ("Succeeded", "Failed")
_HASHES = {"pod-template-hash": "Deployment", "rollouts-pod-template-hash": "Rollout"}
"""Labels with the hash at the end of a ReplicaSet's name, by the kind that created the
ReplicaSet."""


def live_fleet(live: str | BinaryIO, profile: Profile | None = None) -> Fleet:
    """Return the nodes and pods in kubectl's output: a path, `-` for standard input, or an open
    file.

    Without a profile, the nodes make one. Raises `InputError` as `discover` does; with a profile,
    nodes with GPUs of unknown models are accepted.
    """
    from gpuspec.cluster.discover import about_others, read_inventory
    from gpuspec.cluster.discover.input import BESIDE
    from gpuspec.fleet.claims.shown import advertise
    from gpuspec.fleet.scheduler.cluster_context import beside_of
    from gpuspec.fleet.scheduler.reading import table
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.manifests.files import dump_of

    name, dump = dump_of(live)
    inventory = read_inventory(dump, name)
    surveyed, survey_notes = _survey(inventory, name, profile)
    groups = (
        {node: pool.pool.name for pool in surveyed.pools for node in pool.nodes} if surveyed else {}
    )
    cluster_objects = (*(inventory.pods or ()), *inventory.beside)
    version = _version(_newest(inventory.nodes), profile)
    beside = beside_of(cluster_objects, version)
    devices = beside.devices
    snapshot = Snapshot(_nodes(inventory, groups, profile.spec.pools if profile else (), devices))
    at = {node.name: index for index, node in enumerate(snapshot.nodes)}
    if devices is not None:
        snapshot.devices = devices
        advertise(devices, snapshot, at)
    own: dict[Owner, list[tuple[int, RunningPod]]] = {}
    waiting: list[frozenset[Owner]] = []
    gated = promised = other_pods = 0
    for pod in inventory.pods or ():
        where, promise = _text(pod, "spec", "nodeName"), _text(pod, "status", "nominatedNodeName")
        if _text(pod, "status", "phase") in _DONE:
            continue
        if not where and table(pod.get("spec")).get("schedulingGates"):
            gated += 1
        elif not where and promise not in at:
            waiting.append(frozenset(owners(pod)))
        elif (where or promise) not in at:
            other_pods += 1
        else:
            promised += not where
            index, placed = at[where or promise], _placed(pod, beside)
            snapshot.add(index, placed)
            for owner in owners(pod):
                own.setdefault(owner, []).append((index, placed))
    notes = [*survey_notes, *_strays(snapshot, profile)]
    if inventory.pods is None:
        notes.append("no pods were given: every node counts as empty")
    if devices is not None and not beside.resource_claims.claims:
        claiming = any(table(pod.get("spec")).get("resourceClaims") for pod in inventory.pods or ())
        if claiming:
            notes.append("no ResourceClaims were given: devices of claims count as free")
    if promised:
        who = "1 pod counts" if promised == 1 else f"{promised} pods count"
        notes.append(f"{who} on the node that preemption frees for it")
    if gated:
        who = "1 pod is" if gated == 1 else f"{gated} pods are"
        notes.append(f"{who} held by scheduling gates: not counted")
    if other_pods:
        who = "1 pod runs" if other_pods == 1 else f"{other_pods} pods run"
        notes.append(f"{who} on nodes that were not given: not counted")
    others = {kind: count for kind, count in inventory.others.items() if kind not in BESIDE}
    return Fleet(
        name=name,
        snapshot=snapshot,
        profile=profile or _made(surveyed),
        notes=(*notes, *about_others(others)),
        version=version,
        known=cluster_objects,
        own=own,
        waiting=tuple(waiting),
    )


def _strays(snapshot: Snapshot, profile: Profile | None) -> Iterator[str]:
    """Yield the GPU nodes that are in no pool of the profile: no queue of it sends a pod there."""
    from gpuspec.cluster.discover.notes import named

    pools = {pool.name for pool in profile.spec.pools} if profile else set()
    names = [node.name for node in snapshot.nodes if node.gpus and node.group not in pools]
    if pools and names:
        yield f"of no pool of the profile: {named(names)}"


def _survey(
    inventory: Inventory, name: str, profile: Profile | None
) -> tuple[Survey | None, tuple[str, ...]]:
    """Return the pools of the nodes, with notes.

    Without pools, specs need a profile and manifests do not. Raises `InputError` if manifests have
    no node for GPUs either.
    """
    from gpuspec.cluster.discover import survey
    from gpuspec.manifests import InputError

    try:
        surveyed = survey(inventory, name)
    except InputError as error:
        claimed = any(obj["kind"] == "ResourceSlice" for obj in inventory.beside)
        has_gpus = claimed or any(map(_has_gpus, inventory.nodes))
        if profile is None and not (has_gpus and _newest(inventory.nodes)):
            raise
        return None, (_no_pools(error, profile),)
    # The scheduler sees all nodes, also those of which no pool is made.
    return surveyed, tuple(note.removeprefix("left out: ") for note in surveyed.notes)


def _no_pools(error: InputError, profile: Profile | None) -> str:
    problem = error.problems[0]
    why = "; ".join((problem.message, *(problem.hint or "").split("\n  ")))
    return why if profile is not None else f"{why}. Specs need a profile here: -c FILE"


def _has_gpus(node: LiveNode) -> bool:
    from gpuspec import hardware

    return any(hardware.is_gpu_resource(name) and _amount(node, name) for name in node.allocatable)


def _newest(nodes: Iterable[LiveNode]) -> str:
    """Return the minor version of the newest kubelet, the lower bound of the scheduler's; empty if
    it is unknown."""
    newest = max((node.minor or 0 for node in nodes), default=0)
    return f"1.{newest}" if newest else ""


def _version(newest: str, profile: Profile | None) -> str:
    """Return the scheduler's version: no older than any kubelet, whatever the profile states."""
    stated = profile.spec.kubernetes if profile is not None else ""
    return max(newest, stated, key=read_version)


def _placed(pod: Mapping[str, Any], beside: ClusterContext) -> RunningPod:
    from gpuspec.fleet.scheduler.reading import rows, table
    from gpuspec.fleet.scheduler.snapshot import RunningPod

    metadata, spec = table(pod.get("metadata")), table(pod.get("spec"))
    space = _text(pod, "metadata", "namespace") or "default"
    owners = rows(metadata.get("ownerReferences"))
    return RunningPod(
        f"{space}/{_text(pod, 'metadata', 'name')}",
        _running(pod, beside.shape(spec, metadata.get("labels"), space), beside),
        started=_text(pod, "status", "startTime"),
        daemon=any(owner.get("kind") == "DaemonSet" for owner in owners),
        ending=bool(_text(pod, "metadata", "deletionTimestamp")),
    )


def _running(pod: Mapping[str, Any], shape: Shape, beside: ClusterContext) -> Shape:
    """Return the shape of a pod with its claims."""
    if beside.devices is None:
        return shape
    from gpuspec.fleet.claims.counting import held

    space = _text(pod, "metadata", "namespace") or "default"
    return held(shape, beside.devices, f"{space}/{_text(pod, 'metadata', 'name')}")


def owners(pod: Mapping[str, Any]) -> Iterator[Owner]:
    """Yield the possible owners of a pod: itself, its owners, and the owners of these."""
    from gpuspec.fleet.scheduler.reading import pairs, rows, table
    from gpuspec.kinds import pod_labels

    metadata = table(pod.get("metadata"))
    labels = pairs(metadata.get("labels"))
    space = _text(pod, "metadata", "namespace") or "default"
    yield space, "Pod", _text(pod, "metadata", "name")
    for row in rows(metadata.get("ownerReferences")):
        name = _text(row, "name")
        yield space, _text(row, "kind"), name
        for label, kind in _HASHES.items():
            end = f"-{labels.get(label)}"
            if label in labels and name.endswith(end):
                yield space, kind, name.removesuffix(end)
    for label, kind in pod_labels().items():
        if label in labels:
            yield space, kind, labels[label]


def _nodes(
    inventory: Inventory,
    groups: Mapping[str, str],
    pools: Sequence[Pool],
    devices: ClusterDevices | None,
) -> Iterable[FleetNode]:
    """Yield the nodes in the pools of the given profile, or of the one that they make."""
    from msgspec.structs import replace

    from gpuspec.fleet.claims.shown import claimed
    from gpuspec.fleet.nodes import FleetNode, pool_of
    from gpuspec.spec import Taint

    names = {pool.name for pool in pools}
    for live_node in inventory.nodes:
        taints = tuple(
            Taint(key=key, value=value, effect=cast("Literal['NoSchedule']", effect))
            for key, value, effect in live_node.taints
        )
        gpus = _gpus(live_node, live_node.name in inventory.dra_nodes)
        have = {name: _amount(live_node, name) for name in live_node.allocatable}
        node = FleetNode(live_node.name, live_node.labels, have, taints, live_node.cordoned, gpus)
        if devices is not None:
            node = claimed(node, devices)
        group = pool_of(pools, live_node.labels, node.gpus) or groups.get(live_node.name, "")
        if not group or (group in names and pool_of(pools, live_node.labels, node.gpus) is None):
            group = "others with GPUs" if node.gpus else "without GPUs"
        yield replace(node, group=group)


def _amount(node: LiveNode, resource: str) -> int:
    amount = node.milli(resource) if resource == "cpu" else node.amount(resource)
    return amount or 0


def _gpus(node: LiveNode, dra: bool) -> Gpus | None:
    from gpuspec import hardware
    from gpuspec.cluster.discover.devices import read_devices
    from gpuspec.fleet.nodes import gpus, joined, unknown

    reading = read_devices(node, dra)
    if reading is not None and reading.parts:
        parts = reading.parts
        return joined(gpus(part.device, part.count, part.resource, part.sharing) for part in parts)
    names = (name for name in node.allocatable if hardware.is_gpu_resource(name))
    return unknown({name: _amount(node, name) for name in names})


def _made(surveyed: Survey | None) -> Profile:
    """Return the profile of the nodes, as if a user had written it; one without pools if they make
    none."""
    from gpuspec.cluster import preset
    from gpuspec.manifests import read
    from gpuspec.spec import parse_profile

    if surveyed is None:
        return preset("generic")
    (document,) = read(surveyed.text, "<live nodes>")
    return parse_profile(document)


def _text(value: object, *keys: str) -> str:
    return text(field(value, *keys))
