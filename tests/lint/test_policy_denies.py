"""GPU991: which objects a policy is asked about, beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POLICY = """apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: limits}}
spec:
  matchConstraints:
    resourceRules:
      - {{apiGroups: [{group}], apiVersions: [v1], operations: [{verb}], resources: [{what}]}}
  variables:
    - {{name: replicas, expression: object.spec.replicas}}
  validations:
    - {{expression: "{expression}", message: At most two replicas.}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: limits}}
spec: {{policyName: limits, validationActions: [{action}]{more}}}
---
apiVersion: v1
kind: Namespace
metadata: {{name: ml, labels: {{team: ml}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, namespace: ml}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec: {{containers: [{{name: main, image: "registry.example.com/chat:1"}}]}}
"""


def said(
    expression: str = "variables.replicas <= 2",
    group: str = "apps",
    verb: str = "CREATE",
    what: str = "deployments",
    action: str = "Deny",
    more: str = "",
) -> list[str]:
    written = POLICY.format(
        expression=expression, group=group, verb=verb, what=what, action=action, more=more
    )
    return [one.found.message for one in raised(written) if one.rule.code == "GPU991"]


def test_a_false_validation_is_said_with_its_message() -> None:
    assert said() == ["ValidatingAdmissionPolicy `limits` denies the object: At most two replicas"]


@pytest.mark.parametrize(
    "expression",
    [
        "variables.replicas <= 3",
        "request.userInfo.username == 'nobody'",
        "variables.unknown <= 2",
        "object.spec.missing <= 2",
        "object.spec.replicas <=",
    ],
)
def test_what_is_true_or_unknown_is_not_said(expression: str) -> None:
    assert said(expression) == []


@pytest.mark.parametrize(
    ("group", "verb", "what"),
    [
        ("batch", "CREATE", "jobs"),
        ("apps", "UPDATE", "deployments"),
        ("apps", "CREATE", "deployments/scale"),
    ],
)
def test_other_requests_are_not_its(group: str, verb: str, what: str) -> None:
    assert said(group=group, verb=verb, what=what) == []


def test_a_binding_that_only_warns_denies_nothing() -> None:
    assert said(action="Warn") == []


@pytest.mark.parametrize(
    ("selector", "count"),
    [
        ("matchLabels: {team: ml}", 1),
        ("matchLabels: {team: web}", 0),
        ("matchExpressions: [{key: team, operator: NotIn, values: [ml]}]", 0),
        ("matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [ml]}]", 1),
    ],
)
def test_the_binding_selects_namespaces(selector: str, count: int) -> None:
    more = f", matchResources: {{namespaceSelector: {{{selector}}}}}"
    assert len(said(more=more)) == count
