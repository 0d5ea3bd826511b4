"""GPU427: releases with known faults, and the circumstances in which these show."""

import pytest

from gpuspec.lint.model import Finding
from gpuspec.products import faults
from tests.lint.pages import raised

POD = """apiVersion: v1
kind: Pod
metadata: {{name: it, namespace: ml}}
spec:
  nodeSelector: {selector}
  containers:
    - name: main
      image: {image}
      args: {args}
"""
RAY = """apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: it, namespace: ml}}
spec:
  headGroupSpec:
    rayStartParams: {{}}
    template: {{spec: {{containers: [{{name: ray-head, image: "{image}"}}]}}}}
"""
RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: it, namespace: platform}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: n}}}}}}
  values: {{a: 1}}
"""
NETWORK = """---
apiVersion: mellanox.com/v1alpha1
kind: NicClusterPolicy
metadata: {name: nic-cluster-policy}
spec: {nvIpam: {image: nvidia-k8s-ipam}}
"""


def said(text: str) -> list[Finding]:
    return [found for one in raised(text) if (found := one.finding()).rule == "GPU427"]


def pod(image: str, selector: str = "{}", args: str = "[]") -> str:
    return POD.format(image=image, selector=selector, args=args)


@pytest.mark.parametrize("release", ["2.11.0", "2.34.0-py311-gpu", "2.37.0"])
def test_ray_that_gets_stuck_under_its_operator(release: str) -> None:
    (found,) = said(RAY.format(image=f"rayproject/ray:{release}"))
    assert f"Ray {release.partition('-')[0]} hangs" in found.message
    assert not said(pod(f"rayproject/ray:{release}")), "without KubeRay's probes"


@pytest.mark.parametrize("tag", ["2.10.0", "2.38.0", "2.34", "latest", "nightly-py311"])
def test_other_releases_of_ray_and_tags_that_tell_none(tag: str) -> None:
    assert not said(RAY.format(image=f"rayproject/ray:{tag}"))
    assert not said(RAY.format(image=f"mirror.example.com/other/ray:{tag}"))


def test_adapters_are_counted_wrongly_on_one_machine_alone() -> None:
    image = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.7"
    (found,) = said(pod(image, "{node.kubernetes.io/instance-type: p6-b200.48xlarge}"))
    assert "release 0.5.7" in found.message
    assert not said(pod(image, "{node.kubernetes.io/instance-type: p5.48xlarge}"))
    assert not said(pod(image))
    newer = image.replace("0.5.7", "0.5.10")
    assert not said(pod(newer, "{node.kubernetes.io/instance-type: p6-b200.48xlarge}"))


@pytest.mark.parametrize(
    ("chart", "version", "fixed"),
    [("gpu-operator", "v26.3.1", "v26.3.3"), ("nvidia-device-plugin", "0.19.2", "0.19.3")],
)
def test_devices_of_a_network_that_is_there(chart: str, version: str, fixed: str) -> None:
    text = RELEASE.format(chart=chart, version=version)
    assert "all InfiniBand devices" in said(text + NETWORK)[0].message
    assert not said(text)
    assert not said(RELEASE.format(chart=chart, version=fixed) + NETWORK)
    assert not said(RELEASE.format(chart=chart, version='"26.x"') + NETWORK)


@pytest.mark.parametrize("connector", ["MooncakeConnector", "PyNcclConnector"])
def test_a_transfer_that_unpickles_what_comes_in(connector: str) -> None:
    args = f"""[--kv-transfer-config, '{{"kv_connector":"{connector}"}}']"""
    assert "run code in the pod" in said(pod("vllm/vllm-openai:v0.8.4", args=args))[0].message
    assert not said(pod("vllm/vllm-openai:v0.8.5", args=args))
    assert not said(pod("vllm/vllm-openai:v0.8.4"))
    assert not said(pod("vllm/vllm-openai:v0.8.4", args="[--kv-transfer-config, LMCacheConnector]"))


def test_each_row_has_an_end_and_says_what_to_take() -> None:
    for each in faults():
        assert each.images or each.charts
        assert "or newer" in each.note
