"""GPU501: a server that KServe gives its own liveness probe."""

import pytest

from tests.lint.pages import raised

SERVICE = """\
apiVersion: serving.kserve.io/VERSION
kind: LLMInferenceService
metadata: {name: chat, namespace: ml}
spec:
  model: {uri: hf://mistralai/Mistral-Small-24B-Instruct-2501}
  template:
    containers:
      - name: NAME
        PROBE
        resources: {limits: {nvidia.com/gpu: 1}}
"""
PROBE = "{httpGet: {path: /health, port: 8000}, failureThreshold: 60}"


@pytest.mark.parametrize(
    ("version", "name", "probe", "expected"),
    [
        ("v1alpha1", "main", "", ["info"]),
        ("v1alpha2", "main", "", []),
        ("v1alpha1", "main", f"startupProbe: {PROBE}", []),
        ("v1alpha1", "other", "", []),
    ],
)
def test_older_releases_give_it_no_startup_probe(
    version: str, name: str, probe: str, expected: list[str]
) -> None:
    text = SERVICE.replace("VERSION", version).replace("NAME", name).replace("PROBE", probe)
    found = [one.finding() for one in raised(text) if one.rule.code == "GPU501"]
    assert [one.severity for one in found] == expected


@pytest.mark.parametrize(
    ("version", "delay", "more", "expected"),
    [
        ("v1alpha1", 120, "", ["warning"]),
        ("v1alpha1", 0, "", ["warning"]),
        ("v1alpha1", 1200, "", []),
        ("v1alpha1", 120, f"startupProbe: {PROBE}", []),
        ("v1alpha2", 120, "", []),
    ],
)
def test_a_liveness_probe_of_its_own_has_no_startup_probe_either(
    version: str, delay: int, more: str, expected: list[str]
) -> None:
    live = f"{{httpGet: {{path: /health, port: 8000}}, initialDelaySeconds: {delay}}}"
    probes = f"livenessProbe: {live}\n        {more}"
    text = SERVICE.replace("VERSION", version).replace("NAME", "main").replace("PROBE", probes)
    found = [one.finding() for one in raised(text) if one.rule.code == "GPU501"]
    assert [one.severity for one in found] == expected
