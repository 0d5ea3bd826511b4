"""GPU853: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SERVICE = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat, namespace: serving}
spec:
  model: {uri: "hf://org/model", name: chat}
  PART
"""
TCP = "livenessProbe: {tcpSocket: {port: 8000}}"
HTTP = "livenessProbe: {httpGet: {path: /health, port: 8000}}"
SLEEP = "lifecycle: {preStop: {sleep: {seconds: 15}}}"
CONFIG = """
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: kserve-config-llm-template, namespace: serving}
spec: {}
"""


def pods(part: str, main: str, name: str = "main") -> str:
    return f"{part}: {{containers: [{{name: {name}, image: example.com/a:1, {main}}}]}}"


def said(part: str, more: str = "") -> list[str]:
    found = raised(SERVICE.replace("PART", part) + more)
    return [one.found.message for one in found if one.rule.code == "GPU853"]


@pytest.mark.parametrize(
    ("main", "words"),
    [
        (TCP, "`livenessProbe` has `tcpSocket`"),
        ("readinessProbe: {exec: {command: [ready]}}", "`readinessProbe` has `exec`"),
        (SLEEP, "`preStop` has `sleep`"),
    ],
)
def test_a_handler_of_another_kind_is_one_too_many(main: str, words: str) -> None:
    (message,) = said(pods("template", main))
    assert words in message


def test_the_same_kind_takes_the_presets_place() -> None:
    assert said(pods("template", HTTP)) == []
    assert said(pods("template", "livenessProbe: {periodSeconds: 20}")) == []
    assert said(pods("template", TCP, name="proxy")) == []


def test_prefill_has_a_preset_of_its_own() -> None:
    assert len(said(f"prefill: {{{pods('template', TCP)}}}")) == 1


def test_of_several_nodes_only_data_parallel_ones_have_one() -> None:
    both = f"{pods('template', TCP)}\n  {pods('worker', TCP)}"
    assert said(f"parallelism: {{pipeline: 2}}\n  {both}") == []
    assert len(said(f"parallelism: {{data: 2, dataLocal: 1}}\n  {both}")) == 1
    hooks = f"{pods('template', HTTP)}\n  {pods('worker', SLEEP)}"
    assert len(said(f"parallelism: {{data: 2, dataLocal: 1}}\n  {hooks}")) == 1


def test_a_preset_of_ones_own_is_another() -> None:
    assert said(pods("template", TCP), CONFIG) == []
