"""From the nodes of a cluster to a placed pod, for TPU slices and for Neuron devices.

The nodes are recorded ones of tests/cluster/nodes, with the labels that GKE and Karpenter write.
"""

import json
from pathlib import Path
from typing import Any

import yaml

from tests.stories.conftest import Desk, Done

Values = dict[str, Any]
NODES = Path(__file__).parents[1] / "cluster/nodes"
JAX = "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.8.1-rev1"
NEURONX = "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.27.1-ubuntu24.04"
VLLM_NEURON = "public.ecr.aws/neuron/pytorch-inference-vllm-neuronx:0.13.0-neuronx-py312"


def discovered(desk: Desk, cluster: str) -> None:
    """The profile of a recorded cluster, as it is discovered."""
    desk.write("nodes.json", (NODES / f"{cluster}.json").read_text())
    found = desk.run("cluster discover nodes.json --name here")
    assert found.code == 0, found.said
    desk.write("here.yaml", found.out)


def training(image: str, gpu: str, workers: int, more: str = "") -> str:
    """A training run."""
    return f"""\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {{name: train, namespace: research}}
spec:
  image: {image}
  command: [python, -m, train]
  gpu: {gpu}
  workers: {workers}
{more}"""


def server(image: str, gpu: str) -> str:
    """A model server."""
    return f"""\
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


def carried(desk: Desk, spec: str) -> tuple[Values, Done]:
    """What is made of a workload, and what fit says; the linter has no error of it."""
    desk.write("spec.yaml", spec)
    made = desk.run("render spec.yaml -c here.yaml")
    assert made.code == 0, made.said
    desk.write("made.yaml", made.out)
    linted = desk.run("lint made.yaml -c here.yaml --format json")
    # A gang is a queue's to start, and this profile names none; images have no digest.
    said = {one["rule"] for one in json.loads(linted.out)}
    assert said <= {"GPU701", "GPU906"}, said
    fit = desk.run("fit spec.yaml -c here.yaml")
    assert fit.code == 0 and "placed" in fit.out, fit.out
    (job,) = (one for one in yaml.safe_load_all(made.out) if one["kind"] in ("Job", "Deployment"))
    assert not any(word in made.out for word in ("CUDA", "NCCL", "NVIDIA", "nvidia"))
    return job["spec"], fit


def main(job: Values) -> Values:
    """Its pod's only container."""
    (container,) = job["template"]["spec"]["containers"]
    return dict(container)


def test_a_run_takes_all_of_a_slice(desk: Desk) -> None:
    """Four hosts of four chips each, in one node pool, with nobody else on it."""
    discovered(desk, "gke-tpu")
    job, fit = carried(desk, training(JAX, "{models: [v5e], count: 4}", 4))
    assert (job["completions"], job["parallelism"], job["completionMode"]) == (4, 4, "Indexed")
    pod = job["template"]["spec"]
    assert pod["nodeSelector"] == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    }
    assert main(job)["resources"]["limits"]["google.com/tpu"] == "4"
    assert main(job)["command"] == ["python", "-m", "train"]
    assert "cloud.google.com/gke-nodepool" in str(pod["affinity"]["podAffinity"])
    assert "4 pods on 4 nodes of v5e-16-" in fit.out
    table = desk.run("table spec.yaml -c here.yaml")
    assert table.code == 0, table.said


def test_three_runs_want_two_slices(desk: Desk) -> None:
    """One of them waits as a whole: no slice is shared, and none taken in part."""
    discovered(desk, "gke-tpu")
    one = training(JAX, "{models: [v5e], count: 4}", 4)
    desk.write("runs.yaml", "---\n".join(one.replace("train,", f"{n},") for n in "abc"))
    fit = desk.run("fit runs.yaml -c here.yaml")
    assert fit.code == 1
    assert fit.out.count("4 pods on 4 nodes of v5e-16-") == 2
    assert "not placed, 0 of 4 pods, a gang" in fit.out


def test_a_part_of_a_slice_is_refused(desk: Desk) -> None:
    discovered(desk, "gke-tpu")
    for gpu, workers in (("{models: [v5e], count: 4}", 3), ("{models: [v5e], count: 2}", 4)):
        desk.write("spec.yaml", training(JAX, gpu, workers))
        refused = desk.run("render spec.yaml -c here.yaml")
        assert refused.code == 1
        assert "its slice 4x4 is 4 hosts with 4 chips each, all or none" in refused.said


def test_a_server_on_one_host(desk: Desk) -> None:
    discovered(desk, "gke-tpu")
    spec = server("vllm/vllm-tpu:v0.12.0", "{models: [trillium], count: 8}")
    job, fit = carried(desk, spec)
    assert "--tensor-parallel-size 8" in " ".join(main(job)["args"])
    assert "2 pods on 2 nodes of v6e-8" in fit.out


def test_a_run_on_trainium(desk: Desk) -> None:
    """A process for each of the cores, and EFA between the nodes."""
    discovered(desk, "eks-neuron")
    gpu = "{models: [trn1], count: 16}"
    job, fit = carried(desk, training(NEURONX, gpu, 2, "  launcher: torchrun\n"))
    assert "--nproc-per-node=32" in main(job)["command"]
    limits = main(job)["resources"]["limits"]
    assert (limits["aws.amazon.com/neuron"], limits["vpc.amazonaws.com/efa"]) == ("16", "8")
    assert not any(name.startswith("hugepages") for name in limits)
    assert "2 pods on 2 nodes of neuron-trainium" in fit.out
    explained = desk.run("explain spec.yaml -c here.yaml")
    assert "NeuronCore" in explained.out


def test_a_server_on_inferentia(desk: Desk) -> None:
    discovered(desk, "eks-neuron")
    job, fit = carried(desk, server(VLLM_NEURON, "{models: [inf2], count: 4}"))
    assert "--tensor-parallel-size 8" in " ".join(main(job)["args"])
    assert "2 pods on 1 node of neuron-inferentia2-inf2-48xlarge" in fit.out


def test_nothing_goes_there_that_does_not_name_it(desk: Desk) -> None:
    for cluster, model in (("gke-tpu", "TPU-v6e"), ("eks-neuron", "Trainium")):
        discovered(desk, cluster)
        desk.write("spec.yaml", training("example.com/train:1", "{count: 1}", 1))
        refused = desk.run("render spec.yaml -c here.yaml")
        assert refused.code == 1
        assert f"its {model} runs only programs built for it: name it in gpu.models" in refused.said
