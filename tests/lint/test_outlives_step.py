"""GPU785: beyond what its page shows."""

from typing import Any

import pytest
import yaml

from tests.lint.pages import raised

POD = {
    "containers": [{"name": "a", "image": "b:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}]
}
MADE: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"generateName": "train-"},
    "spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}},
}


def said(
    made: Any,
    kind: str = "Workflow",
    step: int | None = 3600,
    run: int | None = None,
    **resource: Any,
) -> list[str]:
    """What is said of a workflow with one step, and limits of the step and of the run."""
    manifest = made if isinstance(made, str) else yaml.safe_dump(made)
    template = {
        "name": "train",
        "activeDeadlineSeconds": step,
        "resource": {"action": "create", "manifest": manifest, **resource},
    }
    spec = {"entrypoint": "train", "activeDeadlineSeconds": run, "templates": [template]}
    whole = {"schedule": "0 1 * * *", "workflowSpec": spec} if kind == "CronWorkflow" else spec
    one = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": whole,
    }
    found = [each.finding() for each in raised(yaml.safe_dump(one)) if each.rule.code == "GPU785"]
    return [each.message for each in found]


@pytest.mark.parametrize("kind", ["Workflow", "WorkflowTemplate", "CronWorkflow"])
def test_the_first_limit_above_it_counts(kind: str) -> None:
    assert "`activeDeadlineSeconds: 3600` ends the step" in said(MADE, kind, run=7200)[0]
    assert "`activeDeadlineSeconds: 1800` ends the step" in said(MADE, kind, run=1800)[0]
    assert said(MADE, kind, step=None) == []


@pytest.mark.parametrize(("seconds", "told"), [(3500, False), (3600, False), (7200, True)])
def test_a_limit_of_its_own_comes_first(seconds: int, told: bool) -> None:
    made = {**MADE, "spec": {**MADE["spec"], "activeDeadlineSeconds": seconds}}
    assert bool(said(made)) is told


def test_what_argo_fills_in_is_no_yaml_and_is_read_all_the_same() -> None:
    assert said(yaml.safe_dump(MADE).replace("b:1", "{{inputs.parameters.image}}"))
    assert said("{{inputs.parameters.job}}") == []


def test_only_what_runs_until_it_is_done_and_is_made_here() -> None:
    assert said(MADE, action="get") == []
    server = {**MADE, "apiVersion": "apps/v1", "kind": "Deployment"}
    assert said(server) == []
    plain = yaml.safe_dump(MADE).replace("nvidia.com/gpu", "cpu")
    assert said(plain) == []
