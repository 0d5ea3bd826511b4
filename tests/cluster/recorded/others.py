"""Clusters on AKS, CoreWeave and OKE."""

from __future__ import annotations

import zlib

from tests.cluster.recorded.parts import Json, gfd, node, sizes, zoned


def aks() -> list[Json]:
    """AKS pools: it labels GPU nodes as `nvidia` and no more; the VM size names the GPU."""
    sku = {"key": "sku", "value": "gpu", "effect": "NoSchedule"}
    spot = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}

    def made(pool: str, i: int, size: str, have: Json, labels: Json, *taints: Json) -> Json:
        zone = f"westeurope-{i % 3 + 1}" if pool != "t4spot" else "0"
        name = f"aks-{pool}-31415926-vmss00000{i}"
        common = zoned("westeurope", zone, size) | {
            "agentpool": pool,
            "kubernetes.azure.com/agentpool": pool,
            "kubernetes.azure.com/cluster": "MC_bookstore_eu_westeurope",
            "kubernetes.azure.com/kubelet-identity-client-id": "00000000-0000-4000-8000-000000000000",
            "kubernetes.azure.com/mode": "system" if pool == "system" else "user",
            "kubernetes.azure.com/node-image-version": "AKSUbuntu-2404gen2containerd-202605.12.0",
            "kubernetes.azure.com/os-sku": "Ubuntu",
            "kubernetes.azure.com/role": "agent",
            "node.kubernetes.io/agent-pool": pool,
            "topology.disk.csi.azure.com/zone": zone,
        }
        where = (
            "azure:///subscriptions/00000000-0000-4000-8000-000000000000/resourceGroups/"
            f"mc_bookstore/providers/Microsoft.Compute/virtualMachineScaleSets/aks-{pool}/{i}"
        )
        return node(name, common | labels, have, kubelet="v1.34.6", provider=where, taints=taints)

    gpu = {"accelerator": "nvidia", "kubernetes.azure.com/accelerator": "nvidia"}
    a100 = sizes("23660m", 220123456, "119703055367", **{"nvidia.com/gpu": "1"})
    t4 = sizes("7820m", 53012440, "119703055367", **{"nvidia.com/gpu": "1"})
    cheap = {
        "kubernetes.azure.com/priority": "spot",
        "kubernetes.azure.com/scalesetpriority": "spot",
    }
    found = [made("a100", i, "Standard_NC24ads_A100_v4", a100, gpu, sku) for i in range(2)]
    found += [
        made("t4spot", i, "Standard_NC8as_T4_v3", t4, gpu | cheap, sku, spot) for i in range(2)
    ]
    plain = sizes("3860m", 14456836, "119703055367", 250)
    found.append(made("system", 0, "Standard_D4ds_v5", plain, {}))
    return found


def coreweave() -> list[Json]:
    """CoreWeave: class, model and memory by its own labels; RDMA as a flag."""
    found = []
    for i in range(3):
        name = f"g8a3f{i:02}"
        labels = {
            "backend.coreweave.cloud/fabric": "us-east-04a-ib1",
            "backend.coreweave.cloud/flavor": "infiniband",
            "backend.coreweave.cloud/leafgroup": str(12 + i // 2),
            "compute.coreweave.com/node-pool": "h100-train",
            "compute.coreweave.com/node-pool-uid": "7d0f0f2e-0000-4000-8000-000000000000",
            "gpu.nvidia.com/class": "H100",
            "gpu.nvidia.com/count": "8",
            "gpu.nvidia.com/model": "H100_NVLINK_80GB",
            "gpu.nvidia.com/vram": "81",
            "ib.coreweave.cloud/fabric": "us-east-04a-ib1",
            "ib.coreweave.cloud/speed": "400G",
            "node.coreweave.cloud/class": "gpu",
            "node.coreweave.cloud/cpu": "intel-xeon-platinum-8462y",
            "node.coreweave.cloud/rack": str(201 + i),
            "node.coreweave.cloud/state": "production",
            "node.coreweave.cloud/type": "gd-8xh100ib-i128",
            "node.kubernetes.io/instance-type": "gd-8xh100ib-i128",
            "topology.kubernetes.io/region": "US-EAST-04",
            "topology.kubernetes.io/zone": "US-EAST-04A",
        }
        devices = {"nvidia.com/gpu": "8", "rdma/ib": "1k"}
        have = sizes("127", 2113405388, "7602131107000", **devices)
        found.append(node(name, labels, have, kubelet="v1.35.2"))
    labels = {
        "compute.coreweave.com/node-pool": "cpu",
        "node.coreweave.cloud/class": "cpu",
        "node.coreweave.cloud/state": "production",
        "node.kubernetes.io/instance-type": "cd-gp-a192-genoa",
        "topology.kubernetes.io/zone": "US-EAST-04A",
    }
    found.append(
        node("c17d2aa", labels, sizes("191", 1584000000, "7602131107000"), kubelet="v1.35.2")
    )
    return found


def oke() -> list[Json]:
    """OKE on bare metal: virtual functions by SR-IOV, the place in the network by labels."""
    found = []
    for i in range(4):
        labels = gfd("NVIDIA-H100-80GB-HBM3", 8, 81559, "hopper", "9.0", mig_strategy="single")
        labels |= zoned("eu-frankfurt-1", "EU-FRANKFURT-1-AD-1", "BM.GPU.H100.8") | {
            "nvidia.com/gpu": "true",
            "oci.oraclecloud.com/rdma.host_id": f"{i + 1:09x}",
            "oci.oraclecloud.com/rdma.hpc_island_id": "2sd6ihlwf2a",
            "oci.oraclecloud.com/rdma.local_block_id": f"5tjxbt{i // 2 + 3}h6rq",
            "oci.oraclecloud.com/rdma.network_block_id": "7xmzl4p4wba",
        }
        devices = {"nvidia.com/gpu": "8", "nvidia.com/rdma-vf": "16"}
        have = sizes("223700m", 2082816452, "3100000000000", **devices)
        where = f"ocid1.instance.oc1.eu-frankfurt-1.{zlib.crc32(str(i).encode()):08x}"
        made = node(f"10.0.12.{i + 7}", labels, have, kubelet="v1.34.2", provider=where)
        made["spec"]["taints"] = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]
        found.append(made)
    return found
