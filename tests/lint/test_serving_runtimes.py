"""Arguments of a model that KServe serves are judged behind those of the runtime that it names."""

from tests.lint.pages import raised

RUNTIME = """\
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: vllm
  namespace: rag
  annotations: {opendatahub.io/runtime-version: v0.18.0}
spec:
  containers:
    - name: kserve-container
      image: registry.example.com/rhaiis/vllm-cuda-rhel9@sha256:0000
      command: [python, -m, vllm.entrypoints.openai.api_server]
      args: [--port=8080, --dtype=auto]
---
"""
MODEL = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: granite, namespace: rag}
spec:
  predictor:
    model:
      modelFormat: {name: vLLM}
      runtime: vllm
      args: [--max-model-len=8192, '--override-pooler-config={}', --swap-space=2]
"""
OF_LINES = ("GPU748", "GPU749", "GPU750")


def said(text: str) -> list[tuple[str, str, str]]:
    return [
        (one.finding().path, one.rule.code, one.finding().severity)
        for one in raised(text)
        if one.rule.code in OF_LINES
    ]


def test_the_annotation_tells_the_release_of_an_image_by_digest() -> None:
    wrong = RUNTIME.replace("--dtype=auto", "--swap-space=2")
    assert said(wrong) == [("spec.containers[0].args[1]", "GPU748", "warning")]
    assert said(wrong.replace("v0.18.0", "v0.11.0")) == []
    assert said(wrong.replace("opendatahub.io/runtime-version", "example.com/version")) == []


def test_a_tag_that_tells_a_release_counts_before_the_annotation() -> None:
    wrong = RUNTIME.replace("--dtype=auto", "--swap-space=2")
    image = "registry.example.com/rhaiis/vllm-cuda-rhel9@sha256:0000"
    assert said(wrong.replace(image, "vllm/vllm-openai:v0.11.0")) == []


def test_arguments_of_a_model_are_those_of_its_runtime() -> None:
    assert said(RUNTIME + MODEL) == [
        ("spec.predictor.model.args[1]", "GPU748", "warning"),
        ("spec.predictor.model.args[2]", "GPU748", "warning"),
    ]


def test_without_its_runtime_only_what_went_is_told_of_a_model() -> None:
    gone = [
        ("spec.predictor.model.args[1]", "GPU748", "info"),
        ("spec.predictor.model.args[2]", "GPU748", "info"),
    ]
    assert said(MODEL) == gone
    assert said(RUNTIME.replace("name: vllm\n", "name: other\n") + MODEL) == gone
    assert said(RUNTIME.replace("namespace: rag", "namespace: other") + MODEL)[0] == gone[0]
    assert said(MODEL.replace("--swap-space=2", "--max-modle-len=1")) == gone[:1]
    assert said(MODEL.replace("name: vLLM", "name: onnx")) == []


def test_what_the_runtime_says_is_said_at_the_runtime_alone() -> None:
    wrong = RUNTIME.replace("--dtype=auto", "--dtype=bf16")
    assert [path for path, *_ in said(wrong + MODEL)] == [
        "spec.containers[0].args[1]",
        "spec.predictor.model.args[1]",
        "spec.predictor.model.args[2]",
    ]


def test_a_script_of_the_runtime_is_its_own() -> None:
    line = "command: [sh, -c, 'vllm serve /mnt/models --dtype bf16']"
    script = RUNTIME.replace("command: [python, -m, vllm.entrypoints.openai.api_server]", line)
    assert said(script.replace("      args: [--port=8080, --dtype=auto]\n", "") + MODEL) == [
        ("spec.containers[0].command[2]", "GPU749", "warning")
    ]
