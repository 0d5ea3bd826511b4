"""NodeOverlays: resources of a pool's nodes that no cloud counts on its machines.

A device plugin, or the kubelet of huge pages, advertises them once a node is there. Before, Karpenter knows nothing of them, and makes
no node for a pod that asks for one.

Source: sigs.k8s.io/karpenter v1.14.1 (pkg/apis/v1alpha1/nodeoverlay.go, pkg/controllers/nodeoverlay);
what EC2's machines are counted with: aws/karpenter-provider-aws v1.14.1 (pkg/apis/v1/labels.go).
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
    """Return one for each pool that has such resources."""
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
    """Return what a node of a pool has that its machine is not counted with."""
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
    """Return huge pages, of those of the driver and of the fabric's library, in bytes."""
    asked = (pool.gpu.hugepages, pool.rdma.hugepages if pool.rdma else None)
    total = sum(pages.int_value for pages in asked if pages is not None)
    return {HUGEPAGES: total} if total else {}
