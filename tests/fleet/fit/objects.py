"""A cluster of two pools, and manifests of one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuspec import FitReport
from gpuspec.fleet.fit import WorkloadFit

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: eu}
spec:
  kubernetes: "1.37"
  installed: {kueue: "0.19"}
  pools:
    - name: h100
      gpu: {model: H100-80GB, count: 8}
      allocatable: {cpu: 129, memory: 1028Gi, ephemeralStorage: 1010Gi, pods: 110}
      reserved: {cpu: 1, memory: 4Gi, ephemeralStorage: 10Gi}
      labels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
      taints: [{key: nvidia.com/gpu, value: present}]
      zones: [a, b]
      nodes: 4
    - name: t4
      gpu: {model: T4, count: 4}
      allocatable: {cpu: 33, memory: 132Gi, pods: 110}
      reserved: {cpu: 1, memory: 4Gi}
      labels: {nvidia.com/gpu.product: Tesla-T4}
      nodes: 2
"""
H100 = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
TOLERATED = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
Json = dict[str, Any]


def pod_spec(
    gpus: int = 1, cpu: str = "8", memory: str = "64Gi", h100: bool = True, **more: Any
) -> Json:
    """A pod for the H100 pool, or for nobody's in particular."""
    asked = {"cpu": cpu, "memory": memory, "nvidia.com/gpu": str(gpus)}
    where = {"nodeSelector": H100, "tolerations": TOLERATED} if h100 else {}
    container = {"name": "main", "image": "x", "resources": {"requests": asked, "limits": asked}}
    return where | {"containers": [container]} | more


def deployment(name: str = "chat", replicas: int = 1, **more: Any) -> Json:
    """A Deployment of such pods."""
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod_spec(**more)},
        },
    }


def gang(
    name: str = "train",
    workers: int = 2,
    queue: str | None = None,
    near: str | None = None,
    namespace: str = "ml",
    **more: Any,
) -> Json:
    """An indexed Job whose workers meet by torchrun."""
    spec = pod_spec(**more) | {"restartPolicy": "Never"}
    nodes = f"--nnodes={workers}"
    spec["containers"][0]["command"] = ["torchrun", nodes, "--rdzv-backend=c10d", "train.py"]
    metadata: Json = {"name": name, "namespace": namespace}
    if queue:
        metadata["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    key = "kueue.x-k8s.io/podset-required-topology"
    template: Json = {"metadata": {"annotations": {key: near} if near else {}}, "spec": spec}
    job = {"completionMode": "Indexed", "completions": workers, "parallelism": workers}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {**job, "template": template},
    }


Fit = Callable[..., FitReport]
One = Callable[..., WorkloadFit]
