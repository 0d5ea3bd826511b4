"""GPU869: what Argo CD does not compare, and writes."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.model import Finding
from tests.lint.patched import said

Object = dict[str, Any]
ROW: Object = {"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}
AUTOMATED: Object = {"automated": {"selfHeal": True}}


def findings(
    row: Object = ROW, policy: Object = AUTOMATED, namespace: str = "serving", patch: str = "{}"
) -> list[Finding]:
    app = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "serving", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://git.example.com/a.git", "path": "."},
            "destination": {"namespace": namespace},
            "ignoreDifferences": [row],
            "syncPolicy": policy,
        },
    }
    return said("GPU869", "deployment", patch, yaml.safe_dump(app))


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        ROW | {"name": "chat"},
        {"group": "*", "kind": "*", "jsonPointers": ["/spec/replicas"]},
        {"group": "apps", "kind": "Deployment", "jqPathExpressions": [".spec.replicas"]},
    ],
)
def test_a_field_that_is_ignored_and_written_is_told(row: Object) -> None:
    (found,) = findings(row)
    assert "spec.replicas: 2" in found.message
    assert found.path.startswith("spec.ignoreDifferences[0].")


def test_a_key_with_a_slash_is_one_step() -> None:
    row = ROW | {"jsonPointers": ["/metadata/annotations/example.com~1note"]}
    patch = "metadata: {annotations: {example.com/note: a}}"
    assert len(findings(row, patch=patch)) == 1
    assert findings(row) == []


@pytest.mark.parametrize(
    "policy",
    [
        {},
        {"automated": {"enabled": False}},
        AUTOMATED | {"syncOptions": ["RespectIgnoreDifferences=true"]},
        AUTOMATED | {"syncOptions": ["ApplyOutOfSyncOnly=true"]},
    ],
)
def test_who_leaves_it_alone_is_not_told(policy: Object) -> None:
    assert findings(policy=policy) == []


@pytest.mark.parametrize(
    "row",
    [
        ROW | {"kind": "StatefulSet"},
        ROW | {"name": "other"},
        ROW | {"jsonPointers": ["/spec/paused"]},
        ROW | {"jsonPointers": None, "managedFieldsManagers": ["hpa"]},
        ROW | {"jsonPointers": None, "jqPathExpressions": [".spec.template | .spec[0]"]},
    ],
)
def test_what_is_another_objects_or_is_not_said_is_not(row: Object) -> None:
    assert findings(row) == []


def test_an_application_of_another_namespace_says_nothing_of_it() -> None:
    assert findings(namespace="other") == []
