"""The row for `gpuspec fit`: ten thousand pods of a hundred workloads onto ten thousand nodes."""

import json
from pathlib import Path

from benchmarks.measure import Job

PODS, NODES, WORKLOADS = 10_000, 10_000, 100
BUDGET, STRETCH = 10.0, 2.0
"""Seconds."""
MEMORY = 1024
"""Megabytes."""
_SHAPES = ((1, 8, 100), (1, 16, 50), (2, 20, 200), (4, 80, 400), (8, 128, 800))
"""GPUs, cores and Gi of a pod; some above the share of their GPUs."""


def job(scratch: Path, gpuspec: Path) -> Job:
    """Write the profile and the manifests, and tell what is measured. Some pods find no room."""
    profile, manifests = scratch / "fleet.yaml", scratch / "fleet-pods.yaml"
    profile.write_text(json.dumps(_profile()))
    manifests.write_text("\n---\n".join(json.dumps(_deployment(n)) for n in range(WORKLOADS)))
    command: list[str | Path] = [gpuspec, "fit", manifests, "-c", profile]
    return Job("gpuspec fit", [command], exits=(0, 1))


def _profile() -> object:
    allocatable = {"cpu": 192, "memory": "2000Gi", "ephemeralStorage": "4000Gi"}
    pool = {
        "name": "h100",
        "gpu": {"model": "H100-80GB", "count": 8},
        "allocatable": allocatable,
        "zones": ["a", "b", "c"],
        "nodes": NODES,
    }
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "large"},
        "spec": {"kubernetes": "1.37", "pools": [pool]},
    }


def _deployment(number: int) -> object:
    gpus, cpu, memory = _SHAPES[number % len(_SHAPES)]
    labels = {"app": f"w{number}"}
    asked = {"cpu": cpu, "memory": f"{memory}Gi", "nvidia.com/gpu": gpus}
    container = {"name": "main", "image": "x", "resources": {"limits": asked}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"w{number}", "namespace": "ml"},
        "spec": {
            "replicas": PODS // WORKLOADS,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
