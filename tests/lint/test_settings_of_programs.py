"""GPU851: what charts do not hand on to their programs, and what services and programs do not read."""

import pytest

from tests.lint.pages import raised

RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: it, namespace: serving}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: n}}}}}}
  values: {values}
"""
SERVER = "{name: vllm, image: 'ghcr.io/llm-d/llm-d:v0.4.0', modelCommand: vllmServe%s}"
DECODE = "{decode: {parallelism: {tensor: %s}, containers: [%s]}%s}"
ARC = ", resources: {limits: {gpu.intel.com/i915: '1'}}"
INIT = "{servingEngineSpec: {modelSpec: [{name: m, initContainer: {mountPvcStorage: true%s}}]}}"
FRIGATE = "{config: 'ffmpeg: {hwaccel_args: %s}'}"
JOB = """apiVersion: ray.io/v1
kind: RayJob
metadata: {name: it, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}
spec: {SPEC: {ray.io/cluster: pool}, entrypoint: python a.py}
"""
STORAGE = """apiVersion: serving.kserve.io/v1alpha1
kind: ClusterStorageContainer
metadata: {name: it}
spec:
  container: {name: NAME, image: 'registry.example.com/pull:1'}
  supportedUriFormats: [{prefix: 'registry://'}]
"""
SHOWN = (
    "does not reach vLLM",
    "adds `nvidia.com/gpu`",
    "`mountPvcStorage` mounts nothing",
    "a queue has no effect on a RayJob",
    "must be `storage-initializer`",
    "is a device, but Frigate",
)


def said(text: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == "GPU851"]


@pytest.mark.parametrize(
    ("chart", "version", "values", "word"),
    [
        ("llm-d-modelservice", "v0.2.14", DECODE % (4, SERVER % "", ""), SHOWN[0]),
        ("llm-d-modelservice", "v0.2.15", DECODE % (4, SERVER % "", ""), ""),
        ("llm-d-modelservice", "v0.2.14", DECODE % (1, SERVER % "", ""), ""),
        (
            "llm-d-modelservice",
            "v0.2.14",
            DECODE % (4, SERVER % ", args: ['--tensor-parallel-size=4']", ""),
            "",
        ),
        ("llm-d-modelservice", "v0.3.17", DECODE % (1, SERVER % ARC, ""), SHOWN[1]),
        (
            "llm-d-modelservice",
            "v0.3.17",
            DECODE % (1, SERVER % ARC, ", accelerator: {type: intel-i915}"),
            "",
        ),
        ("vllm-stack", "0.1.1", INIT % "", SHOWN[2]),
        ("vllm-stack", "0.1.2", INIT % "", ""),
        ("vllm-stack", "0.1.1", INIT % ", volumeMounts: {pvcStorage: true}", ""),
        ("frigate", "7.6.0", FRIGATE % "/dev/dri/renderD128", SHOWN[5]),
        ("frigate", "7.6.0", FRIGATE % "preset-vaapi", ""),
    ],
)
def test_by_the_release_of_the_chart(chart: str, version: str, values: str, word: str) -> None:
    messages = said(RELEASE.format(chart=chart, version=version, values=values))
    assert [word in message for message in messages] == ([True] if word else [])


def test_a_queue_of_a_job_in_an_existing_cluster() -> None:
    (message,) = said(JOB.replace("SPEC", "clusterSelector"))
    assert SHOWN[3] in message
    assert not said(JOB.replace("SPEC", "metadata"))


def test_the_name_of_a_storage_container() -> None:
    (message,) = said(STORAGE.replace("NAME", "pull"))
    assert SHOWN[4] in message
    assert not said(STORAGE.replace("NAME", "storage-initializer"))
