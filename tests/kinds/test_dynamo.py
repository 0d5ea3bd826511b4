"""Dynamo's first version states fields of the main container beside the pod."""

import yaml

from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import has_all_tolerations

GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  envs: [{name: HF_TOKEN, value: outer}, {name: LEVEL, value: debug}]
  services:
    decode:
      replicas: 2
      envFromSecret: hub
      resources:
        limits: {gpu: "4"}
        requests: {gpu: "8", cpu: "2", custom: {rdma/ib: "1"}}
      readinessProbe: {httpGet: {path: /health, port: 9090}}
      extraPodSpec:
        mainContainer:
          image: a/b:1
          env: [{name: MODE, value: decode}, {name: HF_TOKEN, value: inner}]
          resources: {requests: {cpu: "4"}}
"""


def decode(old: str = "", new: str = "") -> Pod:
    (pod,) = Object(yaml.safe_load(GRAPH.replace(old, new))).pods
    return pod


def test_fields_beside_the_pod_are_of_its_main_container() -> None:
    (container,) = decode().containers
    assert container.limits == {"nvidia.com/gpu": "4"}
    assert container.requests == {"cpu": "4", "rdma/ib": "1"}
    assert [(each["name"], each["value"]) for each in container.value["env"]] == [
        ("MODE", "decode"),
        ("HF_TOKEN", "inner"),
        ("LEVEL", "debug"),
    ]
    assert container.value["envFrom"] == [{"secretRef": {"name": "hub"}}]
    assert container.value["readinessProbe"]["httpGet"]["port"] == 9090


def test_another_type_of_device() -> None:
    pod = decode('{gpu: "4"}', '{gpu: "4", gpuType: gpu.intel.com/xe}')
    assert [device.name for device in pod.containers[0].devices] == ["gpu.intel.com/xe"]
    assert pod.gpus == 4


def test_fields_of_other_types_are_nothing() -> None:
    assert decode('{gpu: "4"}', "[]").gpus == 0
    assert decode("envFromSecret: hub", "envFromSecret: [1]").gpus == 4


def test_the_operator_adds_no_tolerations() -> None:
    assert has_all_tolerations(decode())
