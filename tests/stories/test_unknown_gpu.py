"""A GPU that the hardware table does not have, or has under another name: the profile tells of it."""

import pytest

from tests.stories.conftest import Desk

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {{name: here}}
spec:
  kubernetes: "1.36"
  pools:
  - name: new
    gpu: {{count: 8, {gpu}}}
    nodes: 2
    allocatable: {{cpu: 192, memory: 2000Gi, ephemeralStorage: 2000Gi}}
    labels: {{{labels}}}
  - name: old
    gpu: {{model: L4, count: 1}}
    nodes: 1
    labels: {{nvidia.com/gpu.product: NVIDIA-L4}}
"""
SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {{name: a, namespace: ml}}
spec:
  image: ghcr.io/example/train:1
  command: [python, -m, train]
  gpu: {{{gpu}}}
"""
AMD = "model: MI455X, resource: amd.com/gpu, memory: 431Gi"
ALIASES = ["model: MI300X-192GB, resource: amd.com/gpu", "model: NVIDIA-H100-80GB-HBM3"]
EVERYTHING = (
    "render a.yaml -c here.yaml",
    "explain a.yaml -c here.yaml",
    "lint a.yaml -c here.yaml",
    "fit a.yaml -c here.yaml",
    "table a.yaml -c here.yaml",
    "fleet report -c here.yaml",
    "fleet report -c here.yaml --mix a.yaml",
    "cluster check here.yaml",
)


@pytest.mark.parametrize("gpu", [AMD, *ALIASES])
def test_every_command_takes_it(desk: Desk, gpu: str) -> None:
    desk.write("here.yaml", PROFILE.format(gpu=gpu, labels=""))
    desk.write("a.yaml", SPEC.format(gpu="count: 1, memory: 40Gi"))
    for line in EVERYTHING:
        done = desk.run(line)
        assert done.code in (0, 1), (line, done.said)
        assert "internal error" not in done.said and "KeyError" not in done.said


def test_what_is_described_decides_where_pods_go(desk: Desk) -> None:
    labels = "amd.com/gpu.product-name: MI455X_OAM"
    desk.write("here.yaml", PROFILE.format(gpu=AMD, labels=labels))
    desk.write("a.yaml", SPEC.format(gpu="count: 1, memory: 200Gi"))
    done = desk.run("render a.yaml -c here.yaml")
    assert 'amd.com/gpu: "1"' in done.out
    fit = desk.run("fit a.yaml -c here.yaml")
    assert fit.code == 0 and "1 pod on 1 node of new" in fit.out
    desk.write("a.yaml", SPEC.format(gpu="count: 1, memory: 200Gi, computeCapability: '9.0'"))
    refused = desk.run("render a.yaml -c here.yaml")
    assert refused.code == 1 and "MI455X has compute capability ?, below 9.0" in refused.said


def test_its_label_is_the_pools_own(desk: Desk) -> None:
    own = "model: B999, memory: 300Gi, computeCapability: '12.1'"
    desk.write("here.yaml", PROFILE.format(gpu=own, labels="nvidia.com/gpu.product: NVIDIA-B999"))
    desk.write("a.yaml", SPEC.format(gpu="count: 1, memory: 200Gi, computeCapability: '12.0'"))
    done = desk.run("render a.yaml -c here.yaml")
    assert done.code == 0 and "- NVIDIA-B999\n" in done.out and "NVIDIA-L4" not in done.out


def test_it_is_named_as_any_other_model(desk: Desk) -> None:
    labels = "amd.com/gpu.product-name: MI455X_OAM"
    desk.write("here.yaml", PROFILE.format(gpu=AMD, labels=labels))
    desk.write("a.yaml", SPEC.format(gpu="models: [mi455x, L4], count: 1"))
    for line in EVERYTHING:
        assert desk.run(line).code == 0, line
    done = desk.run("render a.yaml -c here.yaml")
    assert "MI455X_OAM" in done.out and 'amd.com/gpu: "1"' in done.out
    desk.write("a.yaml", SPEC.format(gpu="models: [MI4555X]"))
    wrong = desk.run("render a.yaml -c here.yaml")
    assert wrong.code == 2
    assert 'a.yaml:7:18: error: "MI4555X" is not a known GPU model' in wrong.said
    assert "did you mean MI455X" in wrong.said
    elsewhere = desk.run("render a.yaml")
    assert elsewhere.code == 2 and "MI355X" in elsewhere.said
