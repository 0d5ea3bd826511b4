"""GPU829: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SERVICE = """\
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {{name: chat, namespace: ml}}
spec: {{modelRef: qwen3-8b, {spec}}}
"""


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("podSecurityContext: {runAsNonRoot: true}", True),
        ("runtime: vllm, podSecurityContext: {runAsNonRoot: true}", True),
        # TGI downloads by itself; an ephemeral cache needs no preparation.
        ("runtime: tgi, podSecurityContext: {runAsNonRoot: true}", False),
        ("modelCache: {persistence: Ephemeral}, podSecurityContext: {runAsNonRoot: true}", False),
        (
            "skipModelInit: true, extraArgs: [-m, /m.gguf], podSecurityContext: {runAsNonRoot: true}",
            False,
        ),
        ("skipModelInit: true, extraArgs: [--jinja]", True),
        ("skipModelInit: true, extraArgs: [--hf-repo=org/m]", False),
        ("skipModelInit: true, command: [my-server]", False),
        ("skipModelInit: true, env: [{name: LLAMA_ARG_MODEL, value: /m.gguf}]", False),
        ("runtime: vllm, skipModelInit: true", False),
    ],
)
def test_what_keeps_a_model_away(spec: str, expected: bool) -> None:
    found = raised(SERVICE.format(spec=spec))
    assert ("GPU829" in [one.rule.code for one in found]) is expected
