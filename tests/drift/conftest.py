"""A cluster that is as it is said: the nodes of a profile, its platform, its workloads; as kubectl prints it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.drift import Difference, Drift
from gpuspec.fleet.fleets import profile_fleet
from gpuspec.fleet.nodes.pools import UNTOLD_DISK
from gpuspec.spec import Profile

Object = dict[str, Any]
Change = Callable[[list[Object]], None]
ROOT = Path(__file__).parents[2]
CLUSTERS = sorted((ROOT / "examples/clusters").glob("*.yaml"))


def profile(text: str | Path, folder: Path) -> Profile:
    """The one profile of a file, or of what is written into one."""
    path = text
    if isinstance(text, str):
        path = folder / "profile.yaml"
        path.write_text(text)
    (found,) = gpuspec.load_profiles(str(path))
    return found


def machines(of: Profile) -> list[Object]:
    """The nodes of a profile's pools, each with what the profile says and all of it free."""
    return [_node(one, of) for one in profile_fleet(of, 1).snapshot.nodes]


def _node(one: Any, of: Profile) -> Object:
    have = {name: str(count) for name, count in one.allocatable.items()}
    have["cpu"] = f"{one.allocatable['cpu']}m"
    if one.allocatable["ephemeral-storage"] == UNTOLD_DISK:
        del have["ephemeral-storage"]
    taints = [{"key": t.key, "value": t.value, "effect": t.effect} for t in one.taints]
    architecture = one.labels.get("kubernetes.io/arch", "amd64")
    levels = () if of.spec.topology is None else of.spec.topology.levels
    labels = {level.label: "x" for level in levels} | dict(one.labels)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": one.name, "labels": labels},
        "spec": {"taints": taints},
        "status": {
            "capacity": have,
            "allocatable": dict(have),
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {
                "kubeletVersion": f"v{of.spec.kubernetes}.2",
                "architecture": architecture,
            },
        },
    }


def whole(of: Profile, *specs: str) -> list[Object]:
    """All that a profile and specs make of a cluster."""
    made = [*machines(of), *gpuspec.platform(of).objects]
    for path in specs:
        for workload in gpuspec.load(path):
            made += gpuspec.render(workload, of).objects
    return deepcopy(made)


class Cluster:
    """One cluster, and what is said of it."""

    def __init__(self, of: Profile, folder: Path, *specs: str) -> None:
        self.profile, self.specs = of, specs
        self.objects = whole(of, *specs)
        self.dump = folder / "dump.json"

    def one(self, kind: str, name: str = "") -> Object:
        """The first object of a kind, or the one of a name."""
        return next(
            each
            for each in self.objects
            if each["kind"] == kind and name in ("", each["metadata"]["name"])
        )

    def add(self, *objects: Object) -> None:
        self.objects += objects

    def remove(self, kind: str, name: str = "") -> None:
        self.objects.remove(self.one(kind, name))

    def drift(self) -> Drift:
        """What differs now."""
        self.dump.write_text(listed(self.objects))
        return gpuspec.fleet_drift(*self.specs, live=str(self.dump), profile=self.profile)

    @property
    def differences(self) -> tuple[Difference, ...]:
        return self.drift().differences


def listed(objects: Iterable[Object]) -> str:
    """Objects as kubectl prints them."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def told(found: Iterable[Difference]) -> list[tuple[str, str, list[str]]]:
    """Differences in short: how, of what, and the sentences."""
    from gpuspec.report.diff.prose import parts
    from gpuspec.report.drift.prose import sentence

    return [
        (
            one.how,
            one.name,
            [
                *map(sentence, one.remarks),
                *(line.text for _, lines in parts(one.fields) for line in lines),
            ],
        )
        for one in found
    ]


MakeCluster = Callable[..., Cluster]


@pytest.fixture
def cluster(tmp_path: Path) -> MakeCluster:
    """Makes a cluster from a profile's text or file, and specs."""

    def make(text: str | Path, *specs: str) -> Cluster:
        return Cluster(profile(text, tmp_path), tmp_path, *specs)

    return make
