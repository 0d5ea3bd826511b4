"""GPU304: containers of one pod that have the same GPU by a claim."""

import pytest

from tests.lint.pages import raised

CLAIMED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one-gpu, namespace: rag}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: CLASS}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: models, namespace: rag}
spec:
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
  containers:
    - name: server
      image: vllm/vllm-openai:v0.19.1
      args: [--model, /models/a, TOLD]
      resources: {claims: [{name: gpu}]}
    - name: beside
      image: IMAGE
      args: [ARGS]
      resources: {claims: [USE]}
"""
TEI = "ghcr.io/huggingface/text-embeddings-inference:89-1.9"
PART = "--gpu-memory-utilization={}".format


@pytest.mark.parametrize(
    ("told", "image", "args", "use", "device_class", "said"),
    [
        (PART("0.95"), TEI, "--model-id=/models/b", "{name: gpu}", "gpu.nvidia.com", True),
        ("--port=8000", TEI, "--model-id=/models/b", "{name: gpu}", "gpu.nvidia.com", True),
        (PART("0.6"), "vllm/vllm-openai:v0.19.1", PART("0.5"), "{name: gpu, request: gpu}", "gpu.nvidia.com", True),
        (PART("0.5"), "vllm/vllm-openai:v0.19.1", PART("0.5"), "{name: gpu}", "gpu.nvidia.com", False),
        (PART("0.80"), TEI, "--model-id=/models/b", "{name: gpu}", "gpu.nvidia.com", False),
        # What is unknown may be a monitor, and what names no claim has no GPU.
        (PART("0.95"), "example.com/monitor:1", "", "{name: gpu}", "gpu.nvidia.com", False),
        (PART("0.95"), TEI, "--model-id=/models/b", "", "gpu.nvidia.com", False),
        (PART("0.95"), TEI, "--model-id=/models/b", "{name: gpu}", "nic.example.com", False),
    ],
)  # fmt: skip
def test_containers_with_one_claim(
    told: str, image: str, args: str, use: str, device_class: str, said: bool
) -> None:
    text = CLAIMED.replace("TOLD", told).replace("IMAGE", image).replace("ARGS", args)
    text = text.replace("USE", use).replace("CLASS", device_class)
    found = [one.found.message for one in raised(text) if one.rule.code == "GPU304"]
    assert ["the same GPU by claim `gpu`" in message for message in found] == [True] * said
    assert not [
        one
        for one in raised(text.replace("kind: ResourceClaimTemplate", "kind: Other"))
        if one.rule.code == "GPU304"
    ]
