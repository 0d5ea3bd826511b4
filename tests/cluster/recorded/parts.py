"""Nodes and pods with what surrounds the parts that matter in real output."""

from __future__ import annotations

import zlib
from typing import Any

Json = dict[str, Any]
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
DRIVER, CUDA = "580.95.05", "13.0"
DRIVER_PARTS = DRIVER.split(".")


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


def sizes(cpu: str, memory_ki: int, disk: str, pods: int = 110, /, **devices: str) -> Json:
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
    parts = (
        *("container-toolkit", "dcgm", "dcgm-exporter", "device-plugin", "driver"),
        *("gpu-feature-discovery", "node-status-exporter", "operator-validator"),
    )
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
