"""Kinds that a project may add tomorrow, or that somebody misspells, in a group whose others are known."""

import json

import pytest

import gpuspec
from gpuspec.kinds import kinds

GROUPS = sorted({one.group for one in kinds()})
CONTAINER = {"name": "main", "image": "x", "resources": {"limits": {"nvidia.com/gpu": 1}}}


def test_the_containers_of_a_set_are_those_of_the_pod() -> None:
    text = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: a}
spec:
  entrypoint: a
  templates:
    - name: a
      containerSet:
        containers: [{name: main, image: x, resources: {requests: {nvidia.com/gpu: 1}}, comand: [a]}]
"""
    found = {one.rule: one for one in gpuspec.lint_text(text.encode(), "a.yaml").findings}
    start = "spec.templates[0].containerSet.containers[0]"
    assert found["GPU102"].path.startswith(start)
    assert found["GPU010"].path == f"{start}.comand"


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("spec", [None, {"template": {"spec": {"containers": [CONTAINER]}}}])
def test_an_unknown_kind_of_a_known_group_is_linted_as_any_other(group: str, spec: object) -> None:
    labels = {"kueue.x-k8s.io/queue-name": "a"}
    one = {"apiVersion": f"{group}/v1".lstrip("/"), "kind": "Unheard", "spec": spec}
    text = json.dumps(one | {"metadata": {"name": "a", "labels": labels}})
    result = gpuspec.lint_text(text.encode(), "a.yaml")
    assert result.documents == 1
    # What is said of one kind's fields is said of no other.
    assert not {found.rule for found in result.findings} & {"GPU717", "GPU735", "GPU742", "GPU743"}
