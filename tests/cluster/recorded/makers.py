"""Clusters with AMD's GPUs, with Gaudi, and with Intel's GPUs: labels as the makers' labellers write them.

Label keys and values: ROCm/k8s-device-plugin cmd/k8s-node-labeller/main.go at ed764684 (each beta key has
a count beside it), HabanaAI/gaudi-feature-discovery collector/collector.go at 7235357eb506,
intel/intel-device-plugins-for-kubernetes cmd/gpu_plugin/labels.md at 94a91bc94134.
"""

from __future__ import annotations

from tests.cluster.recorded.parts import Json, node, sizes

VERSION = "v1.36.2"


def _amd(product: str, device: str, count: int, vram: str, partition: str | None) -> Json:
    """What the node labeller writes with all of its flags."""
    labels = {
        "amd.com/gpu.driver-version": "6.16.6",
        "amd.com/gpu.driver-src-version": "1F2B3C4D5E6F708192A3B4C",
        "amd.com/gpu.compute-partitioning-supported": str(partition is not None).lower(),
        "amd.com/gpu.memory-partitioning-supported": str(partition is not None).lower(),
        "feature.node.kubernetes.io/amd-gpu": "true",
    }
    told = {"family": "AI", "product-name": product, "device-id": device, "vram": vram}
    for key, value in told.items():
        labels |= {f"amd.com/gpu.{key}": value, f"beta.amd.com/gpu.{key}": value}
        labels[f"beta.amd.com/gpu.{key}.{value}"] = str(count)
    if partition is not None:
        labels["amd.com/gpu.compute-memory-partition"] = partition
    return labels


def amd() -> list[Json]:
    """MI300X whole, partitioned under the plain name and under names of their own, and MI210."""
    taint = {"key": "amd.com/gpu", "effect": "NoSchedule"}
    x300 = ("AMD_Instinct_MI300X_OAM", "74a1")

    def made(name: str, labels: Json, devices: Json) -> Json:
        have = sizes("383", 2377000000, "14000000000000", 250, **devices)
        return node(name, labels, have, kubelet=VERSION, taints=(taint,))

    whole = _amd(*x300, 8, "192G", "spx_nps1")
    cpx = _amd(*x300, 64, "24G", "cpx_nps4")
    found = [
        made(f"mi300x-{i}", whole, {"amd.com/gpu": "8", "amd.com/nic": "8"}) for i in (1, 2, 3)
    ]
    found.append(made("mi300x-cpx-1", cpx, {"amd.com/gpu": "64"}))
    # Five GPUs whole and three partitioned: the labeller names no partition then.
    mixed = _amd(*x300, 29, "192G", None)
    mixed["amd.com/gpu.compute-partitioning-supported"] = "true"
    found.append(made("mi300x-mixed-1", mixed, {"amd.com/spx_nps1": "5", "amd.com/cpx_nps1": "24"}))
    have = sizes("127", 528000000, "1800000000000", **{"amd.com/gpu": "4"})
    old = _amd("Instinct_MI210", "740f", 4, "64G", None)
    found.append(node("mi210-1", old, have, kubelet=VERSION, taints=(taint,)))
    return found


def gaudi() -> list[Json]:
    """Gaudi 3 and Gaudi 2 under the Base Operator, with huge pages on the nodes; one without labels."""
    found = []
    for name, kind, device, pages in (
        ("gaudi3-1", "gaudi3", "1060", "156300Mi"),
        ("gaudi3-2", "gaudi3", "1060", "156300Mi"),
        ("gaudi2-1", "gaudi2", "1020", "35202Mi"),
        ("gaudi2-2", None, "1020", "35202Mi"),
    ):
        labels = {"feature.node.kubernetes.io/pci-1200_1da3.present": "true"}
        if kind is not None:
            labels |= {
                "habana.ai/device.count": "8",
                "habana.ai/device.family": "gaudi",
                "habana.ai/device.id": device,
                "habana.ai/device.name": kind,
                "habana.ai/device.type": kind.upper(),
                "habana.ai/driver.version": "1.24.0-695",
                "habana.ai/fw.version": f"hl-{kind}-1.24.0-fw-63.0.0",
                "habana.ai/hfd.timestamp": "1780000000",
            }
        have = sizes("223", 2040000000, "3600000000000", **{"habana.ai/gaudi": "8"})
        have["hugepages-2Mi"] = pages
        found.append(node(name, labels, have, kubelet=VERSION))
    return found


def intel() -> list[Json]:
    """Max 1550 by the driver xe, and Flex 170 of which each card takes four containers."""

    def made(name: str, product: str, family: str, count: int, devices: Json) -> Json:
        labels = {
            "gpu.intel.com/device.count": str(count),
            "gpu.intel.com/family": family,
            "gpu.intel.com/product": product,
            "intel.feature.node.kubernetes.io/gpu": "true",
        }
        have = sizes("111", 520000000, "1800000000000", **devices)
        return node(name, labels, have, kubelet=VERSION)

    shared = {"gpu.intel.com/i915": "8", "gpu.intel.com/monitoring": "1"}
    return [
        made("max-1", "Max_1550", "Max_Series", 4, {"gpu.intel.com/xe": "4"}),
        made("max-2", "Max_1550", "Max_Series", 4, {"gpu.intel.com/xe": "4"}),
        made("flex-1", "Flex_170", "Flex_Series", 2, shared),
    ]
