"""From a built-in profile that knows of no fabric to a run on one, as a team comes upon it."""

import pytest
import yaml

from tests.stories.conftest import Desk

SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {name: a, namespace: ml}
spec:
  image: ghcr.io/example/train@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
  command: [python, -m, train]
  gpu: {models: [GPU], count: 8, interconnect: rdma}
  workers: 4
  launcher: torchrun
  queue: ml
  checkpoint: {pvc: checkpoints, every: 30m}
  owner: ml
"""
PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: here}
spec:
  kubernetes: "1.35"
  extends: PRESET
  installed: {kueue: "0.19"}
  pools:
  - name: big
    gpu: {model: GPU, count: 8}
    nodes: 8
    allocatable: {cpu: 180, memory: 1700Gi, ephemeralStorage: 2000Gi}
    labels: {node.kubernetes.io/instance-type: MACHINE, example.com/pool: big}
    taints: [{key: nvidia.com/gpu, value: present}]
    rdma: {recipe: RECIPE, MORE}
  namespaces: [{name: ml, podSecurity: LEVEL}]
"""
DAEMON = (
    "waivers: {root: the daemon programs adapters, writableRoot: its script writes beside itself, "
    "hostPath: the plugin is the node's, capabilities: the daemon steers flows}"
)
HOST = (
    "waivers: {hostPath: the adapters are folders, hostNetwork: the adapters are the node's, "
    "privileged: nothing hands them in}"
)
PLAIN = "domain: example.com/rack"
WAYS = [
    ("eks", "H100-80GB", "p5.48xlarge", "efa", "restricted", PLAIN),
    ("eks-auto", "H200-141GB", "p5en.48xlarge", "efa", "restricted", PLAIN),
    ("gke", "H100-80GB", "a3-highgpu-8g", "gke-tcpx", "privileged", DAEMON),
    ("gke", "H100-80GB", "a3-megagpu-8g", "gke-tcpxo", "privileged", DAEMON),
    (
        "gke",
        "H200-141GB",
        "a3-ultragpu-8g",
        "gke-rdma",
        "privileged",
        "waivers: {hostPath: gIB is the node's}",
    ),
    ("gke", "B200", "a4-highgpu-8g", "gke-rdma-image", "restricted", PLAIN),
    ("aks", "H100-80GB", "Standard_ND96isr_H100_v5", "aks-ib", "restricted", "memlock: unlimited"),
    (
        "aks",
        "H200-141GB",
        "Standard_ND96isr_H200_v5",
        "aks-shared-ib",
        "restricted",
        "memlock: unlimited",
    ),
    ("coreweave", "H100-80GB", "gd-8xh100ib-i128", "coreweave-ib", "restricted", PLAIN),
    ("gpu-operator", "H100-80GB", "BM.GPU.H100.8", "oke-vf", "restricted", PLAIN),
    ("gpu-operator", "H200-141GB", "BM.GPU.H200.8", "host-network", "privileged", HOST),
    (
        "gpu-operator",
        "H100-80GB",
        "any",
        "nebius-ib",
        "privileged",
        "waivers: {privileged: the manifest asks for it}",
    ),
]


def profile(preset: str, gpu: str, machine: str, recipe: str, level: str, more: str) -> str:
    words = {"PRESET": preset, "GPU": gpu, "MACHINE": machine, "RECIPE": recipe, "LEVEL": level}
    text = PROFILE.replace("MORE", more)
    for word, value in words.items():
        text = text.replace(word, value)
    return text


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]}-{way[3]}")
def test_what_is_rendered_on_a_providers_fabric_is_clean_and_fits(
    desk: Desk, way: tuple[str, str, str, str, str, str]
) -> None:
    """C-52: admitted at the namespace's level, found clean by the linter, placed by `fit`."""
    desk.write("a.yaml", SPEC.replace("GPU", way[1]))
    desk.write("here.yaml", profile(*way))
    done = desk.run("render a.yaml -c here.yaml")
    assert done.code == 0, done.said
    assert "TCP" not in done.said.replace("TCPX", "")
    desk.write("out.yaml", done.out)
    linted = desk.run("lint out.yaml -c here.yaml")
    assert (linted.code, linted.out) == (0, ""), linted.out
    fit = desk.run("fit a.yaml -c here.yaml")
    assert fit.code == 0, fit.out + fit.said


JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: a, namespace: ml}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      tolerations: [{key: nvidia.com/gpu, operator: Exists}]
      containers:
      - name: main
        image: ghcr.io/example/train:1
        resources: {limits: {cpu: 4, memory: 8Gi, nvidia.com/gpu: 4, vpc.amazonaws.com/efa: EFA}}
"""


@pytest.mark.parametrize(("adapters", "fits"), [(16, 0), (32, 1)])
def test_the_adapters_that_a_recipe_gives_a_node_are_counted(
    desk: Desk, adapters: int, fits: int
) -> None:
    """Of a p5's eight GPUs half are left, and of its 32 adapters none."""
    desk.write("job.yaml", JOB.replace("EFA", str(adapters)))
    desk.write("here.yaml", profile(*WAYS[0]).replace("nodes: 8", "nodes: 1"))
    done = desk.run("fit job.yaml -c here.yaml")
    assert done.code == fits, done.out + done.said


def test_from_a_built_in_profile_to_the_fabric(desk: Desk) -> None:
    """The note says what to write, and what is written works."""
    spec = SPEC.replace("GPU", "H100-80GB")
    desk.write("a.yaml", spec.replace("  queue: ml\n", ""))
    first = desk.run("render a.yaml -c gke --no-lint")
    assert first.code == 0, "it has rendered before, and does"
    assert "`rdma: {recipe: gke-tcpxo}` (a3-megagpu-8g)" in first.said
    desk.write("a.yaml", spec)
    way = WAYS[3]
    desk.write("here.yaml", profile(*way[:5], PLAIN))
    second = desk.run("render a.yaml -c here.yaml")
    assert second.code == 1
    assert "write the reasons in the pool's rdma.waivers" in second.said
    desk.write("here.yaml", profile(*way[:4], "restricted", DAEMON))
    third = desk.run("render a.yaml -c here.yaml")
    assert third.code == 1
    assert "namespace ml enforces restricted" in third.said
    desk.write("here.yaml", profile(*way))
    job = [*yaml.safe_load_all(desk.run("render a.yaml -c here.yaml").out)][-1]
    pod = job["spec"]["template"]
    assert [each["name"] for each in pod["spec"]["initContainers"]] == ["tcpxo-daemon"]
    told = desk.run("explain a.yaml -c here.yaml").out
    assert "recipe gke-tcpxo: GoogleCloudPlatform/container-engine-accelerators" in told
    assert "waiver host-path: the plugin is the node's" in told
