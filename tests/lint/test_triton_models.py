"""GPU978, GPU979: beyond what their pages show."""

import pytest

from gpuspec.lint.analysis.serving.triton_models import instance_groups, model_faults
from gpuspec.manifests.text_format import Number, QuotedText, TextFormatError, read_text_format
from tests.lint.pages import page, raised

MODEL = """\
# A comment.
name: "a" "b"
backend: 'python'
max_batch_size: 8
input [ { name: "x", data_type: TYPE_FP32; dims: [ -1, 3 ] } ]
output { name: "y" data_type: TYPE_FP32 dims: 1 dims: 2 }
instance_group: [ < count: 1 kind: KIND_GPU gpus: [ 0 ] > ]
dynamic_batching { }
parameters { key: "p" value: { string_value: "a\\"b" } }
"""

LIMIT = "      resources: {limits: {nvidia.com/gpu: 1}}\n"
POD = f"""\
---
apiVersion: v1
kind: Pod
metadata: {{name: triton, namespace: serving}}
spec:
  containers:
    - name: triton
      image: nvcr.io/nvidia/tritonserver:25.06-py3
{LIMIT}\
      volumeMounts:
        - {{name: config, mountPath: /models/ranker/config.pbtxt, subPath: config.pbtxt}}
  volumes:
    - name: config
      configMap: {{name: ranker}}
"""


def _first(text: str) -> str:
    return model_faults(text)[0].message


def test_the_text_format() -> None:
    fields = read_text_format(MODEL)
    assert fields["name"] == [QuotedText("ab")] and isinstance(fields["name"][0], QuotedText)
    assert fields["input"] == [
        {"name": ["x"], "data_type": ["TYPE_FP32"], "dims": [Number("-1"), Number("3")]}
    ]
    assert fields["output"][0]["dims"] == ["1", "2"]
    assert fields["dynamic_batching"] == [{}]
    assert instance_groups(MODEL)[0].gpus == (0,)
    assert not model_faults(MODEL)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [ 1 2 ]", 1),
        ("a {\n b: 1\n", 3),
        ("a\n b", 2),
        ('a: "x\n', 1),
        ("a: }", 1),
        ("]", 1),
        ("a {" * 100, 1),
    ],
)
def test_what_is_not_of_the_format(text: str, line: int) -> None:
    with pytest.raises(TextFormatError) as error:
        read_text_format(text)
    assert error.value.line == line


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("max_batch_size", "max_batchsize", "`max_batchsize` is not a field"),
        ("TYPE_FP32;", "TYPE_FLOAT32;", "does not accept `TYPE_FLOAT32`"),
        ("TYPE_FP32;", '"TYPE_FP32";', "is a word without quotes"),
        ("KIND_GPU", "KIND_CPU", "names `gpus`"),
        ("dynamic_batching { }", "dynamic_batching { preferred_batch_size: 16 }", "is above"),
        ("backend:", 'platform: "tensorrt_plan" backend:', "belongs to backend `tensorrt`"),
        ("backend: 'python'", 'platform: "ensemble"', "`ensemble_scheduling` is missing"),
        ("max_batch_size: 8", "max_batch_size: 8 max_batch_size: 4", "is set 2 times"),
        ("name: ", "response_cache { enable: true } sequence_batching { } name: ", "excludes"),
        ("backend: 'python'", "backend: 'python", "not in protobuf's text format"),
    ],
)
def test_what_triton_rejects(before: str, after: str, message: str) -> None:
    assert message in _first(MODEL.replace(before, after, 1))


def test_triton_completes_what_is_missing() -> None:
    assert not model_faults(MODEL.replace(" dims: 1 dims: 2", ""))
    assert not model_faults("max_batch_size: 4")


def test_a_field_of_a_newer_release_is_a_warning() -> None:
    (fault,) = model_faults(MODEL + "quantum_batching { }")
    assert fault.severity == "warning"


def test_what_may_see_other_gpus() -> None:
    config, pod = page("serving.triton_model_refused").blocks("Right")[0].text, POD

    def is_found(text: str) -> bool:
        return "GPU979" in [one.rule.code for one in raised(text)]

    assert not is_found(config + pod)
    beyond = config.replace("gpus: [ 0 ]", "gpus: [ 1 ]")
    assert is_found(beyond + pod)
    env = "      env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]\n"
    assert not is_found(beyond + pod.replace(LIMIT, LIMIT + env))
    assert is_found(config + pod.replace(LIMIT, ""))
    other = pod.replace("spec:\n", "spec:\n  runtimeClassName: nvidia\n")
    assert not is_found(config + other.replace(LIMIT, ""))
    assert is_found(config + pod.replace("/models/ranker/", "/models/other/"))
    items = "name: ranker, items: [{key: config.pbtxt, path: other/config.pbtxt}]"
    whole = pod.replace("/ranker/config.pbtxt, subPath: config.pbtxt", "")
    assert is_found(config + whole.replace("configMap: {name: ranker", f"configMap: {{{items}"))
