"""GPU873: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

TEMPLATE = "{name: train, container: {image: a/b:1, command: [train]}MORE}"
WORKFLOW = """\
apiVersion: argoproj.io/v1alpha1
kind: KIND
metadata: {name: train, namespace: ml}
spec: SPEC
"""


def notes(kind: str, spec: str, more: str = "") -> list[str | None]:
    text = WORKFLOW.replace("KIND", kind).replace("SPEC", spec)
    text = text.replace("TEMPLATES", f"entrypoint: train, templates: [{TEMPLATE}]")
    text = text.replace("MORE", more)
    return [one.found.note for one in raised(text) if one.rule.code == "GPU873"]


@pytest.mark.parametrize(
    ("kind", "spec", "more", "words"),
    [
        ("WorkflowTemplate", "{TEMPLATES, runtimeClassName: nvidia}", "", "podSpecPatch"),
        (
            "CronWorkflow",
            "{workflowSpec: {TEMPLATES, priorityClassName: low}}",
            "",
            "podPriorityClassName",
        ),
        ("Workflow", "{TEMPLATES}", ", runtimeClassName: nvidia", "podSpecPatch"),
    ],
)
def test_fields_of_specs_and_templates(kind: str, spec: str, more: str, words: str) -> None:
    (note,) = notes(kind, spec, more)
    assert note is not None
    assert words in note


def test_fields_that_workflows_share_with_pods() -> None:
    assert not notes(
        "Workflow",
        "{TEMPLATES, schedulerName: kai-scheduler, hostNetwork: true}",
        ", priorityClassName: low",
    )
