"""Clusters with TPU slices on GKE and with Neuron devices on EKS.

Label keys and values: GoogleCloudPlatform/cluster-autoscaler pkg/cloudprovider/gke/labels at 7d2505073,
aws/karpenter-provider-aws website/content/en/docs/reference/instance-types.md at 1d927085d. The Neuron
device plugin advertises the same devices whole and by core (aws-neuron/aws-neuron-sdk
deploy/includes/k8s-neuron-device-plugin.rst at e79250cba).
"""

from __future__ import annotations

import zlib

from tests.cluster.recorded.amazon import eks
from tests.cluster.recorded.parts import Json, node, sizes, zoned

TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
NEURON_TAINT = {"key": "aws.amazon.com/neuron", "effect": "NoSchedule"}

KEPT = {
    "ct5lp-hightpu-4t": ("111930m", 187904808),
    "ct5p-hightpu-4t": ("207930m", 457286236),
    "ct6e-standard-8t": ("179930m", 1486012840),
}
"""What a node of a machine type leaves for pods: CPU, and memory in Ki."""


def gke_tpu() -> list[Json]:
    """Two slices of v5e on four hosts each, hosts of v6e on their own, and a slice in repair."""
    zone, spot = "us-central1-a", {"cloud.google.com/gke-provisioning": "spot"}
    found = []
    for pool, machine, accelerator, topology, chips, hosts, labels in (
        ("v5e-16-a", "ct5lp-hightpu-4t", "tpu-v5-lite-podslice", "4x4", 4, 4, {}),
        ("v5e-16-b", "ct5lp-hightpu-4t", "tpu-v5-lite-podslice", "4x4", 4, 4, {}),
        ("v6e-8", "ct6e-standard-8t", "tpu-v6e-slice", "2x4", 8, 3, {}),
        ("v5p-16", "ct5p-hightpu-4t", "tpu-v5p-slice", "2x2x4", 4, 3, spot),
    ):
        cpu, memory = KEPT[machine]
        for i in range(hosts):
            name = f"gke-tpu-{zlib.crc32(pool.encode()):08x}-{i:04}"
            told = zoned("us-central1", zone, machine) | {
                "cloud.google.com/gke-accelerator-count": str(chips),
                "cloud.google.com/gke-nodepool": pool,
                "cloud.google.com/gke-tpu-accelerator": accelerator,
                "cloud.google.com/gke-tpu-topology": topology,
                "cloud.google.com/machine-family": machine.partition("-")[0],
                **({"cloud.google.com/gke-provisioning": "standard"} | labels),
            }
            have = sizes(cpu, memory, "94000000000", **{"google.com/tpu": str(chips)})
            where = f"gce://bookstore/{zone}/{name}"
            found.append(
                node(
                    name,
                    told,
                    have,
                    kubelet="v1.36.0-gke.3712000",
                    provider=where,
                    taints=(TPU_TAINT,),
                    os_image="Container-Optimized OS from Google",
                )
            )
    return found


def eks_neuron() -> list[Json]:
    """Trainium with EFA and Inferentia2 under Karpenter; a plugin that advertises cores alone."""
    found = []
    for i, (instance, name, count, cores, cpu, ki, efa) in enumerate(
        (
            ("trn1.32xlarge", "trainium", 16, 32, "127610m", 493459456, 8),
            ("trn1.32xlarge", "trainium", 16, 32, "127610m", 493459456, 8),
            ("inf2.8xlarge", "inferentia2", 1, 2, "31850m", 121157632, 0),
            ("inf2.48xlarge", "inferentia2", 12, 24, "191450m", 736242688, 0),
            ("inf1.6xlarge", "inferentia", None, 16, "23870m", 43556864, 0),
        )
    ):
        devices = {"aws.amazon.com/neuroncore": str(cores)}
        if count is not None:
            old = {"aws.amazon.com/neurondevice": str(count)}
            devices |= old | {"aws.amazon.com/neuron": str(count)}
        have = sizes(cpu, ki, "191000000000", 247, **devices)
        have |= {"vpc.amazonaws.com/efa": str(efa)} if efa else {}
        labels = {
            "karpenter.k8s.aws/instance-accelerator-count": str(count or 4),
            "karpenter.k8s.aws/instance-accelerator-manufacturer": "aws",
            "karpenter.k8s.aws/instance-accelerator-name": name,
            "karpenter.sh/capacity-type": "on-demand",
            "karpenter.sh/nodepool": "neuron",
        }
        host = f"ip-10-4-{i}-9.eu-west-1.compute.internal"
        found.append(eks(host, instance, "eu-west-1b", have, labels, taints=(NEURON_TAINT,)))
    return found
