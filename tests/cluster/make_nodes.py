"""Writes the recorded clusters in nodes/*.json, in the form that `kubectl get … -o json` prints.

Run it after a change: `python -m tests.cluster.make_nodes`. A test holds files and script together.
Label keys and values are those that GPU Feature Discovery, the GPU Operator, NFD and the providers
write; names, addresses and ids are made up.
"""

import json
from pathlib import Path

from tests.cluster.recorded.amazon import eks_auto, eks_karpenter, eks_managed
from tests.cluster.recorded.chips import eks_neuron, gke_tpu
from tests.cluster.recorded.google import gke, gke_rdma
from tests.cluster.recorded.makers import amd, gaudi, intel
from tests.cluster.recorded.others import aks, coreweave, oke
from tests.cluster.recorded.own import accelerators, bare_metal, openshift, shared

FOLDER = Path(__file__).parent / "nodes"
CLUSTERS = {
    "accelerators": accelerators,
    "aks": aks,
    "amd": amd,
    "bare-metal": bare_metal,
    "coreweave": coreweave,
    "eks-auto": eks_auto,
    "eks-karpenter": eks_karpenter,
    "eks-managed": eks_managed,
    "eks-neuron": eks_neuron,
    "gaudi": gaudi,
    "gke": gke,
    "gke-rdma": gke_rdma,
    "gke-tpu": gke_tpu,
    "intel": intel,
    "oke": oke,
    "openshift": openshift,
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
