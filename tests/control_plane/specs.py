"""Profiles and specs of stories, in the least words that say what matters in them."""

from typing import Any

from tests.control_plane.client import Object

IMAGE = "registry.example.com/work:1.0.0@sha256:" + "a1" * 32
H100, A100, L4 = "H100-80GB", "A100-80GB", "L4"


def profile(
    namespace: str, pools: tuple[Object, ...], queues: list[Object], spec: Object
) -> Object:
    """A ClusterProfile with all that runs and one namespace, from which its queues admit."""
    said = {
        "kubernetes": "1.35",
        "installed": {"kueue": "0.19", "jobset": "0.12", "lws": "0.9"},
        "namespaces": [{"name": namespace}],
        "pools": pools,
        "queues": [{"namespaces": [namespace]} | each for each in queues],
    }
    return _document("ClusterProfile", "story", said | spec)


def pool(name: str, model: str, nodes: int, gpus: int = 8, **more: Any) -> Object:
    """A pool of nodes alike, with the taint that GPU nodes have."""
    said = {
        "name": name,
        "gpu": {"model": model, "count": gpus},
        "allocatable": {"cpu": 8 * gpus, "memory": f"{64 * gpus}Gi", "ephemeralStorage": "2Ti"},
        "labels": {"example.com/pool": name},
        "taints": [{"key": "nvidia.com/gpu", "value": "present"}],
        "nodes": nodes,
    }
    return said | more


def queue(name: str, pools: dict[str, int | Object], **more: Any) -> Object:
    """A queue, and how many GPUs of which pools it has."""
    parts = [
        {"pool": each, **(said if isinstance(said, dict) else {"gpus": said})}
        for each, said in pools.items()
    ]
    return {"name": name, "pools": parts} | more


def training(name: str, model: str | list[str] = H100, gpus: int = 8, **more: Any) -> Object:
    """A Training, of one worker unless `workers` says more."""
    return _workload("Training", name, model, gpus, {"command": ["train"]} | more)


def batch(name: str, model: str | list[str] = H100, gpus: int = 8, **more: Any) -> Object:
    """A BatchInference."""
    return _workload("BatchInference", name, model, gpus, {"command": ["score"]} | more)


def server(name: str, model: str | list[str] = L4, gpus: int = 1, **more: Any) -> Object:
    """An Inference, of a server of one's own."""
    said = {
        "runtime": "custom",
        "command": ["serve"],
        "expose": {"port": 8000},
        "probes": {"readiness": {"path": "/ready"}},
    }
    return _workload("Inference", name, model, gpus, said | more)


def spanning(name: str, nodes: int = 2, **more: Any) -> Object:
    """An Inference of vLLM, each replica of which spans so many nodes of eight H100."""
    said = {
        "runtime": "vllm",
        "image": "vllm/vllm-openai:v0.33.0",
        "model": {"id": "org/model", "revision": "1", "size": "16Gi", "source": {"hub": {}}},
        "nodes": nodes,
    }
    return _workload("Inference", name, H100, 8, said | more)


def _workload(kind: str, name: str, model: str | list[str], gpus: int, spec: Object) -> Object:
    models = [model] if isinstance(model, str) else model
    return _document(kind, name, {"image": IMAGE, "gpu": {"models": models, "count": gpus}} | spec)


def _document(kind: str, name: str, spec: Object) -> Object:
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }
