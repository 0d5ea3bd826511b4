"""GPU852: what tells the driver, and what tells the image's CUDA."""

import pytest

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

POD = """apiVersion: v1
kind: Pod
metadata: {{name: server, namespace: ml}}
spec:
  containers:
    - name: main
      image: {image}
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
POLICY = """---
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {{name: cluster-policy}}
spec: {{driver: {{enabled: {enabled}, version: {version}}}}}
"""
RELEASE = """---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu-operator}
spec:
  interval: 1h
  chart: {spec: {chart: gpu-operator, version: v25.3.4, sourceRef: {kind: HelmRepository, name: n}}}
  values: {driver: {version: 570.172.08}}
"""
CUDA_13 = "docker.io/vllm/vllm-openai:v0.14.0-cu130"


def said(text: str, profile: str | None = None) -> list[Finding]:
    return [found for one in raised(text, profile) if (found := one.finding()).rule == "GPU852"]


def policy(version: str = "550.144.03", enabled: str = "true") -> str:
    return POLICY.format(version=version, enabled=enabled)


@pytest.mark.parametrize(
    "image",
    [
        "nvidia/cuda:13.0.2-base-ubuntu24.04",
        "mirror.example.com/hub/nvidia/cuda:13.1.0-runtime-ubi9",
        "pytorch/pytorch:2.9.0-cuda13.0-cudnn9-runtime",
        "lmsysorg/sglang:v0.5.6-cu130",
        "ghcr.io/ggml-org/llama.cpp:server-cuda13",
        "vllm/vllm-openai:v0.20.0",
    ],
)
def test_cuda_13_needs_driver_580(image: str) -> None:
    (found,) = said(POD.format(image=image) + policy())
    assert "needs driver 580.65.06" in found.message and found.path == "spec.containers[0].image"
    assert not said(POD.format(image=image) + policy("580.65.06"))


@pytest.mark.parametrize(
    "image",
    [
        "nvidia/cuda:12.9.1-base-ubuntu24.04",
        "vllm/vllm-openai:v0.20.0-cu129",
        "vllm/vllm-openai:v0.19.1",
        "vllm/vllm-openai:latest",
        "pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime",
        "registry.example.com/team/server:13.0",
        f"registry.example.com/team/server@sha256:{'13' * 32}",
    ],
)
def test_other_images_run_on_driver_550(image: str) -> None:
    assert not said(POD.format(image=image) + policy())


def test_a_minor_version_of_cuda_does_not_matter() -> None:
    assert not said(POD.format(image="nvidia/cuda:12.9.1-base-ubuntu24.04") + policy("525.60.13"))
    assert said(POD.format(image="nvidia/cuda:12.0.0-base-ubuntu22.04") + policy("470.256.02"))


def test_values_of_the_operators_chart_tell_the_driver_too() -> None:
    (found,) = said(POD.format(image=CUDA_13) + RELEASE)
    assert "HelmRelease `gpu-operator` installs 570.172.08" in found.message


def test_a_release_of_the_operator_installs_a_driver_by_default() -> None:
    text = POD.format(image=CUDA_13) + RELEASE.replace("version: 570.172.08", "enabled: true")
    assert not said(text)
    (found,) = said(text.replace("v25.3.4", "v25.3.2"))
    assert "installs 570.148.08" in found.message
    over = "  valuesFrom: [{kind: ConfigMap, name: more}]\n"
    assert not said(text.replace("v25.3.4", "v25.3.2") + over)


def test_a_branch_is_all_of_its_releases() -> None:
    assert not said(POD.format(image=CUDA_13) + policy('"580"'))
    assert said(POD.format(image=CUDA_13) + policy('"570"'))


def test_where_one_driver_is_left_open_nothing_is_said() -> None:
    text = POD.format(image=CUDA_13)
    assert not said(text)
    assert not said(text + policy(enabled="false"))
    assert not said(text + policy() + policy("580.105.08").replace("cluster-policy", "other"))
    assert not said(text + policy('"${DRIVER}"'))


def test_a_profile_tells_the_driver_of_each_pool() -> None:
    text = POD.format(image=CUDA_13)
    assert not said(text + policy(), "h100"), "its pools' drivers are not known"
    (found,) = said(text, "old-driver")
    assert "pool `h100` has 550.144.03" in found.message
