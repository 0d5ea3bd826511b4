"""The rows for `gpuspec fit`: pods of few shapes and of many onto fleets of one kind and of fifty."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.measure import Job
from benchmarks.running import running
from gpuspec.kubernetes import VERSIONS

PODS, NODES, WORKLOADS = 10_000, 10_000, 100
KINDS = 50
LIVE = 100
"""Workloads that are placed on what runs."""
BUDGET, STRETCH = 10.0, 2.0
"""Seconds."""
LINEAR = 11.0
"""Times as long for ten times the input."""
MEMORY = 1024
"""Megabytes."""
_SHAPES = ((1, 8, 100), (1, 16, 50), (2, 20, 200), (4, 80, 400), (8, 128, 800))
"""GPUs, cores and Gi of a pod; some above the share of their GPUs."""
_MODELS = (("H100-80GB", 8), ("A100-80GB", 8), ("L40S", 4), ("H200-141GB", 8), ("L4", 1))


@dataclass(frozen=True, slots=True)
class Case:
    what: str
    job: Job
    tenth: Job | None = None
    """The same with a tenth of the pods, or of the nodes: against that it is measured, if at all."""


def cases(scratch: Path, gpuspec: Path) -> list[Case]:
    """Write the profiles and the manifests, and tell what is measured. Some pods find no room."""

    def job(name: str, pods: Iterable[object], fleet: object, *options: str) -> Job:
        manifests, nodes = scratch / f"fit-{name}.yaml", scratch / f"fit-{name}-fleet.yaml"
        manifests.write_text("\n---\n".join(map(json.dumps, pods)))
        nodes.write_text(json.dumps(fleet))
        command: list[str | Path] = [gpuspec, "fit", manifests, *(options or ("-c",)), nodes]
        return Job("gpuspec fit", [command], exits=(0, 1))

    def shown(format: str) -> Job:
        return job(format, _pods(PODS // 10), many, "--format", format, "-c")

    def live(nodes: int) -> Job:
        return job(f"live-{nodes}", islice(_workloads(1000), LIVE), running(nodes), "--live")

    many, few = _profile(KINDS, NODES), _profile(KINDS, NODES // 10)
    distinct = job("distinct", _pods(PODS), many)
    return [
        Case(
            f"fit, {PODS} pods of {WORKLOADS} shapes onto {NODES} nodes of 1 kind",
            job("alike", _workloads(WORKLOADS), _profile(1, NODES)),
        ),
        Case(
            f"fit, {PODS} pods of 1000 shapes onto {NODES} nodes of {KINDS} kinds",
            job("shapes", _workloads(1000), many),
        ),
        Case(
            f"fit, 2000 distinct pods onto {NODES} nodes of {KINDS} kinds",
            job("distinct-2000", _pods(2000), many),
        ),
        Case(f"fit, {PODS} distinct pods onto {NODES} nodes of {KINDS} kinds", distinct),
        Case(
            f"fit, {PODS} distinct pods onto {NODES} nodes, to a tenth of the pods",
            distinct,
            job("distinct-1000", _pods(PODS // 10), many),
        ),
        Case(
            f"fit, {PODS // 10} distinct pods onto {NODES} nodes, to a tenth of the nodes",
            job("distinct-nodes", _pods(PODS // 10), many),
            job("distinct-few", _pods(PODS // 10), few),
        ),
        *(
            Case(f"fit --format {one}, {PODS // 10} distinct pods onto {NODES} nodes", shown(one))
            for one in ("json", "html", "svg")
        ),
        Case(f"fit --live, {LIVE} workloads onto {NODES} nodes that run pods", live(NODES)),
        Case(
            f"fit --live, {LIVE} workloads onto {NODES} nodes, to a tenth of the nodes",
            live(NODES),
            live(NODES // 10),
        ),
    ]


def _profile(kinds: int, nodes: int) -> object:
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "large"},
        "spec": {
            "kubernetes": VERSIONS[-1],
            "pools": [_pool(number, nodes // kinds) for number in range(kinds)],
        },
    }


def _pool(number: int, nodes: int) -> object:
    model, gpus = _MODELS[number % len(_MODELS)]
    step = number // len(_MODELS)
    return {
        "name": f"pool-{number}",
        "gpu": {"model": model, "count": gpus},
        "allocatable": {
            "cpu": 24 * gpus - step,
            "memory": f"{250 * gpus - 3 * step}Gi",
            "ephemeralStorage": "4000Gi",
        },
        "zones": ["a", "b", "c"],
        "nodes": nodes,
    }


def _workloads(shapes: int) -> Iterator[object]:
    """Deployments and Jobs, each of another shape, of as many pods together."""
    for number in range(shapes):
        labels = {"app": f"w{number}"}
        template: dict[str, Any] = {"metadata": {"labels": labels}, "spec": _spec(number)}
        metadata = {"name": f"w{number}", "namespace": "ml"}
        each = PODS // shapes
        if number % 2:
            template["spec"]["restartPolicy"] = "Never"
            spec: object = {"parallelism": each, "completions": each, "template": template}
            yield {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
        else:
            spec = {"replicas": each, "selector": {"matchLabels": labels}, "template": template}
            yield {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": metadata,
                "spec": spec,
            }


def _pods(count: int) -> Iterator[object]:
    """Pods that each have a name, labels and requests of their own."""
    for number in range(count):
        metadata = {"name": f"pod-{number}", "namespace": "ml", "labels": {"app": f"w{number}"}}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": _spec(number)}


def _spec(number: int) -> dict[str, object]:
    gpus, cpu, memory = _SHAPES[number % len(_SHAPES)]
    asked = {
        "cpu": f"{cpu * 1000 + number % 997}m",
        "memory": f"{memory * 1024 + number}Mi",
        "nvidia.com/gpu": gpus,
    }
    return {"containers": [{"name": "main", "image": "x", "resources": {"limits": asked}}]}
