"""Asking the scheduler of a control plane: a fleet is put before it, then pods, then taken away."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from tests.control_plane import fleets, kinds
from tests.control_plane.client import Client, Object, Ref, until
from tests.control_plane.fleets import World
from tests.control_plane.pods.pieces import RUNTIMES

PAUSE = 0.02
NODES, PODS = Ref("v1", "Node"), Ref("v1", "Pod")
Key = tuple[str, str]


class Said(NamedTuple):
    """What the scheduler did with a pod."""

    node: str
    message: str


def said(client: Client, pods: list[Object]) -> dict[Key, Said]:
    """What the scheduler did with each of these pods, once it has looked at all."""
    found: dict[Key, Said] = {}
    wanted = {key(pod): pod for pod in pods}
    end = time.monotonic() + 60
    while len(found) < len(wanted):
        assert time.monotonic() < end, f"not looked at: {wanted.keys() - found.keys()}"
        time.sleep(PAUSE)
        found |= _verdicts(client, {at: wanted[at] for at in wanted if at not in found})
    return found


def _verdicts(client: Client, wanted: dict[Key, Object]) -> dict[Key, Said]:
    found: dict[Key, Said] = {}
    if len(wanted) == 1:
        pods = [client.get(Ref.of(pod)) for pod in wanted.values()]
    else:
        spaces = {space for space, _ in wanted}
        pods = [p for space in spaces for p in client.objects(PODS._replace(namespace=space))]
    for pod in pods:
        if key(pod) not in wanted:
            continue
        node = pod["spec"].get("nodeName", "")
        for row in pod["status"].get("conditions", ()):
            if row["type"] == "PodScheduled" and row["status"] == "False":
                found[key(pod)] = Said("", row["message"])
        if node:
            found[key(pod)] = Said(node, "")
    return found


def victims_among(client: Client, wanted: Iterable[frozenset[str]]) -> frozenset[str]:
    """Pods that are being removed: as soon as they are what some candidate has, or after a while."""
    end = time.monotonic() + 20
    while True:
        gone = frozenset(
            pod["metadata"]["name"]
            for space in fleets.SPACES
            for pod in client.objects(PODS._replace(namespace=space))
            if pod["metadata"].get("deletionTimestamp")
        )
        if gone in wanted or time.monotonic() > end:
            return gone
        time.sleep(PAUSE)


def key(pod: Object) -> Key:
    """What tells a pod from the others: namespace and name."""
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def join(client: Client, made: World) -> None:
    """Create the fleet, and wait until the scheduler knows all of it."""
    for each in made.nodes:
        client.create(each)
    for each in made.pods:
        client.create(each)
        if "status" in each:
            client.patch(Ref.of(each), {"status": each["status"]}, part="status")
    last = made.pods[-1]["metadata"]["name"]
    probe = kinds.probe(f"{last}-probe", last)
    client.create(probe)
    until(lambda: client.get(Ref.of(probe))["spec"].get("nodeName"), "the fleet is known", 60)
    client.delete(Ref.of(probe), grace=0)


def leave(client: Client) -> None:
    """Take the fleet away."""
    for space in fleets.SPACES:
        delete_all(client, PODS._replace(namespace=space))
    delete_all(client, NODES)


def delete_all(client: Client, ref: Ref, fields: str = "") -> None:
    """Delete the objects of a kind, of a namespace or all, whose fields are so."""
    path, now = client.path(ref, named=False), json.dumps({"gracePeriodSeconds": 0})
    query = {"fieldSelector": fields} if fields else None
    client.request("DELETE", path, now, "application/json", query)


def prepare(client: Client) -> None:
    """What the pods of all fleets name: namespaces, classes, claims."""
    for name, value in fleets.CLASSES.items():
        policy = "PreemptLowerPriority" if value.preempts else "Never"
        meta = _named("scheduling.k8s.io/v1", "PriorityClass", name)
        client.create(meta | {"value": value.value, "preemptionPolicy": policy})
    for name, asks in RUNTIMES.items():
        meta = _named("node.k8s.io/v1", "RuntimeClass", name)
        client.create(meta | {"handler": "runc", "overhead": {"podFixed": asks}})
    for space, labels in fleets.SPACES.items():
        made = _named("v1", "Namespace", space)
        made["metadata"]["labels"] = labels
        client.create(made)
        account = Ref("v1", "ServiceAccount", "default", space)
        until(partial(client.find, account), f"{account} is there")
        for claim, volume in fleets.VOLUMES.items():
            _claim(client, space, claim, volume)


def _claim(client: Client, space: str, name: str, volume: Object) -> None:
    common = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
    made = _named("v1", "PersistentVolume", f"{space}-{name}")
    made["metadata"] |= volume.get("metadata", {})
    made["spec"] = common | {
        "capacity": {"storage": "1Gi"},
        "hostPath": {"path": "/data"},
        "claimRef": {"namespace": space, "name": name},
        **volume.get("spec", {}),
    }
    client.create(made)
    claim = _named("v1", "PersistentVolumeClaim", name)
    claim["metadata"] |= {
        "namespace": space,
        "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
    }
    asks = {"requests": {"storage": "1Gi"}}
    claim["spec"] = common | {"volumeName": f"{space}-{name}", "resources": asks}
    client.create(claim)


def _named(version: str, kind: str, name: str) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
