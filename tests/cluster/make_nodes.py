"""Writes the recorded clusters in nodes/*.json, in the form that `kubectl get … -o json` prints.

Run it after a change: `python tests/cluster/make_nodes.py`. A test holds files and script together.
Label keys and values are those that GPU Feature Discovery, the GPU Operator, NFD and the providers
write; names, addresses and ids are made up.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FOLDER = Path(__file__).parent / "nodes"
KIB = 1024
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
DRIVER, CUDA = "580.95.05", "13.0"
DRIVER_PARTS = DRIVER.split(".")


# ---------------------------------------------------------------------------------- the parts


def node(
    name: str,
    labels: Json,
    have: Json,
    *,
    kubelet: str,
    arch: str = "amd64",
    provider: str | None = None,
    taints: tuple[Json, ...] = (),
    capacity: Json | None = None,
    os_image: str = "Ubuntu 24.04.3 LTS",
    ready: bool = True,
    unschedulable: bool = False,
) -> Json:
    """A Node with what surrounds the parts that matter in real output."""
    seed = zlib.crc32(name.encode())
    base = {
        "beta.kubernetes.io/arch": arch,
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": arch,
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
    }
    spec: Json = {"podCIDR": f"10.{seed % 200}.{seed // 200 % 250}.0/24"}
    if provider:
        spec["providerID"] = provider
    if taints:
        spec["taints"] = list(taints)
    if unschedulable:
        spec["unschedulable"] = True
    stamp = f"2026-05-{seed % 27 + 1:02}T08:{seed % 60:02}:00Z"
    status = {
        "addresses": [
            {"address": f"10.0.{seed % 250}.{seed // 250 % 250}", "type": "InternalIP"},
            {"address": name, "type": "Hostname"},
        ],
        "allocatable": have,
        "capacity": capacity or have | {"cpu": str(-(-_milli(have["cpu"]) // 1000))},
        "conditions": [
            _condition("MemoryPressure", "False", "KubeletHasSufficientMemory", stamp),
            _condition("DiskPressure", "False", "KubeletHasNoDiskPressure", stamp),
            _condition("PIDPressure", "False", "KubeletHasSufficientPID", stamp),
            _condition("Ready", "True" if ready else "Unknown", "KubeletReady", stamp),
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "images": [
            {"names": [f"registry.k8s.io/pause@sha256:{seed:064x}"], "sizeBytes": 320368},
        ],
        "nodeInfo": {
            "architecture": arch,
            "bootID": f"{seed:08x}-0000-4000-8000-000000000000",
            "containerRuntimeVersion": "containerd://2.1.4",
            "kernelVersion": "6.8.0-85-generic",
            "kubeProxyVersion": kubelet,
            "kubeletVersion": kubelet,
            "machineID": f"{seed:032x}",
            "operatingSystem": "linux",
            "osImage": os_image,
            "systemUUID": f"{seed:08x}-1111-4000-8000-000000000000",
        },
    }
    metadata = {
        "annotations": {
            "node.alpha.kubernetes.io/ttl": "0",
            "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        },
        "creationTimestamp": stamp,
        "labels": dict(sorted((base | labels).items())),
        "name": name,
        "resourceVersion": str(seed),
        "uid": f"{seed:08x}-2222-4000-8000-000000000000",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def sizes(cpu: str, memory_ki: int, disk: str, pods: int = 110, **devices: str) -> Json:
    """Allocatable, with the zeroes that kubelet prints."""
    return {
        "cpu": cpu,
        "ephemeral-storage": disk,
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{memory_ki}Ki",
        "pods": str(pods),
    } | devices


def gfd(product: str, count: int, memory: int, family: str, capability: str, **more: str) -> Json:
    """What GPU Feature Discovery writes. `more` overrules, `_` in its names stands for a dot."""
    major, minor = capability.split(".")
    return {
        "nvidia.com/cuda.driver-version.full": DRIVER,
        "nvidia.com/cuda.driver-version.major": DRIVER_PARTS[0],
        "nvidia.com/cuda.driver-version.minor": DRIVER_PARTS[1],
        "nvidia.com/cuda.driver-version.revision": DRIVER_PARTS[2],
        "nvidia.com/cuda.driver.major": DRIVER_PARTS[0],
        "nvidia.com/cuda.runtime-version.full": CUDA,
        "nvidia.com/cuda.runtime.major": CUDA.partition(".")[0],
        "nvidia.com/gfd.timestamp": str(1780000000 + memory + count),
        "nvidia.com/gpu.compute.major": major,
        "nvidia.com/gpu.compute.minor": minor,
        "nvidia.com/gpu.count": str(count),
        "nvidia.com/gpu.family": family,
        "nvidia.com/gpu.machine": "ThinkSystem-SR680a-V3",
        "nvidia.com/gpu.memory": str(memory),
        "nvidia.com/gpu.mode": "compute",
        "nvidia.com/gpu.product": product,
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/gpu.sharing-strategy": "none",
        "nvidia.com/mig.capable": "true" if family != "turing" else "false",
        "nvidia.com/mps.capable": "false",
        "nvidia.com/vgpu.present": "false",
    } | {f"nvidia.com/{key.replace('_', '.')}": value for key, value in more.items()}


def operator(**more: str) -> Json:
    """What the GPU Operator and NFD add to it."""
    parts = ("container-toolkit", "dcgm", "dcgm-exporter", "device-plugin", "driver")
    parts += ("gpu-feature-discovery", "node-status-exporter", "operator-validator")
    return {
        "feature.node.kubernetes.io/cpu-cpuid.AVX512F": "true",
        "feature.node.kubernetes.io/cpu-model.vendor_id": "Intel",
        "feature.node.kubernetes.io/kernel-version.full": "6.8.0-85-generic",
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "feature.node.kubernetes.io/system-os_release.ID": "ubuntu",
        **{f"nvidia.com/gpu.deploy.{part}": "true" for part in parts},
        "nvidia.com/gpu-driver-upgrade-state": "upgrade-done",
        "nvidia.com/gpu.present": "true",
    } | {f"nvidia.com/{key.replace('_', '.')}": value for key, value in more.items()}


def pod(name: str, on: str, owner: str | None, *requests: Json, **more: Any) -> Json:
    """A Pod of one container for each requests; `more` goes into its spec, `phase` into its status."""
    seed = zlib.crc32(f"{name}/{on}".encode())
    phase = more.pop("phase", "Running")
    metadata: Json = {
        "name": f"{name}-{seed % 99999:05}",
        "namespace": more.pop("namespace", "kube-system"),
        "uid": f"{seed:08x}-3333-4000-8000-000000000000",
    }
    if owner:
        metadata["ownerReferences"] = [
            {"apiVersion": "apps/v1", "controller": True, "kind": owner, "name": name}
        ]
    containers = [
        {"name": f"c{i}", "image": f"registry.example/{name}:1", "resources": {"requests": asked}}
        for i, asked in enumerate(requests)
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": on, "containers": containers} | more,
        "status": {"phase": phase},
    }


def zoned(region: str, zone: str, instance: str) -> Json:
    return {
        "beta.kubernetes.io/instance-type": instance,
        "failure-domain.beta.kubernetes.io/region": region,
        "failure-domain.beta.kubernetes.io/zone": zone,
        "node.kubernetes.io/instance-type": instance,
        "topology.kubernetes.io/region": region,
        "topology.kubernetes.io/zone": zone,
    }


def _condition(kind: str, status: str, reason: str, stamp: str) -> Json:
    return {"type": kind, "status": status, "reason": reason, "lastTransitionTime": stamp}


def _milli(cpu: str) -> int:
    return int(cpu[:-1]) if cpu.endswith("m") else int(cpu) * 1000


# ------------------------------------------------------------------------------- the clusters


def bare_metal() -> list[Json]:
    """GPU Operator and Network Operator on our own machines; nodes and pods, so that DaemonSets count."""
    version = "v1.36.2"
    fabric = {
        "feature.node.kubernetes.io/pci-15b3.present": "true",
        "feature.node.kubernetes.io/rdma.capable": "true",
        "network.nvidia.com/operator.mofed.wait": "false",
    }
    found = []
    for i in range(4):
        labels = gfd("NVIDIA-H100-80GB-HBM3", 8, 81559, "hopper", "9.0", mig_strategy="single")
        labels |= operator(mig_config="all-disabled", **{"mig_config.state": "success"}) | fabric
        labels |= {
            "topology.kubernetes.io/zone": f"room-{i // 2 + 1}",
            "example.com/pool": "h100",
            "example.com/asset": f"A-{4711 + i}",
        }
        # The kernel's share of memory differs from boot to boot.
        devices = {"nvidia.com/gpu": "8", "rdma/hca_shared_devices_a": "63"}
        have = sizes("223", 2113370112 - i * 1310720, "6917529027641", **devices)
        found.append(node(f"h100-{i + 1:02}", labels, have, kubelet=version, taints=(GPU_TAINT,)))
    for i in range(3):
        role = {"node-role.kubernetes.io/control-plane": ""}
        taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
        have = sizes("15", 65000000, "480000000000")
        found.append(node(f"cp-{i + 1}", role, have, kubelet="v1.36.4", taints=(taint,)))
    for each in [n["metadata"]["name"] for n in found if "h100" in n["metadata"]["name"]]:
        found += [
            pod("cilium", each, "DaemonSet", {"cpu": "100m", "memory": "512Mi"}),
            pod("node-exporter", each, "DaemonSet", {"cpu": "102m", "memory": "180Mi"}),
            pod("nvidia-dcgm-exporter", each, "DaemonSet", {"cpu": "250m", "memory": "1Gi"}),
            pod(
                "csi-node",
                each,
                "DaemonSet",
                {"cpu": "30m", "memory": "60Mi", "ephemeral-storage": "2Gi"},
                {"cpu": "10m", "memory": "20Mi"},
                initContainers=[{"name": "i", "resources": {"requests": {"cpu": "500m"}}}],
            ),
            pod("kube-proxy", each, "Node", {"cpu": "100m"}),
        ]
    found += [
        pod("fluent-bit", "h100-02", "DaemonSet", {"cpu": "1", "memory": "1500M"}),
        pod("old-agent", "h100-02", "DaemonSet", {"cpu": "64"}, phase="Failed"),
        pod("chat", "h100-01", "ReplicaSet", {"cpu": "90", "memory": "900Gi"}, namespace="serving"),
        pod("kube-apiserver", "cp-1", "Node", {"cpu": "250m"}),
    ]
    return found


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


def eks(name: str, instance: str, zone: str, have: Json, labels: Json, **more: Any) -> Json:
    """A node on EC2."""
    common = zoned("eu-west-1", zone, instance) | {
        "k8s.io/cloud-provider-aws": "5553ae84a0d29114870f67bbabd07d44",
        "topology.k8s.aws/zone-id": f"euw1-az{'abc'.index(zone[-1]) + 1}",
    }
    where = f"aws:///{zone}/i-{zlib.crc32(name.encode()):017x}"
    kubelet = more.pop("kubelet", "v1.35.4-eks-3abbec1")
    return node(
        name,
        common | labels,
        have,
        kubelet=kubelet,
        provider=where,
        os_image="Amazon Linux 2023.9.20251014",
        **more,
    )


def eks_managed() -> list[Json]:
    """Managed node groups with the device plugin alone: no label names the GPU, the instance type does."""
    taint = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}

    def grouped(group: str, kind: str) -> Json:
        return {
            "alpha.eksctl.io/cluster-name": "bookstore",
            "alpha.eksctl.io/nodegroup-name": group,
            "eks.amazonaws.com/capacityType": kind,
            "eks.amazonaws.com/nodegroup": group,
            "eks.amazonaws.com/nodegroup-image": "ami-0c1d2e3f4a5b6c7d8",
            "eks.amazonaws.com/sourceLaunchTemplateVersion": "3",
        }

    found = []
    for i, zone in enumerate(("eu-west-1a", "eu-west-1b", "eu-west-1c")):
        have = sizes("47810m", 191534580, "190300000000", 234, **{"nvidia.com/gpu": "4"})
        labels = grouped("g5_Spot", "SPOT")
        name = f"ip-10-1-{i}-17.eu-west-1.compute.internal"
        found.append(eks(name, "g5.12xlarge", zone, have, labels, taints=(taint,)))
    for i in range(2):
        have = sizes("95690m", 1166370816, "7600000000000", 737, **{"nvidia.com/gpu": "8"})
        have |= {"vpc.amazonaws.com/efa": "4", "hugepages-2Mi": "10562Mi"}
        name = f"ip-10-1-9-{i + 20}.eu-west-1.compute.internal"
        labels = grouped("p4d", "ON_DEMAND") | {"node.kubernetes.io/lifecycle": "normal"}
        found.append(eks(name, "p4d.24xlarge", "eu-west-1b", have, labels, taints=(taint,)))
    have = sizes("1930m", 7291204, "18242267924", 29)
    name = "ip-10-1-4-4.eu-west-1.compute.internal"
    system = grouped("system", "ON_DEMAND")
    found.append(eks(name, "m6i.large", "eu-west-1a", have, system, kubelet="v1.34.8-eks-3abbec1"))
    return found


def karpenter_labels(
    domain: str, instance: str, gpu: str, count: int, memory: int, pool: str, kind: str
) -> Json:
    family, _, size = instance.partition(".")
    return {
        f"{domain}/instance-category": family[0],
        f"{domain}/instance-cpu-manufacturer": "amd",
        f"{domain}/instance-family": family,
        f"{domain}/instance-generation": "".join(c for c in family if c.isdigit())[:1],
        f"{domain}/instance-gpu-count": str(count),
        f"{domain}/instance-gpu-manufacturer": "nvidia",
        f"{domain}/instance-gpu-memory": str(memory),
        f"{domain}/instance-gpu-name": gpu,
        f"{domain}/instance-hypervisor": "nitro",
        f"{domain}/instance-size": size,
        "karpenter.sh/capacity-type": kind,
        "karpenter.sh/initialized": "true",
        "karpenter.sh/nodepool": pool,
        "karpenter.sh/registered": "true",
    }


def eks_karpenter() -> list[Json]:
    """One Karpenter pool of many instance types, some spot, one node about to be replaced."""
    taint = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}
    going = {"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}
    rows = [
        ("g5.xlarge", "a10g", 1, 24576, "on-demand", "3920m", 15076692, 58, {}),
        ("g5.xlarge", "a10g", 1, 24576, "on-demand", "3920m", 15076700, 58, {}),
        ("g6.2xlarge", "l4", 1, 22888, "spot", "7910m", 30965044, 58, {}),
        ("g6.2xlarge", "l4", 1, 22888, "on-demand", "7910m", 30965044, 58, {}),
        ("g6.12xlarge", "l4", 4, 22888, "spot", "47810m", 190124448, 234, {}),
        ("p5.48xlarge", "h100", 8, 81920, "reserved", "191450m", 2063392212, 100, {"efa": "32"}),
        ("p4de.24xlarge", "a100", 8, 81920, "on-demand", "95690m", 1166370816, 737, {"efa": "4"}),
        ("p5.48xlarge", "h100", 8, 81920, "reserved", "191450m", 2063392212, 100, {"efa": "32"}),
        ("p5.48xlarge", "h100", 8, 81920, "reserved", "191450m", 2063392212, 100, {"efa": "32"}),
    ]
    found = []
    for i, (instance, gpu, count, memory, kind, cpu, ki, pods, extra) in enumerate(rows):
        domain = "karpenter.k8s.aws"
        labels = karpenter_labels(domain, instance, gpu, count, memory, "gpu", kind)
        labels |= {f"{domain}/ec2nodeclass": "gpu"}
        have = sizes(cpu, ki, "189199786820", pods, **{"nvidia.com/gpu": str(count)})
        if extra:
            have |= {"vpc.amazonaws.com/efa": extra["efa"], "hugepages-2Mi": "10562Mi"}
            # The cloud controller manager's, for instance types that EC2 tells a topology of.
            leaf = "a" if i < 8 else "b"
            layers = ("nn-0c1d2e3f405162738", "nn-1c1d2e3f405162738", f"nn-2c1d2e3f40516273{leaf}")
            for layer, value in enumerate(layers, 1):
                labels[f"topology.k8s.aws/network-node-layer-{layer}"] = value
        name = f"ip-10-2-{i}-{40 + i}.eu-west-1.compute.internal"
        taints = (taint, going) if i == 1 else (taint,)
        zone = "eu-west-1b" if instance == "p5.48xlarge" else f"eu-west-1{'ab'[i % 2]}"
        found.append(eks(name, instance, zone, have, labels, taints=taints, unschedulable=i == 3))
    return found


def eks_auto() -> list[Json]:
    """EKS Auto Mode: its own label domain, nothing of NVIDIA to be seen in the cluster."""
    taint = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}
    found = []
    for i in range(3):
        labels = karpenter_labels(
            "eks.amazonaws.com", "g6e.4xlarge", "l40s", 1, 45776, "inference", "on-demand"
        )
        labels |= {
            "eks.amazonaws.com/compute-type": "auto",
            "eks.amazonaws.com/nodeclass": "default",
        }
        have = sizes("15890m", 126214172, "76224326324", 234, **{"nvidia.com/gpu": "1"})
        zone = f"eu-west-1{'abc'[i]}"
        found.append(
            eks(f"i-0{i}a1b2c3d4e5f6a7b", "g6e.4xlarge", zone, have, labels, taints=(taint,))
        )
    labels = {"eks.amazonaws.com/compute-type": "auto", "karpenter.sh/nodepool": "system"}
    labels |= {"karpenter.sh/capacity-type": "on-demand"}
    have = sizes("1780m", 3194068, "76224326324", 27)
    found.append(eks("i-0f9e8d7c6b5a4f3e2", "c6g.large", "eu-west-1a", have, labels, arch="arm64"))
    return found


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


def shared() -> list[Json]:
    """MIG mixed and single, time-slicing renamed and not, MPS, and everything that can be broken."""
    version = "v1.36.2"
    a100 = ("NVIDIA-A100-SXM4-80GB", 8, 81920, "ampere", "8.0")
    h100 = ("NVIDIA-H100-80GB-HBM3", 8, 81559, "hopper", "9.0")

    def made(name: str, labels: Json, gpus: Json, **more: Any) -> Json:
        have = sizes("126", 1055896780, "3300000000000", **gpus)
        return node(name, labels, have, kubelet=version, taints=(GPU_TAINT,), **more)

    def small(name: str, labels: Json, gpus: Json, **more: Any) -> Json:
        have = sizes("31", 262000000, "900000000000", **gpus)
        return node(name, labels, have, kubelet=version, taints=(GPU_TAINT,), **more)

    # Four GPUs whole, four cut in the balanced way.
    balanced = {"gpu": "4", "mig-1g.10gb": "8", "mig-2g.20gb": "4", "mig-3g.40gb": "4"}
    mixed = gfd(*a100, mig_strategy="mixed") | operator(mig_config="half-balanced")
    for profile, count in list(balanced.items())[1:]:
        mixed[f"nvidia.com/{profile}.product"] = f"{a100[0]}-{profile.upper().replace('G', 'g')}"
        mixed[f"nvidia.com/{profile}.count"] = count
        mixed[f"nvidia.com/{profile}.replicas"] = "1"
    found = [
        made(f"mig-mixed-{i}", mixed, {f"nvidia.com/{k}": v for k, v in balanced.items()})
        for i in (1, 2)
    ]
    # All GPUs cut alike, under the plain name; and a node whose layout was left half done.
    single = gfd(f"{h100[0]}-MIG-1g.10gb", 56, 9856, *h100[3:], mig_strategy="single")
    state = {"mig_config": "all-1g.10gb", "mig_config.state": "success"}
    found.append(made("mig-single-1", single | operator(**state), {"nvidia.com/gpu": "56"}))
    invalid = gfd(f"{h100[0]}-MIG-INVALID", 0, 0, *h100[3:], mig_strategy="single")
    invalid |= operator(**state) | {"nvidia.com/gpu.replicas": "0"}
    found.append(made("mig-single-2", invalid, {"nvidia.com/gpu": "0"}))
    # Shares under the plain name, under a name of their own, and by MPS.
    sliced = {"gpu_replicas": "4", "gpu_sharing-strategy": "time-slicing"}
    config = {"device-plugin_config": "time-sliced"}
    t4 = ("turing", "7.5")
    labels = gfd("Tesla-T4-SHARED", 2, 15360, *t4, **sliced) | operator(**config)
    found += [small(f"t4-shared-{i}", labels, {"nvidia.com/gpu": "8"}) for i in (1, 2)]
    labels = gfd("Tesla-T4", 2, 15360, *t4, **sliced) | operator(**config)
    renamed = {"nvidia.com/gpu": "0", "nvidia.com/gpu.shared": "8"}
    found.append(small("t4-renamed-1", labels, renamed))
    mps = {"gpu_replicas": "10", "gpu_sharing-strategy": "mps", "mps_capable": "true"}
    labels = gfd("NVIDIA-L40S-SHARED", 1, 46068, "ada-lovelace", "8.9", **mps) | operator()
    found.append(small("l40s-mps-1", labels, {"nvidia.com/gpu": "10"}))
    # Whole A100 nodes: one in order, one with a dead GPU, one in the middle of a driver upgrade, one
    # that the operator was told to leave alone, one that is given to DRA.
    whole = gfd(*a100, mig_strategy="mixed") | operator(mig_config="all-disabled")
    eight = {"nvidia.com/gpu": "8"}
    found.append(made("a100-1", whole, eight))
    dead = made("a100-2", whole, {"nvidia.com/gpu": "7"})
    dead["status"]["capacity"]["nvidia.com/gpu"] = "8"
    upgrading = whole | {"nvidia.com/gpu-driver-upgrade-state": "pod-restart-required"}
    off = whole | {"nvidia.com/gpu.deploy.device-plugin": "false"}
    dra = whole | {"nvidia.com/gpu.deploy.dra-driver": "true"}
    found += [
        dead,
        made("a100-3", upgrading, {"nvidia.com/gpu": "0"}, unschedulable=True),
        made("a100-4", off, {}),
        made("a100-5", dra, {}),
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "a100-5-gpu.nvidia.com-x7k2p"},
            "spec": {"driver": "gpu.nvidia.com", "nodeName": "a100-5", "devices": []},
        },
    ]
    return found


def accelerators() -> list[Json]:
    """Grace on arm64 (GB200 racks, GH200), AMD, a GPU that our table does not have, and Gaudi."""
    version = "v1.36.0+rke2r1"
    found = []
    for i in range(3):
        labels = gfd("NVIDIA-GB200", 4, 189471, "blackwell", "10.0", mig_strategy="none")
        labels |= operator(**{"gpu_clique": "6f2b6bd4-7e8a-4c55-9d5e-000000000001.32766"})
        labels |= {"topology.kubernetes.io/zone": "hall-2", "example.com/rack": "nvl72-1"}
        devices = {"nvidia.com/gpu": "4", "rdma/rdma_shared_device_a": "63"}
        have = sizes("143500m", 930000000, "3600000000000", **devices)
        name = f"gb200-r1-{i:02}"
        found.append(node(name, labels, have, kubelet=version, arch="arm64", taints=(GPU_TAINT,)))
    labels = gfd("NVIDIA-GH200-480GB", 1, 97871, "hopper", "9.0", mig_strategy="none") | operator()
    have = sizes("71", 480000000, "1800000000000", **{"nvidia.com/gpu": "1"})
    found.append(node("gh200-1", labels, have, kubelet=version, arch="arm64", taints=(GPU_TAINT,)))
    amd = {
        "amd.com/gpu.cu-count": "304",
        "amd.com/gpu.device-id": "74a1",
        "amd.com/gpu.family": "AI",
        "amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM",
        "amd.com/gpu.simd-count": "1216",
        "amd.com/gpu.vram": "192G",
        "feature.node.kubernetes.io/amd-gpu": "true",
    }
    taint = {"key": "amd.com/gpu", "effect": "NoSchedule"}
    have = sizes("383", 2377000000, "14000000000000", **{"amd.com/gpu": "8"})
    found.append(node("mi300x-1", amd, have, kubelet=version, taints=(taint,)))
    desk = gfd("NVIDIA-GeForce-RTX-4090", 2, 24564, "ada-lovelace", "8.9") | operator()
    have = sizes("31", 131000000, "900000000000", **{"nvidia.com/gpu": "2"})
    found.append(node("desk-1", desk, have, kubelet=version))
    have = sizes("159", 1055000000, "3600000000000", **{"habana.ai/gaudi": "8"})
    found.append(node("gaudi-1", {}, have, kubelet=version))
    return found


CLUSTERS = {
    "accelerators": accelerators,
    "aks": aks,
    "bare-metal": bare_metal,
    "coreweave": coreweave,
    "eks-auto": eks_auto,
    "eks-karpenter": eks_karpenter,
    "eks-managed": eks_managed,
    "gke": gke,
    "gke-rdma": gke_rdma,
    "oke": oke,
    "shared": shared,
}


def text_of(name: str) -> str:
    """The recorded output of a cluster."""
    value = {
        "apiVersion": "v1",
        "items": CLUSTERS[name](),
        "kind": "List",
        "metadata": {"resourceVersion": ""},
    }
    return json.dumps(value, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for cluster in CLUSTERS:
        (FOLDER / f"{cluster}.json").write_text(text_of(cluster))
