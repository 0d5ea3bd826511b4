"""Clusters on machines of one's own, with the GPU Operator."""

from __future__ import annotations

from typing import Any

from tests.cluster.recorded.parts import GPU_TAINT, Json, gfd, node, operator, pod, sizes, zoned


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


def openshift() -> list[Json]:
    """OpenShift on AWS, with NFD and the GPU Operator; of the GPU nodes some may be taken away."""
    found = []
    for i in range(3):
        labels = gfd("NVIDIA-A10G", 1, 23028, "ampere", "8.6")
        labels |= operator() | zoned("eu-central-1", "eu-central-1a", "g5.8xlarge")
        labels |= {
            "machine.openshift.io/interruptible-instance": "",
            "node-role.kubernetes.io/worker": "",
            "node.openshift.io/os_id": "rhel",
        }
        if i == 0:
            del labels["machine.openshift.io/interruptible-instance"]
        have = sizes("31500m", 126881780, "95069439022", 250, **{"nvidia.com/gpu": "1"})
        name = f"ip-10-0-{i + 1}-17.eu-central-1.compute.internal"
        found.append(
            node(
                name,
                labels,
                have,
                kubelet="v1.33.5",
                provider=f"aws:///eu-central-1a/i-0abc{i}",
                taints=(GPU_TAINT,),
                os_image="Red Hat Enterprise Linux CoreOS 9.6.20260812-0 (Plow)",
            )
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
