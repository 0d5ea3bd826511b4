"""A random fleet as kubectl prints it, a pod as a person writes it, and `fit` asked about both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import gpuspec
from gpuspec.fleet.fit import WorkloadFit
from tests.control_plane import fleets
from tests.control_plane.pods.pieces import RUNTIMES

Json = dict[str, Any]


class Asking:
    """Asks `fit` about one pod after the other on a fleet."""

    def __init__(self, folder: Path, live: Json) -> None:
        self._live, self._pod = folder / "live.json", folder / "pod.json"
        self._live.write_text(json.dumps(live))

    def about(self, pod: Json) -> WorkloadFit:
        """What is said of a pod."""
        self._pod.write_text(json.dumps(written(pod)))
        (found,) = gpuspec.fit(str(self._pod), live=str(self._live), seeds=1).workloads
        return found


def dump(nodes: list[Json], pods: list[Json], minor: str) -> Json:
    """What `kubectl get` prints of a fleet and what is beside it: see docs/fit.md."""
    return listed(*(kept_by(node, minor) for node in nodes), *map(_admitted, pods), *_beside())


def listed(*items: Json) -> Json:
    """Objects as kubectl prints several."""
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def written(pod: Json) -> Json:
    """The manifest of a pod, without what admission adds to it."""
    made = deepcopy(pod)
    made["spec"].pop("overhead", None)
    return made


def kept_by(node: Json, minor: str) -> Json:
    """A node with a kubelet of a version."""
    status = node["status"] | {"nodeInfo": {"kubeletVersion": f"v{minor}.2"}}
    return node | {"status": status}


def _admitted(pod: Json) -> Json:
    """A pod that runs: with what its classes came to."""
    value = fleets.CLASSES[pod["spec"]["priorityClassName"]]
    policy = "PreemptLowerPriority" if value.preempts else "Never"
    spec = pod["spec"] | {"priority": value.value, "preemptionPolicy": policy}
    return pod | {"spec": spec, "status": pod.get("status", {}) | {"phase": "Running"}}


def _beside() -> Iterator[Json]:
    for name, value in fleets.CLASSES.items():
        policy = "PreemptLowerPriority" if value.preempts else "Never"
        yield _named("PriorityClass", name) | {"value": value.value, "preemptionPolicy": policy}
    for name, asks in RUNTIMES.items():
        yield _named("RuntimeClass", name) | {"handler": "runc", "overhead": {"podFixed": asks}}
    for space, labels in fleets.SPACES.items():
        yield _named("Namespace", space, labels=labels)
        for claim, volume in fleets.VOLUMES.items():
            bound = {"volumeName": f"{space}-{claim}"}
            yield _named("PersistentVolumeClaim", claim, namespace=space) | {"spec": bound}
            made = _named("PersistentVolume", f"{space}-{claim}", **volume.get("metadata", {}))
            of = {"claimRef": {"namespace": space, "name": claim}}
            yield made | {"spec": of | volume.get("spec", {}), "status": {"phase": "Bound"}}


def _named(kind: str, name: str, **more: Any) -> Json:
    return {"kind": kind, "metadata": {"name": name, **more}}
