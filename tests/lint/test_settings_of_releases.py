"""GPU851: settings that contradict one another in some releases only, or next to some releases."""

import pytest

from tests.lint.pages import raised

RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {chart}, namespace: platform}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: n}}}}}}
  values: {values}
"""
KUEUE = '{managerConfig: {controllerManagerConfigYaml: "integrations: {frameworks: [%s]}"}}'
PACKING = """apiVersion: v1
kind: ConfigMap
metadata: {name: policy, namespace: kube-system}
data:
  policy.yaml: |
    kind: DeschedulerPolicy
    profiles:
      - pluginConfig:
          - {name: HighNodeUtilization, args: {thresholds: {nvidia.com/gpu: 50MORE}}}
"""
CLAIM = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: models, namespace: serving}}
spec: {{storageClassName: {name}, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 9Gi}}}}}}
"""
GROUPS = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: it, namespace: serving}
spec: {rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}}}
"""
SIMULATOR = """apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: it, namespace: serving}
spec:
  model: {uri: 'URI'}
  template: {containers: [{name: main, image: 'ghcr.io/llm-d/llm-d-inference-sim:v0.7.1'}]}
"""
GRAPH = """apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: it, namespace: serving}
spec:
  services:
    Worker:
      extraPodSpec:
        mainContainer: {image: 'nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:TAG'}
        volumes: [{name: efa, hostPath: {path: /opt/amazon/efa}}]
"""
SERVICE = """apiVersion: ray.io/v1
kind: RayService
metadata: {name: it, namespace: serving}
spec:
  serveConfigV2: |
    applications: [{name: a, args: {llm_configs: [{FIELD: {GPU: 1}}]}}]
  rayClusterConfig: {rayVersion: 'VERSION'}
"""
NPUS = """apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: it, namespace: rl}
spec:
  workerGroupSpecs:
    - groupName: npu
      rayStartParams: PARAMETERS
      template:
        spec: {containers: [{name: w, resources: {limits: {huawei.com/Ascend910: 2}}}]}
"""
HAMI = RELEASE.format(chart="hami", version="2.7.1", values="{scheduler: {}}")
SHOWN = (
    *(
        "which it needs before Kueue 0.15",
        "threshold for GPUs only",
        "plugin has no `runtimeClassName`",
    ),
    *("runs MicroK8s", "simulator loads no model", "LWS before 0.9", "built for the node's"),
    *("no `resources_per_bundle`", "no `placement_group_config`", "knows no NPU"),
    "rounded down to 0",
)
"""Of each row of the table that is shown here, words of what it says."""


def said(text: str) -> list[str]:
    return [one.finding().message for one in raised(text) if one.rule.code == "GPU851"]


def release(chart: str, version: str, values: str = "{}") -> str:
    return RELEASE.format(chart=chart, version=version, values=values)


@pytest.mark.parametrize("framework", ["deployment", "statefulset"])
def test_frameworks_of_kueue_that_need_the_one_of_pods(framework: str) -> None:
    (message,) = said(release("kueue", "0.13.4", KUEUE % f"batch/job, {framework}"))
    assert SHOWN[0] in message
    assert not said(release("kueue", "0.13.4", KUEUE % f"pod, {framework}"))
    assert not said(release("kueue", "0.15.0", KUEUE % framework))


def test_a_descheduler_that_counts_gpus_alone() -> None:
    (message,) = said(PACKING.replace("MORE", ""))
    assert SHOWN[1] in message
    assert not said(PACKING.replace("MORE", ", cpu: 20"))
    assert not said(PACKING.replace("MORE", "") + "    nodeSelector: nvidia.com/gpu.present=true\n")
    values = "{deschedulerPolicy: {profiles: [{pluginConfig: [{name: HighNodeUtilization, args: {thresholds: {%s}}}]}]}}"
    assert said(release("descheduler", "0.34.0", values % "nvidia.com/gpu: 50"))
    assert not said(release("descheduler", "0.34.0", values % "nvidia.com/gpu: 50, memory: 20"))


def test_hami_next_to_an_operator_without_the_default_runtime() -> None:
    (message,) = said(HAMI + "---\n" + release("gpu-operator", "v25.10.1"))
    assert SHOWN[2] in message
    assert not said(HAMI + "---\n" + release("gpu-operator", "v25.3.4"))
    assert not said(HAMI)
    values = "{toolkit: {env: [{name: CONTAINERD_SET_AS_DEFAULT, value: '1'}]}}"
    assert not said(HAMI + "---\n" + release("gpu-operator", "v25.10.1", values))


def test_the_operator_on_microk8s() -> None:
    operator = release("gpu-operator", "v25.10.1", "{driver: {enabled: false}}")
    (message,) = said(operator + "---\n" + CLAIM.format(name="microk8s-hostpath"))
    assert SHOWN[3] in message
    assert not said(operator + "---\n" + CLAIM.format(name="local-path"))


def test_a_simulator_that_kserve_downloads_a_model_for() -> None:
    (message,) = said(SIMULATOR.replace("URI", "hf://sshleifer/tiny-gpt2"))
    assert SHOWN[4] in message
    assert not said(SIMULATOR.replace("URI", "pvc://models/tiny"))
    off = SIMULATOR.replace("URI", "hf://a/b") + "  storageInitializer: {enabled: false}\n"
    assert not said(off)


def test_groups_of_which_none_may_be_unavailable() -> None:
    (message,) = said(GROUPS + "---\n" + release("lws", "0.8.0"))
    assert SHOWN[5] in message
    assert not said(GROUPS + "---\n" + release("lws", "0.9.0"))
    assert not said(GROUPS)


def test_the_nodes_efa_over_an_image_without_its_own() -> None:
    (message,) = said(GRAPH.replace("TAG", "1.3.1"))
    assert SHOWN[6] in message
    assert not said(GRAPH.replace("TAG", "1.3.1-efa"))


@pytest.mark.parametrize(
    ("field", "wrong", "right", "words"),
    [
        ("resources_per_bundle", "2.52.0", "2.50.1", SHOWN[7]),
        ("placement_group_config", "2.50.1", "2.51.0", SHOWN[8]),
    ],
)
def test_fields_of_a_model_by_release_of_ray(
    field: str, wrong: str, right: str, words: str
) -> None:
    text = SERVICE.replace("FIELD", field)
    (message,) = said(text.replace("VERSION", wrong))
    assert words in message
    assert not said(text.replace("VERSION", right))


def test_devices_that_ray_is_not_told_of() -> None:
    (message,) = said(NPUS.replace("PARAMETERS", "{}"))
    assert SHOWN[9] in message
    assert not said(NPUS.replace("PARAMETERS", r"""{resources: '"{\\"NPU\\": 2}"'}"""))


def test_a_part_of_a_gpu_that_a_chart_rounds_down() -> None:
    values = "{servingEngineSpec: {modelSpec: [{name: a, requestCPU: 1, requestMemory: 8Gi, requestGPU: %s}]}}"
    text = release("vllm-stack", "0.1.11", values)
    assert SHOWN[10] in said(text % "0.5")[0]
    assert not said(text % "1")
    assert all(one.rule.code != "GPU101" for one in raised(text % "0.5"))
