"""Clusters on GKE."""

from __future__ import annotations

import zlib

from tests.cluster.recorded.parts import GPU_TAINT, Json, node, sizes, zoned


def gke() -> list[Json]:
    """L4 on demand and spot, one A100 in seven MIG partitions; GKE labels by itself, no GFD."""
    version, zones = "v1.35.1-gke.1396000", ("europe-west4-a", "europe-west4-b")
    osimg = "Container-Optimized OS from Google"

    def made(i: int, pool: str, instance: str, have: Json, labels: Json, *taints: Json) -> Json:
        zone = zones[i % 2]
        name = f"gke-eu-{pool}-{zlib.crc32(pool.encode()):08x}-{i:04}"
        common = zoned("europe-west4", zone, instance) | {
            "cloud.google.com/gke-boot-disk": "pd-balanced",
            "cloud.google.com/gke-container-runtime": "containerd",
            "cloud.google.com/gke-cpu-scaling-level": have["cpu"].rstrip("m"),
            "cloud.google.com/gke-nodepool": pool,
            "cloud.google.com/gke-os-distribution": "cos",
            "cloud.google.com/machine-family": instance.partition("-")[0],
            "cloud.google.com/private-node": "false",
            "topology.gke.io/zone": zone,
        }
        where = f"gce://bookstore-eu/{zone}/{name}"
        return node(
            name,
            common | labels,
            have,
            kubelet=version,
            provider=where,
            taints=taints,
            os_image=osimg,
        )

    def gpu(name: str, count: int) -> Json:
        return {
            "cloud.google.com/gke-accelerator": name,
            "cloud.google.com/gke-accelerator-count": str(count),
            "cloud.google.com/gke-gpu": "true",
            "cloud.google.com/gke-gpu-driver-version": "default",
        }

    l4 = sizes("95210m", 378921304, "391869866412", **{"nvidia.com/gpu": "8"})
    spot_taint = {"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NoSchedule"}
    spot = {"cloud.google.com/gke-provisioning": "spot", "cloud.google.com/gke-spot": "true"}
    standard = {"cloud.google.com/gke-provisioning": "standard"}
    l4_labels = gpu("nvidia-l4", 8)
    found = [made(i, "l4", "g2-standard-96", l4, l4_labels | standard, GPU_TAINT) for i in range(3)]
    found += [
        made(i, "l4-spot", "g2-standard-96", l4, l4_labels | spot, GPU_TAINT, spot_taint)
        for i in range(2)
    ]
    mig = sizes("11370m", 80012444, "47093746742", **{"nvidia.com/gpu": "7"})
    cut = gpu("nvidia-tesla-a100", 1) | {"cloud.google.com/gke-gpu-partition-size": "1g.5gb"}
    found.append(made(0, "a100-mig", "a2-highgpu-1g", mig, cut | standard, GPU_TAINT))
    plain = sizes("3920m", 13482320, "47093746742")
    found += [made(i, "default-pool", "e2-standard-4", plain, standard) for i in range(2)]
    return found


def gke_rdma() -> list[Json]:
    """A3 Ultra with GPUDirect RDMA: a network for each GPU, one for everything else, dense blocks."""
    found = []
    for i in range(4):
        zone, name = "europe-west1-b", f"gke-train-a3u-0b5c9a1e-{i:04}"
        labels = zoned("europe-west1", zone, "a3-ultragpu-8g") | {
            "cloud.google.com/gce-topology-block": "2b1f1b1a0c3d4e5f60718293a4b5c6d7",
            "cloud.google.com/gce-topology-host": f"{zlib.crc32(name.encode()):032x}",
            "cloud.google.com/gce-topology-subblock": f"{(i // 2 + 1) * 11:032x}",
            "cloud.google.com/gke-accelerator": "nvidia-h200-141gb",
            "cloud.google.com/gke-accelerator-count": "8",
            "cloud.google.com/gke-gpu": "true",
            "cloud.google.com/gke-gpu-driver-version": "latest",
            "cloud.google.com/gke-nodepool": "a3u",
            "cloud.google.com/gke-provisioning": "standard",
            "topology.gke.io/zone": zone,
        }
        devices = {"nvidia.com/gpu": "8"}
        for network in ("gvnic-1", *(f"rdma-{at}" for at in range(8))):
            devices[f"networking.gke.io.networks/{network}"] = "1"
            devices[f"networking.gke.io.networks/{network}.IP"] = "1"
        have = sizes("223610m", 3011216452, "11734119342456", **devices)
        found.append(
            node(
                name,
                labels,
                have,
                kubelet="v1.35.1-gke.1396000",
                provider=f"gce://train-eu/{zone}/{name}",
                taints=(GPU_TAINT,),
                os_image="Container-Optimized OS from Google",
            )
        )
    return found
