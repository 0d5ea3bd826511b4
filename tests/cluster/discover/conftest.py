"""Small clusters for the tests of discovery, and what is discovered in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from gpuspec.cluster.discover import Discovery, discover
from gpuspec.manifests import read
from gpuspec.spec import ClusterProfileSpec, Pool, parse_profile

Json = dict[str, Any]
T = TypeVar("T")
H100 = {
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/gpu.count": "8",
    "nvidia.com/gpu.memory": "81559",
    "nvidia.com/gpu.family": "hopper",
    "nvidia.com/gpu.replicas": "1",
}


@dataclass(frozen=True)
class Found:
    """What was discovered, and the same read back."""

    discovery: Discovery
    spec: ClusterProfileSpec

    @property
    def pools(self) -> dict[str, Pool]:
        return {pool.name: pool for pool in self.spec.pools}

    @property
    def pool(self) -> Pool:
        (pool,) = self.spec.pools
        return pool

    @property
    def notes(self) -> str:
        return "\n".join(self.discovery.notes)

    @property
    def text(self) -> str:
        return self.discovery.text

    @property
    def comments(self) -> str:
        """All comments as one line, however they are wrapped."""
        lines = [line.strip() for line in self.text.splitlines()]
        return " ".join(line[1:].strip() for line in lines if line.startswith("#"))


MakeNode = Callable[..., Json]
Discover = Callable[..., Found]


def there(part: T | None) -> T:
    """A part of a pool that must have been discovered."""
    assert part is not None
    return part


def _node(
    name: str = "n1",
    labels: Json | None = None,
    *,
    gpus: int | None = 8,
    capacity: Json | None = None,
    taints: tuple[Json, ...] = (),
    kubelet: str = "v1.36.2",
    arch: str = "amd64",
    provider: str = "",
    ready: str = "True",
    **have: Any,
) -> Json:
    """A Node with H100s; `have` overrules allocatable."""
    allocatable = {"cpu": "64", "memory": "512Gi", "ephemeral-storage": "1Ti", "pods": "110"}
    if gpus is not None:
        allocatable["nvidia.com/gpu"] = str(gpus)
    allocatable |= have
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": dict(H100 if labels is None else labels)},
        "spec": {"taints": list(taints), "providerID": provider},
        "status": {
            "allocatable": allocatable,
            "capacity": allocatable | (capacity or {}),
            "conditions": [{"type": "Ready", "status": ready}],
            "nodeInfo": {"kubeletVersion": kubelet, "architecture": arch},
        },
    }


def _found(*items: Json, **options: Any) -> Found:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    discovery = discover(text, **options)
    (document,) = read(discovery.text, "discovered.yaml")
    return Found(discovery, parse_profile(document).model.spec)


@pytest.fixture(scope="session")
def node() -> MakeNode:
    """Makes a Node; by default one with eight H100."""
    return _node


@pytest.fixture(scope="session")
def h100() -> Json:
    """Labels of a node with H100."""
    return H100


@pytest.fixture(scope="session")
def found() -> Discover:
    """Discovers a List of objects and reads the profile back, which must be valid."""
    return _found
