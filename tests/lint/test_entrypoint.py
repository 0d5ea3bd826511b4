"""GPU740: beyond what its page shows."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: work}
spec:
  containers:
    - name: main
      image: IMAGE
      LINE
      resources: {limits: {nvidia.com/gpu: 1}}
"""
VLLM = "mirror.example.com/hub/vllm/vllm-openai:v0.11.0"
SGLANG = "lmsysorg/sglang:v0.5.2"
TRITON = "nvcr.io/nvidia/tritonserver:25.01-py3"
TGI = "ghcr.io/huggingface/text-generation-inference:3.1.0"


def said(image: str, line: str) -> list[RaisedFinding]:
    text = POD.replace("IMAGE", image).replace("LINE", line.replace("\n", "\n      "))
    return [one for one in raised(text) if one.rule.code == "GPU740"]


@pytest.mark.parametrize(
    ("image", "line", "words", "fixed"),
    [
        (VLLM, "args: [serve, /m]", "begin with `serve`", ["/m"]),
        (VLLM, "args: [vllm, serve, /m]", "begin with `vllm serve`", ["/m"]),
        (VLLM, "args: [python3, -m, vllm.entrypoints.openai.api_server, --model, /m]", "begin with `python3 -m", ["--model", "/m"]),
        (VLLM, "args: [bash, -c, vllm serve /m]", "begin with `bash`", ["bash"]),
        (TGI, "args: [text-generation-launcher, --model-id, /m]", "text-generation-launcher`", ["--model-id", "/m"]),
        (SGLANG, "args: [--model-path, /m]", "does not start a server by default", ["python3", "-m", "sglang.launch_server"]),
        (TRITON, "args: [--model-repository=/m]", "does not start a server by default", ["tritonserver"]),
    ],
)  # fmt: skip
def test_a_program_too_many_or_none(image: str, line: str, words: str, fixed: list[str]) -> None:
    (one,) = said(image, line)
    assert one.finding().path == "spec.containers[0].args[0]"
    assert words in one.finding().message
    assert one.found.fix is not None
    assert one.found.fix.changes[0].value == fixed  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("image", "line"),
    [
        (VLLM, "args: [/m, --port, '8000']"),
        (VLLM, "args: [--model, serve]"),
        (VLLM, "command: [vllm]\nargs: [serve, /m]"),
        (SGLANG, "args: [python3, -m, sglang.launch_server, --model-path, /m]"),
        (TRITON, "args: [tritonserver, --model-repository=/m]"),
        ("rocm/vllm:latest", "args: [serve, /m]"),
        ("registry.example.com/own:1", "args: [--model, /m]"),
    ],
)
def test_what_goes_with_the_entrypoint(image: str, line: str) -> None:
    assert not said(image, line)


RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: work}
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
          - {name: head, image: "vllm/vllm-openai:v0.6.0", LINE, resources: {limits: {nvidia.com/gpu: 1}}}
          - {name: beside, image: "vllm/vllm-openai:v0.6.0", resources: {limits: {nvidia.com/gpu: 1}}}
"""


@pytest.mark.parametrize("line", ["args: []", "args: [bash, -c, echo up]", "args: [sleep, '10']"])
def test_kuberay_starts_ray_instead_of_the_image(line: str) -> None:
    head = "spec.headGroupSpec.template.spec.containers[0]"
    found = [
        (one.rule.code, one.finding().path.removeprefix(head))
        for one in raised(RAY.replace("LINE", line))
        if one.rule.code in ("GPU740", "GPU618", "GPU503")
    ]
    # The sidecar starts its image: it logs prompts by default.
    assert [code for code, path in found if not path.startswith("spec")] == []
    assert ("GPU618", "spec.headGroupSpec.template.spec.containers[1].args") in found
