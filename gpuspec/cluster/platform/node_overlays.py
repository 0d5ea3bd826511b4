"""NodeOverlays: resources of a pool's nodes that the cloud does not list for its machine types.

A device plugin, or the kubelet for huge pages, advertises them once a node exists. Before that
Karpenter does not know them, and creates no node for a pod that requests one.

Source: sigs.k8s.io/karpenter v1.14.1 (pkg/apis/v1alpha1/nodeoverlay.go,
pkg/controllers/nodeoverlay); for resources of EC2's machine types: aws/karpenter-provider-aws
v1.14.1 (pkg/apis/v1/labels.go).
"""

from typing import Any

from gpuspec.cluster.platform.karpenter import GROUP, karpenters
from gpuspec.fleet import advertised, fabric_devices
from gpuspec.plan.hugepages import HUGEPAGES
from gpuspec.plan.quotas import as_quantity
from gpuspec.spec import Pool, Profile, model_of
from gpuspec.spec.rules.karpenter import NODE_POOL_LABEL, node_pool_name

Object = dict[str, Any]
_COUNTED = (
    "amd.com/gpu",
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
    "habana.ai/gaudi",
    "nvidia.com/gpu",
    "vpc.amazonaws.com/efa",
)


def node_overlays(profile: Profile) -> list[Object]:
    """Return one NodeOverlay for each pool with such resources."""
    return [
        {
            "apiVersion": f"{GROUP}/v1alpha1",
            "kind": "NodeOverlay",
            "metadata": {"name": node_pool_name(pool)},
            "spec": {
                "requirements": [
                    {"key": NODE_POOL_LABEL, "operator": "In", "values": [node_pool_name(pool)]}
                ],
                "capacity": capacity,
            },
        }
        for pool, _ in karpenters(profile)
        if (capacity := uncounted(pool))
    ]


def uncounted(pool: Pool) -> dict[str, str]:
    """Return the resources of a pool's node that its machine type does not list."""
    counts = {
        **advertised(pool, model_of(pool)),
        **fabric_devices(pool),
        **_pages(pool),
        **pool.other_resources,
    }
    return {
        name: as_quantity(name, count)
        for name, count in sorted(counts.items())
        if name not in _COUNTED
    }


def _pages(pool: Pool) -> dict[str, int]:
    """Return huge pages for the driver and for the fabric's library, in bytes."""
    requested = (pool.gpu.hugepages, pool.rdma.hugepages if pool.rdma else None)
    total = sum(pages.int_value for pages in requested if pages is not None)
    return {HUGEPAGES: total} if total else {}
