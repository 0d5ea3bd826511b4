"""GPU881: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: embed, namespace: ml}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [PRODUCTS]}]
  containers:
    - name: main
      image: IMAGE
      resources: {limits: {nvidia.com/gpu: 1}}
"""
TEI = "ghcr.io/huggingface/text-embeddings-inference:"


def said(text: str) -> list[tuple[str, str | None]]:
    found = raised(text)
    return [(one.found.message, one.found.note) for one in found if one.rule.code == "GPU881"]


@pytest.mark.parametrize(
    ("products", "image", "words", "use"),
    [
        ("Tesla-T4", f"{TEI}1.9.3", "`T4` (compute capability 7.5)", "`turing-`"),
        ("NVIDIA-L4", f"{TEI}turing-1.9", "`L4` (compute capability 8.9)", "`89-`"),
        ("NVIDIA-H100-80GB-HBM3", f"{TEI}latest", "capability 9.0)", "`hopper-`"),
        ("Tesla-V100-SXM2-16GB", f"{TEI}1.2", "capability 7.0)", "no build"),
        ("Tesla-T4, NVIDIA-L4", f"{TEI}89-1.9", "which the pod may get", "`turing-`"),
        ("NVIDIA-B200", "vllm/vllm-openai:v0.8.5.post1", "no kernel image", "12.8"),
        ("NVIDIA-B200", "lmsysorg/sglang:v0.4.9-cu126", "no kernel image", "12.8"),
        ("NVIDIA-B200", "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime", "no code", "12.8"),
        ("Tesla-V100-SXM2-16GB", "vllm/vllm-openai:v0.22.0", "capability 7.0)", "CUDA 12"),
    ],
)
def test_a_build_for_other_gpus(products: str, image: str, words: str, use: str) -> None:
    [(message, note)] = said(POD.replace("PRODUCTS", products).replace("IMAGE", image))
    assert words in message
    assert use in (note or "")


@pytest.mark.parametrize(
    ("products", "image"),
    [
        ("NVIDIA-L4", f"{TEI}1.9.3"),
        ("NVIDIA-A10", f"{TEI}86-1.9"),
        ("NVIDIA-L4", f"{TEI}86-1.9"),
        ("Tesla-T4", f"{TEI}cuda-1.9"),
        ("Tesla-T4", f"{TEI}sha-5d3e1f2"),
        ("Tesla-T4", "registry.example.com/tei@sha256:" + 64 * "0"),
        ("NVIDIA-B200", "vllm/vllm-openai:v0.9.0"),
        ("NVIDIA-B200", "lmsysorg/sglang:v0.4.9-cu128-b200"),
        ("Tesla-V100-SXM2-16GB", "vllm/vllm-openai:v0.22.0-cu129"),
        ("Tesla-T4", "vllm/vllm-openai:v0.22.0"),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", f"{TEI}hopper-1.9"),
    ],
)
def test_silent_where_it_runs_or_nothing_tells(products: str, image: str) -> None:
    assert said(POD.replace("PRODUCTS", products).replace("IMAGE", image)) == []


@pytest.mark.parametrize(
    ("machine", "model"),
    [("g4dn.4xlarge", "T4"), ("Standard_NC4as_T4_v3", "T4"), ("p5.48xlarge", "H100-80GB")],
)
def test_the_type_of_a_machine_tells_its_gpu(machine: str, model: str) -> None:
    label = "nvidia.com/gpu.product, operator: In, values: [PRODUCTS]"
    types = f"node.kubernetes.io/instance-type, operator: In, values: [{machine}]"
    [(message, _)] = said(POD.replace(label, types).replace("IMAGE", f"{TEI}1.9"))
    assert f"no code for `{model}`" in message


@pytest.mark.parametrize("machine", ["m5.large", "g6f.large", "n1-standard-4"])
def test_of_other_machines_nothing_is_known(machine: str) -> None:
    label = "nvidia.com/gpu.product, operator: In, values: [PRODUCTS]"
    types = f"node.kubernetes.io/instance-type, operator: In, values: [{machine}]"
    assert said(POD.replace(label, types).replace("IMAGE", f"{TEI}1.9")) == []
