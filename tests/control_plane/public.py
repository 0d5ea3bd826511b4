"""`gpuspec.fit` asked as anybody asks it: about a manifest, on a dump of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from gpuspec.fleet.scheduler.preemption import preempt
from gpuspec.fleet.scheduler.snapshot import Snapshot
from gpuspec.fleet.scheduler.status_message import message
from gpuspec.fleet.scheduler.verdict import Verdict, feasible
from tests.control_plane import fleets
from tests.control_plane.client import Client, Object, Ref
from tests.control_plane.fleets import World
from tests.fleet.fit.dumps import Asking, kept_by, listed

NODE = Ref("v1", "Node")
DUMPED = (
    Ref("v1", "Pod"),
    Ref("v1", "Namespace"),
    Ref("v1", "PersistentVolume"),
    Ref("v1", "PersistentVolumeClaim"),
    Ref("scheduling.k8s.io/v1", "PriorityClass"),
    Ref("node.k8s.io/v1", "RuntimeClass"),
)


def dump(client: Client, minor: str) -> Object:
    """What kubectl prints of a cluster; its nodes have no kubelet that tells its version."""
    nodes = [kept_by(node, minor) for node in _of(client, NODE)]
    return listed(*nodes, *(one for ref in DUMPED for one in _of(client, ref)))


def _of(client: Client, ref: Ref) -> Iterator[Object]:
    # Lists of the API leave the kind off their items.
    return ({"kind": ref.kind} | one for one in client.objects(ref))


def answers(
    live: Object, minor: str, made: World, heard: Iterable[Object]
) -> Iterator[tuple[Object, list[str | None] | None]]:
    """For each pod that the scheduler was asked about, what `fit` says; None for the same."""
    with TemporaryDirectory() as folder:
        asking = Asking(Path(folder), live)
        for one in heard:
            found = asking.about(one["pod"])
            if one["node"]:
                same = found.verdict == "placed"
            else:
                verdict = feasible(fleets.shape_in(one["pod"]), made.snapshot)
                may_be = messages(verdict, made.snapshot, minor)
                same = found.verdict == "not placed" and {found.message, one["message"]} <= may_be
            yield one, None if same else [found.verdict, found.message, *found.notes]


def messages(verdict: Verdict, snapshot: Snapshot, minor: str) -> set[str]:
    """What may be said: one message for each node on which preemption is equally good."""
    ours = preempt(verdict, snapshot)
    firsts = range(ours.best) if ours.helps else [0]
    turned = (ours.candidates[first:] + ours.candidates[:first] for first in firsts)
    return {message(verdict, replace(ours, candidates=each), minor, snapshot) for each in turned}
