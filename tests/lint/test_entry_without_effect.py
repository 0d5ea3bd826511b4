"""GPU878: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

APP = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: chat, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: serving}
  source: {repoURL: https://git.example.com/chat.git, path: deploy, targetRevision: main}
"""
OPTIONS = APP + "  syncPolicy: {syncOptions: ['OPTION']}\n"
IGNORED = APP + "  ignoreDifferences: [{ENTRY}]\n"
SET = """apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: chat, namespace: argocd}
spec:
  goTemplate: GO
  generators: [{list: {elements: [{cluster: a}]}}]
  template:
    metadata: {name: 'NAME'}
    spec:
      project: default
      destination: {server: https://kubernetes.default.svc, namespace: serving}
      source:
        repoURL: https://git.example.com/chat.git
        path: deploy
        helm: {values: "a: '{{ other }}'"}
"""


def said(manifest: str) -> list[str]:
    findings = [one.finding() for one in raised(manifest)]
    return [
        f"{finding.message} | {finding.note}" for finding in findings if finding.rule == "GPU878"
    ]


@pytest.mark.parametrize(
    ("option", "right"),
    [
        ("ServerSideApply: true", "ServerSideApply=true"),
        ("CreateNamespace=True", "CreateNamespace=true"),
        ("RespectIgnoreDifference=true", "RespectIgnoreDifferences=true"),
        ("ServerSideApply", "ServerSideApply=true"),
        ("ServerSideApply=true", None),
        ("Prune=confirm", None),
        ("PrunePropagationPolicy=orphan", None),
        ("Something=else", None),
        ("{{option}}", None),
    ],
)
def test_sync_options(option: str, right: str | None) -> None:
    found = said(OPTIONS.replace("OPTION", option))
    assert (f"write `{right}`" in found[0]) if right else not found


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        (
            "group: serving.kserve.io/v1beta1, kind: InferenceService, jsonPointers: [/spec]",
            "version",
        ),
        ("group: '', kind: MutatingWebhookConfiguration, jsonPointers: [/webhooks]", "admission"),
        ("kind: Deployment, jsonPointers: [/spec/replicas]", "is of group `apps`"),
        ("group: apps, kind: Deployment, jsonPointers: [spec/replicas]", "begins with `/`"),
        ("group: apps, kind: Deployment, jqPathExpressions: [spec.replicas]", "begins with `.`"),
        ("group: apps, kind: Deployment, jsonPointers: [/spec/replicas]", None),
        ("group: '*', kind: '*', managedFieldsManagers: [keda-operator]", None),
        ("kind: Secret, jsonPointers: [/data]", None),
        ("group: batch.volcano.sh, kind: Job, jqPathExpressions: ['.spec.tasks[]']", None),
        ("group: x.example.com, kind: Thing, jqPathExpressions: ['(.a, .b)']", None),
        ("group: x.example.com, kind: Thing, jqPathExpressions: ['select(.a.b) | .spec']", None),
        ("group: x.example.com, kind: Thing, jqPathExpressions: ['getpath([\"a\"])']", None),
    ],
)
def test_ignored_differences(entry: str, word: str | None) -> None:
    found = said(IGNORED.replace("ENTRY", entry))
    assert (word in found[0]) if word else not found


@pytest.mark.parametrize(
    ("go", "name", "word"),
    [
        ("true", "chat-{{cluster}}", "calls a function"),
        ("false", "chat-{{.cluster}}", "leaves the braces"),
        ("true", "chat-{{.cluster}}", None),
        ("true", "{{ if .a }}a{{ else }}b{{ end }}", None),
        ("false", "chat-{{cluster}}", None),
        ("false", "chat-{{metadata.labels.env}}", None),
    ],
)
def test_placeholders_of_a_set(go: str, name: str, word: str | None) -> None:
    found = said(SET.replace("GO", go).replace("NAME", name))
    assert (word in found[0]) if word else not found
