"""What is found in pods that charts make: at the values' lines, and only what is sure to hold."""

from pathlib import Path
from textwrap import indent

import pytest

import gpuspec
from gpuspec.lint.model import Finding
from tests.charts.written import release

APP = """\
controllers:
  studio:
    containers:
      app:
        image: {repository: ghcr.io/example/encoder, tag: v2}
        resources:
          limits: {gpu.nvidia.com: 1, memory: 8Gi}
"""
STACK = """\
servingEngineSpec:
  modelSpec:
    - name: llama
      repository: vllm/vllm-openai
      tag: v0.10.1
      modelURL: meta-llama/Llama-3.1-8B-Instruct
      requestGPU: 2
      vllmConfig:
        tensorParallelSize: 4
        extraArgs: [--max-modellen=4096]
"""
OTHER = """\
server:
  affinity: {enabled: true}
  resources:
    limits: {gpu.nvidia.com: 1, memory: 4gb}
  tolerations: {key: nvidia.com/gpu}
"""
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: stack, namespace: argocd}
spec:
  project: ml
  destination: {namespace: ai, server: https://kubernetes.default.svc}
  source:
    chart: vllm-stack
    repoURL: https://vllm-project.github.io/production-stack
    targetRevision: 0.1.12
    helm:
"""
K3S = """\
apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {name: stack, namespace: kube-system}
spec:
  chart: vllm-stack
  repo: https://vllm-project.github.io/production-stack
  version: 0.1.12
  targetNamespace: ai
  valuesContent: |-
"""


def said(text: str) -> dict[str, Finding]:
    """What is said of a file, by rule."""
    return {one.rule: one for one in gpuspec.lint_text(text, "release.yaml").findings}


def chart(name: str) -> str:
    return f"chart: {{spec: {{chart: {name}, sourceRef: {{kind: HelmRepository, name: x}}}}}}"


def test_a_finding_stands_at_the_value_and_names_the_release() -> None:
    found = said(release(APP))["GPU103"]
    assert (found.line, found.severity) == (14, "error")
    assert found.object is not None
    assert (found.object.kind, found.object.name) == ("HelmRelease", "studio")
    assert found.path.startswith("spec.values.controllers.studio.containers.app.resources.limits")


def test_the_values_of_a_chart_of_k3s_make_pods() -> None:
    found = said(K3S + indent(STACK, "    "))["GPU748"]
    assert "--max-modellen" in found.message
    assert found.line == K3S.count("\n") + STACK.count("\n")


def test_a_fix_is_made_where_the_values_are_as_the_object_is() -> None:
    wrong = release(APP.replace("limits: {gpu.nvidia.com: 1,", "limits: {nvidia.com/gpu: '1.5',"))
    mended = release(APP.replace("gpu.nvidia.com", "nvidia.com/gpu"))
    assert said(wrong)["GPU101"].fix is not None
    assert "GPU101" not in said(mended)
    env = "        env: {NVIDIA_VISIBLE_DEVICES: all}\n"
    shown = said(release(APP.replace("gpu.nvidia.com", "nvidia.com/gpu") + env))["GPU604"]
    assert shown.line == 15


def test_a_comment_waves_a_finding_through() -> None:
    waved = APP.replace("memory: 8Gi}", "memory: 8Gi}  # gpuspec: ignore[GPU103] a test")
    assert "GPU103" in said(release(APP))
    assert "GPU103" not in said(release(waved))


def test_what_values_say_of_a_known_chart_is_put_together() -> None:
    found = said(release(STACK, chart("vllm-stack")))
    assert "needs 4 GPUs, but the pod has 2" in found["GPU731"].message
    assert "--max-modellen" in found["GPU748"].message
    assert found["GPU731"].line == 16


@pytest.mark.parametrize(
    ("head", "indent"), [("values: |\n", "        "), ("valuesObject:\n", "        ")]
)
def test_an_application_gives_values_as_text_or_as_an_object(head: str, indent: str) -> None:
    lines = "".join(f"{indent}{line}\n" for line in STACK.splitlines())
    found = said(f"{ARGO}      {head}{lines}")
    assert found["GPU731"].line == 21


def test_of_an_unknown_chart_only_what_is_written_is_judged_and_nothing_is_certain() -> None:
    found = said(release(OTHER, chart("text-embeddings")))
    assert {code for code in found if found[code].severity != "info"} == {
        "GPU103",
        "GPU017",
        "GPU011",
    }
    assert {one.severity for one in found.values()} <= {"warning", "info"}


def test_the_repository_says_which_chart_it_is() -> None:
    repository = """---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: engine, namespace: media}
spec: {interval: 1h, url: oci://ghcr.io/vllm-project/vllm-stack, ref: {tag: 0.1.12}}
"""
    text = release(STACK, "chartRef: {kind: OCIRepository, name: engine}")
    assert "GPU731" in said(text + repository)
    assert "GPU731" not in said(text + repository.replace("namespace: media", "namespace: other"))
    assert "GPU731" not in said(text)


def test_what_two_controllers_have_from_one_value_is_said_once() -> None:
    twin = APP.replace("  studio:\n", "  other:\n").removeprefix("controllers:\n")
    shared = "defaultPodOptions: {tolerations: {key: nvidia.com/gpu}}\n"
    found = gpuspec.lint_text(release(shared + APP + twin), "release.yaml").findings
    assert [one.rule for one in found].count("GPU011") == 1
    assert [one.rule for one in found].count("GPU103") == 2


@pytest.mark.parametrize(
    "values",
    [
        "server:\n  image: {repository: ghcr.io/example/a}\n  resources: {limits: {cpu: 1}}\n",
        "persistence: {resources: {requests: {storage: 10Gi}}}\n",
        "resources: {}\n",
    ],
)
def test_of_an_unknown_chart_nothing_is_said_to_be_missing(values: str) -> None:
    assert not said(release(values, chart("server")))


@pytest.mark.parametrize(("named", "read"), [(".Release.Name", 1), (".Values.name", 0)])
def test_values_that_name_their_release_are_no_template_of_a_chart(
    tmp_path: Path, named: str, read: int
) -> None:
    route = 'route: {app: {hostnames: ["{{ NAMED }}.example.com"]}}\n'.replace("NAMED", named)
    (tmp_path / "release.yaml").write_text(release(APP + route))
    assert gpuspec.lint(str(tmp_path)).documents == read


def test_an_amount_without_its_unit_is_said_of_any_chart() -> None:
    values = "resources: {limits: {memory: 512m, nvidia.com/gpu: 1}}\n"
    found = said(release(values, chart("text-embeddings")))
    assert found["GPU836"].severity == "warning"
    assert "GPU836" not in said(release(values.replace("512m", "512Mi"), chart("text-embeddings")))


def test_a_build_for_the_cpu_is_said_of_any_chart() -> None:
    values = """\
image: {repository: kserve/huggingfaceserver, tag: v0.15.2}
resources: {limits: {nvidia.com/gpu: 1}}
"""
    assert "GPU849" in said(release(values, chart("anything")))
    assert "GPU849" not in said(release(values.replace("0.15.2", "0.15.2-gpu"), chart("anything")))
