"""From the nodes of a cluster to a placed pod, for AMD's GPUs, Gaudi and Intel's GPUs.

The nodes are recorded ones of tests/cluster/nodes, with the labels that the makers' labellers write.
"""

import json
from pathlib import Path
from typing import Any

import yaml

from tests.stories.conftest import Desk, Done

Values = dict[str, Any]
NODES = Path(__file__).parents[1] / "cluster/nodes"
SERVER = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {{name: chat, namespace: serving}}
spec:
  runtime: vllm
  image: {image}
  model:
    id: Qwen/Qwen3-8B
    revision: b968826d9c46dd6066d109eabc6255188de91218
    size: 16Gi
    source: {{pvc: weights, path: qwen3-8b}}
  gpu: {gpu}
  context: 8192
  replicas: 2
"""
TRAINING = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {{name: train, namespace: research}}
spec:
  image: {image}
  command: [python, -m, train]
  gpu: {gpu}
  workers: {workers}
  launcher: torchrun
"""
ROCM = "vllm/vllm-openai-rocm:v0.33.0"
SYNAPSE = (
    "vault.habana.ai/gaudi-docker/1.24.0/ubuntu22.04/habanalabs/pytorch-installer-2.10.0:1.24.0-695"
)


def discovered(desk: Desk, cluster: str, **gpu: list[int]) -> None:
    """The profile of a recorded cluster, with what its nodes do not show written in."""
    desk.write("nodes.json", (NODES / f"{cluster}.json").read_text())
    found = desk.run("cluster discover nodes.json --name here")
    assert found.code == 0, found.said
    profile = yaml.safe_load(found.out)
    for pool in profile["spec"]["pools"]:
        pool["gpu"] |= gpu
    desk.write("here.yaml", yaml.safe_dump(profile, sort_keys=False))


def carried(desk: Desk, spec: str) -> tuple[Values, Done]:
    """The pod's spec that comes of a workload, and what fit says; the linter has no error of it."""
    desk.write("spec.yaml", spec)
    made = desk.run("render spec.yaml -c here.yaml")
    assert made.code == 0, made.said
    assert "find no GPU" not in made.said
    desk.write("made.yaml", made.out)
    linted = desk.run("lint made.yaml -c here.yaml --format json")
    said = {one["rule"] for one in json.loads(linted.out)}
    # A gang is a queue's to start, and this profile names none.
    assert said <= {"GPU701", "GPU906"}, said
    fit = desk.run("fit spec.yaml -c here.yaml")
    assert fit.code == 0 and "placed" in fit.out, fit.out
    job = next(one for one in yaml.safe_load_all(made.out) if one["kind"] in ("Job", "Deployment"))
    return job["spec"]["template"]["spec"], fit


def main(pod: Values) -> Values:
    """Its only container."""
    (container,) = pod["containers"]
    return dict(container)


def test_amd(desk: Desk) -> None:
    """A small server gets a partition, a training whole GPUs, each in the groups of the nodes."""
    discovered(desk, "amd", groups=[44, 109])
    pod, fit = carried(desk, SERVER.format(image=ROCM, gpu="{memory: 20Gi}"))
    assert pod["securityContext"]["supplementalGroups"] == [44, 109]
    assert main(pod)["resources"]["limits"]["amd.com/cpx_nps1"] == "1"
    assert "2 pods on 1 node of mi300x-cpx-nps1" in fit.out
    gpu = "{models: [MI300X], count: 8}"
    training = TRAINING.format(image="rocm/pytorch-training:v25.11", gpu=gpu, workers=2)
    pod, fit = carried(desk, training)
    assert main(pod)["resources"]["limits"]["amd.com/gpu"] == "8"
    assert "2 pods on 2 nodes of mi300x-x8" in fit.out
    assert "amd.com/gpu.compute-memory-partition" in str(pod["affinity"])
    assert "CUDA" not in str(pod) and "NVIDIA" not in str(pod)


def test_a_cuda_image_finds_no_pool_there(desk: Desk) -> None:
    discovered(desk, "amd", groups=[44, 109])
    desk.write("spec.yaml", SERVER.format(image="vllm/vllm-openai:v0.33.0", gpu="{memory: 20Gi}"))
    refused = desk.run("render spec.yaml -c here.yaml")
    assert refused.code == 1
    assert "the image is built for devices of NVIDIA, and MI300X is none" in refused.said


def test_gaudi(desk: Desk) -> None:
    """Huge pages go with the accelerators, and nobody misses a fabric."""
    discovered(desk, "gaudi")
    gpu = "{models: [Gaudi3], count: 8}"
    pod, fit = carried(desk, TRAINING.format(image=SYNAPSE, gpu=gpu, workers=2))
    limits = main(pod)["resources"]["limits"]
    assert (limits["habana.ai/gaudi"], limits["hugepages-2Mi"]) == ("8", "156300Mi")
    assert "2 pods on 2 nodes of gaudi3" in fit.out
    assert "supplementalGroups" not in pod["securityContext"]
    explained = desk.run("explain spec.yaml -c here.yaml")
    assert "HCCL uses the" in explained.out and "over TCP" not in explained.said


def test_intel(desk: Desk) -> None:
    """Whole GPUs of the Max Series for a training; turns on a Flex card for what may be shared."""
    discovered(desk, "intel", groups=[992])
    image = "intel/intel-extension-for-pytorch:2.8.10-xpu"
    gpu = "{models: [Max-1550], count: 4}"
    pod, fit = carried(desk, TRAINING.format(image=image, gpu=gpu, workers=1))
    assert main(pod)["resources"]["limits"]["gpu.intel.com/xe"] == "4"
    assert "1 pod on 1 node of max-1550" in fit.out
    scoring = f"""\
apiVersion: gpuspec.dev/v1alpha1
kind: BatchInference
metadata: {{name: score, namespace: research}}
spec:
  image: {image}
  command: [python, -m, score]
  gpu: {{memory: 3Gi}}
  shards: {{count: 4}}
"""
    pod, fit = carried(desk, scoring)
    assert main(pod)["resources"]["limits"]["gpu.intel.com/i915"] == "1"
    assert "on 1 node of flex-170-time-sliced" in fit.out


def test_live_nodes_with_partitions_are_of_their_pool(desk: Desk) -> None:
    """The profile that was discovered from nodes knows these nodes again, partitions among them."""
    discovered(desk, "amd", groups=[44, 109])
    desk.write("spec.yaml", SERVER.format(image=ROCM, gpu="{memory: 20Gi}"))
    fit = desk.run("fit spec.yaml -c here.yaml --live nodes.json")
    assert fit.code == 0, fit.said
    assert "mi300x-cpx-nps4  1 node" in fit.out
    strangers = fit.out.partition("of no pool of the profile: ")[2].partition("\n")[0]
    assert "mi300x-cpx-1" not in strangers
