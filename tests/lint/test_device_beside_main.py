"""GPU791: beyond what its page shows."""

import pytest

from tests.lint.patched import of

SERVICE = """apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {{name: chat, namespace: serving}}
spec:
  model: {{uri: "hf://a/b"}}
  {part}: {{containers: [{containers}]}}
"""
GPU = "resources: {limits: {nvidia.com/gpu: 1}}"


@pytest.mark.parametrize("part", ["template", "worker", "prefill: {template", "other"])
@pytest.mark.parametrize(
    ("containers", "names"),
    [
        (f"{{name: vllm, {GPU}}}", ["vllm"]),
        (f"{{name: main, {GPU}}}", []),
        (f"{{name: cache, {GPU}}}, {{name: main, {GPU}}}", []),
        ("{name: logs}", []),
        (f"{{name: a, {GPU}}}, {{name: b, {GPU}}}", ["a", "b"]),
    ],
)
def test_each_part_has_a_main_container(part: str, containers: str, names: list[str]) -> None:
    text = SERVICE.format(part=part, containers=containers)
    if part.startswith("prefill"):
        text = text.rstrip() + "}\n"
    found = of("GPU791", text)
    assert len(found) == (0 if part == "other" else len(names))
    assert [one.message.split("`")[3] for one in found] == (names if found else [])
