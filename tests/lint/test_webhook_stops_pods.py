"""GPU919: whose pods a webhook can stop, beyond what its page shows."""

import pytest

from tests.lint.pages import raised

HOOK = """apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{name: guard}}
webhooks:
  - name: pods.guard.example.com
    admissionReviewVersions: [v1]
    clientConfig: {{service: {{name: guard, namespace: guard}}}}
    sideEffects: None
    rules:
      - {{apiGroups: [{group}], apiVersions: [v1], operations: [{verb}], resources: [{what}]}}
    {more}
"""
METADATA_NAME = "kubernetes.io/metadata.name"


def said(
    more: str = "", group: str = '""', verb: str = "CREATE", what: str = "pods"
) -> list[tuple[str, str]]:
    text = HOOK.format(group=group, verb=verb, what=what, more=more)
    return [
        (one.found.severity or one.rule.severity, one.found.message)
        for one in raised(text)
        if one.rule.code == "GPU919"
    ]


def test_every_namespace_waits_for_it_by_default() -> None:
    (found,) = said()
    assert found == (
        "warning",
        (
            "webhook `pods.guard.example.com` must answer for new pods of every namespace: "
            "while the webhook is down, these namespaces get no pod, not even the webhook's "
            "own or a GPU plugin's"
        ),
    )


@pytest.mark.parametrize(
    ("group", "verb", "what"), [('"*"', '"*"', '"*"'), ('"*"', "CREATE, UPDATE", '"*/*"')]
)
def test_a_star_is_pods_too(group: str, verb: str, what: str) -> None:
    assert len(said(group=group, verb=verb, what=what)) == 1


@pytest.mark.parametrize(
    ("group", "verb", "what"),
    [("apps", "CREATE", "deployments"), ('""', "DELETE", "pods"), ('""', "CREATE", "pods/exec")],
)
def test_what_makes_no_pods_stops_none(group: str, verb: str, what: str) -> None:
    assert said(group=group, verb=verb, what=what) == []


@pytest.mark.parametrize(
    "selector",
    [
        "namespaceSelector: {matchLabels: {team: research}}",
        "namespaceSelector: {matchExpressions: [{key: guard, operator: Exists}]}",
        "namespaceSelector: {matchExpressions: [{key: guard.example.com/off, operator: DoesNotExist}]}",
        f"namespaceSelector: {{matchExpressions: [{{key: {METADATA_NAME}, operator: In, values: [ml]}}]}}",
        "objectSelector: {matchLabels: {guard: 'on'}}",
        "matchConditions: [{name: gpus, expression: 'true'}]",
        "failurePolicy: Ignore",
    ],
)
def test_what_bounds_it_is_enough(selector: str) -> None:
    assert said(selector) == []


def test_a_list_of_others_leaves_system_pods_in() -> None:
    row = f"{{key: {METADATA_NAME}, operator: NotIn, values: [guard]}}"
    (found,) = said(f"namespaceSelector: {{matchExpressions: [{row}]}}")
    assert "namespaces that include `kube-system`" in found[1]


def test_a_long_wait_for_one_that_fails_open_is_said_as_information() -> None:
    (found,) = said("failurePolicy: Ignore\n    timeoutSeconds: 30")
    assert found == (
        "info",
        (
            "every new pod of every namespace waits 30 s while webhook "
            "`pods.guard.example.com` is down"
        ),
    )


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("None", None),
        ("NoneOnDryRun", None),
        ("Some", "GPU017"),
        ("Unknown", "GPU017"),
        (None, "GPU012"),
    ],
)
def test_side_effects_are_none_or_none_on_a_dry_run(written: str | None, code: str | None) -> None:
    line = f"    sideEffects: {written}\n" if written else ""
    bounded = "objectSelector: {matchLabels: {guard: 'yes'}}"
    text = HOOK.replace("    sideEffects: None\n", line)
    found = raised(text.format(group="''", verb="CREATE", what="pods", more=bounded))
    told = [one.rule.code for one in found if "sideEffects" in one.found.path]
    assert told == ([] if code is None else [code])
    assert all(one.severity == "error" for one in found if one.rule.code == code)
