"""A fleet as `kubectl get nodes,pods` prints it: nodes of many kinds, each in a state of its own."""

from typing import Any

KINDS, PODS = 50, 3
"""Kinds of nodes, and pods on each node."""
_PRODUCTS = (("NVIDIA-H100-80GB-HBM3", 8), ("NVIDIA-A100-SXM4-80GB", 8), ("NVIDIA-L40S", 4))


def running(nodes: int) -> Any:
    """So many nodes with pods on them; no two pods ask for the same."""
    items: list[Any] = []
    for number in range(nodes):
        items.append(_node(number))
        items += (_pod(number, each) for each in range(PODS))
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _node(number: int) -> Any:
    product, gpus = _PRODUCTS[number % len(_PRODUCTS)]
    pool, step = number % KINDS, number % KINDS // 5
    name = f"node-{number}"
    have = {
        "cpu": str(24 * gpus - step),
        "memory": f"{250 * gpus - 3 * step}Gi",
        "ephemeral-storage": "4000Gi",
        "nvidia.com/gpu": str(gpus),
        "pods": "110",
    }
    labels = {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": "abc"[number % 3],
        "nvidia.com/gpu.product": product,
        "nvidia.com/gpu.count": str(gpus),
        "pool": f"pool-{pool}",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {},
        "status": {
            "allocatable": have,
            "capacity": have,
            "nodeInfo": {"kubeletVersion": "v1.37.2"},
        },
    }


def _pod(number: int, each: int) -> Any:
    """One of the pods of a node; the first has GPUs."""
    _, gpus = _PRODUCTS[number % len(_PRODUCTS)]
    app = f"app-{number % 500}"
    asked = {
        "cpu": f"{2000 + (number * 7 + each) % 1500}m",
        "memory": f"{20480 + (number * 13 + each) % 4000}Mi",
    }
    limits = {"nvidia.com/gpu": str(1 + number % gpus)} if each == 0 else {}
    resources = {"requests": asked | limits, "limits": limits}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{app}-{number}-{each}", "namespace": "ml", "labels": {"app": app}},
        "spec": {
            "nodeName": f"node-{number}",
            "containers": [{"name": "main", "image": "x", "resources": resources}],
        },
        "status": {"phase": "Running", "startTime": "2026-01-01T00:00:00Z"},
    }
