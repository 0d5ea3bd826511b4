"""The pieces that pods of random fleets are made of."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Object = dict[str, Any]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
IMAGE = "registry.example.com/main:1"
HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
TOPOLOGIES = (HOSTNAME, ZONE, "rack")
TAINTS: tuple[Object, ...] = (
    {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
    {"key": "team", "value": "a", "effect": "NoSchedule"},
    {"key": "broken", "effect": "NoExecute"},
    {"key": "soft", "value": "x", "effect": "PreferNoSchedule"},
)
RUNTIMES = {
    "light": {"cpu": "250m", "memory": "120Mi"},
    "heavy": {"cpu": "5", "memory": "13Gi"},
}
Change = Callable[[Random, Object, list[Object]], None]


def small(rng: Random, name: str) -> Object:
    """A pod that asks for little."""
    made = bare(name, rng.choice(("team-a", "team-a", "team-b")), labels_of(rng))
    spec = made["spec"]
    spec["containers"] = [container(rng, f"main-{at}", "100m") for at in range(rng.randint(1, 2))]
    spec["priorityClassName"] = rng.choice(("low", "middle", "high", "patient"))
    return made


def labels_of(rng: Random) -> dict[str, str]:
    """Labels of a pod."""
    labels = {"app": rng.choice("xyz")}
    return labels | ({"tier": rng.choice("12")} if rng.random() < 0.7 else {})


def bare(name: str, namespace: str, labels: dict[str, str]) -> Object:
    """A pod that asks for nothing."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": IMAGE}]},
    }


def container(rng: Random, name: str, cpu: str) -> Object:
    """A container that asks for so much CPU, and some memory."""
    asks = {"cpu": cpu, "memory": rng.choice(("100Mi", "200M", "1Gi"))}
    for key in tuple(asks):
        if rng.random() < 0.2:
            del asks[key]
    return {"name": name, "image": IMAGE, "resources": {"requests": asks}}


def ask(made: Object, name: str, amount: str) -> None:
    """Ask for an amount in its last container."""
    resources = made["spec"]["containers"][-1].setdefault("resources", {})
    resources.setdefault("requests", {})[name] = amount
    if "/" in name or name.startswith("hugepages"):
        resources.setdefault("limits", {})[name] = amount
    if name.startswith("hugepages"):
        resources["requests"].setdefault("memory", "100Mi")


def pin(spec: Object, names: list[str]) -> None:
    """Require one of these nodes."""
    require(
        spec,
        [{"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": sorted(names)}]}],
    )


def require(spec: Object, terms: list[Object]) -> None:
    """Require one of these terms of a node."""
    spec.setdefault("affinity", {})["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": terms}}
