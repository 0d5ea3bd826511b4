"""The rows for growth: ten times as much of one thing is to take at most eleven times as long."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Contest, Job

FEW, TIMES = 200, 10

_IMAGE = "ghcr.io/example/server:1.4.2"


def contests(scratch: Path, gpuspec: Path) -> Iterator[Contest]:
    """Write little and much of each thing, and tell what is to be measured over them."""
    for what, count, text in _THINGS:
        much, little = f"{count * TIMES} {what}", f"{count} {what}"
        files = scratch / f"{much}.yaml", scratch / f"{little}.yaml"
        files[0].write_text(text(count * TIMES))
        files[1].write_text(text(count))
        ours, peer = (Job(file.stem, [[gpuspec, "lint", file]], exits=(0, 1)) for file in files)
        yield Contest(f"lint of {much}", ours, peer, 1.1 * TIMES, TIMES)


def services(count: int) -> str:
    """A Service and a Deployment of one name in each of so many namespaces."""
    return _in_each_namespace(count, _service)


def budgets(count: int) -> str:
    """A disruption budget and a Deployment of one name in each of so many namespaces."""
    return _in_each_namespace(count, _budget)


def one_namespace(count: int) -> str:
    """Services and Deployments that all carry one label beside one of their own."""
    objects = []
    for number in range(count):
        labels = {"part-of": "chat", "app": f"server-{number}"}
        objects += [_deployment(f"server-{number}", "chat", labels), _service("chat", labels)]
    return _together(objects)


def comments(count: int) -> str:
    """Deployments with a suppression comment each."""
    text = _text(_deployment("server", "chat", {"app": "server"}))
    lines = text.replace('"image"', '# gpuspec: ignore[GPU906] pinned by the registry\n"image"')
    return "\n---\n".join(
        lines.replace('"name": "server"', f'"name": "server-{number}"') for number in range(count)
    )


def copies(count: int) -> str:
    """One manifest, time and again."""
    return _together([_deployment("server", "chat", {"app": "server"})] * count)


def listed(count: int) -> str:
    """A List of pods, as `kubectl get pods -o json` prints it."""
    items = [_pod(f"server-{number}", number % 20) for number in range(count)]
    return _text({"apiVersion": "v1", "kind": "List", "items": items})


def containers(count: int) -> str:
    """One pod of so many containers."""
    pod = _pod("server", 0)
    pod["spec"]["containers"] = [
        {**pod["spec"]["containers"][0], "name": f"main-{number}"} for number in range(count)
    ]
    return _text(pod)


_THINGS: tuple[tuple[str, int, Callable[[int], str]], ...] = (
    ("namespaces with a Service and its pods", FEW, services),
    ("namespaces with a budget and its pods", FEW, budgets),
    ("Services and Deployments with a label in common", FEW, one_namespace),
    ("suppression comments", FEW, comments),
    ("copies of a manifest", FEW, copies),
    ("pods in one List", FEW, listed),
    ("containers in one pod", FEW // 2, containers),
)


def _in_each_namespace(count: int, make: Callable[[str, dict[str, str]], Any]) -> str:
    objects = []
    for number in range(count):
        namespace, labels = f"team-{number}", {"app": "server"}
        objects += [_deployment("server", namespace, labels), make(namespace, labels)]
    return _together(objects)


def _pod(name: str, team: int) -> dict[str, Any]:
    labels = {"app": name, "team": f"team-{team}"}
    metadata = {"name": name, "namespace": f"team-{team}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": _spec()}


def _deployment(name: str, namespace: str, labels: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": _spec()},
        },
    }


def _spec() -> dict[str, Any]:
    limits = {"memory": "64Gi", "nvidia.com/gpu": 1}
    ports = [{"name": "http", "containerPort": 8000}]
    main = {"name": "main", "image": _IMAGE, "ports": ports, "resources": {"limits": limits}}
    return {"containers": [main]}


def _service(namespace: str, labels: dict[str, str]) -> dict[str, Any]:
    metadata = {"name": labels["app"], "namespace": namespace}
    spec = {"selector": labels, "ports": [{"port": 80, "targetPort": "http"}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def _budget(namespace: str, labels: dict[str, str]) -> dict[str, Any]:
    metadata = {"name": labels["app"], "namespace": namespace}
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": labels}}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata,
        "spec": spec,
    }


def _together(objects: list[Any]) -> str:
    return "\n---\n".join(map(_text, objects))


def _text(value: object) -> str:
    return json.dumps(value, indent=1)
