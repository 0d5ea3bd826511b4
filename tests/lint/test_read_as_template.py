"""GPU854: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised


def said(**spec: object) -> list[str]:
    service = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "chat", "namespace": "serving", **spec.pop("metadata", {})},  # type: ignore[dict-item]
        "spec": {"model": {"uri": "hf://org/model", "name": "chat"}, **spec},
    }
    return [one.found.message for one in raised(json.dumps(service)) if one.rule.code == "GPU854"]


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("{{ messages }}", "messages"),
        ("a {{- bos_token ~ x }}", "bos_token"),
        ("{{ .Spec.Model.Name }} {{ workflow.name }}", "workflow"),
    ],
)
def test_what_no_template_knows_is_said_wherever_it_stands(text: str, unknown: str) -> None:
    for found in (
        said(annotations={"a": text}),
        said(metadata={"annotations": {"a": text}}),
        said(template={"containers": [{"name": "main", "args": ["--x", text]}]}),
    ):
        (message,) = found
        assert f"has no function `{unknown}`" in message


@pytest.mark.parametrize(
    "text",
    [
        "{{ .Spec.Model.Name }}",
        "{{ if .GlobalConfig.EnableTLS }}HTTPS{{else}}HTTP{{- end }}",
        "{{ ChildName .ObjectMeta.Name `-kserve` }}",
        "{{`{{`}} messages }}",
        '{"a":{"b":{}}}',
        "{% for message in messages %}",
    ],
)
def test_templates_and_other_braces_are_fine(text: str) -> None:
    assert said(annotations={"a": text}) == []
