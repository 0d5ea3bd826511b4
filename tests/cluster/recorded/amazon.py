"""Clusters on EKS: managed node groups, Karpenter, Auto Mode."""

from __future__ import annotations

import zlib
from typing import Any

from tests.cluster.recorded.parts import Json, node, sizes, zoned


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
