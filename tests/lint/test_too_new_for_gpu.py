"""GPU746: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [PRODUCTS]}]
  containers:
    - name: main
      image: vllm/vllm-openai:v0.11.0
      args: [--model, /m, ARGS]
      resources: {limits: {nvidia.com/gpu: 1}}
"""


def said(products: str, args: str) -> list[tuple[str, str]]:
    found = raised(POD.replace("PRODUCTS", products).replace("ARGS", args))
    return [
        (one.finding().severity, one.found.message) for one in found if one.rule.code == "GPU746"
    ]


@pytest.mark.parametrize(
    ("products", "args", "severity", "words"),
    [
        ("Tesla-T4", "--dtype=bfloat16", "error", "needs compute capability 8.0, but `T4` has 7.5"),
        ("Tesla-V100-SXM2-16GB", "-q, awq", "error", "needs compute capability 7.5"),
        ("Tesla-V100-SXM2-16GB", "-q, modelopt_fp4", "error", "needs compute capability 7.5"),
        ("Tesla-T4", "-q, mxfp4", "error", "needs compute capability 8.0"),
        ("Tesla-T4, NVIDIA-L4", "--dtype, bfloat16", "warning", "which the pod may get"),
    ],
)
def test_what_an_older_gpu_has_not(products: str, args: str, severity: str, words: str) -> None:
    ((level, message),) = said(products, args)
    assert level == severity
    assert words in message


@pytest.mark.parametrize(
    ("products", "args"),
    [
        ("Tesla-T4", "--dtype, half"),
        ("Tesla-T4", "--dtype, auto"),
        ("Tesla-T4", "--quantization, awq"),
        ("NVIDIA-L4", "--dtype, bfloat16"),
        ("unknown", "--dtype, bfloat16"),
    ],
)
def test_what_it_has_or_nobody_knows(products: str, args: str) -> None:
    assert not said(products, args)
