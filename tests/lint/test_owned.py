"""Fields that a controller sets: what is said where they are written, on kinds of every sort."""

from pathlib import Path

import pytest
import yaml

import gpuspec
from tests.lint.pages import HERE, merge
from tests.lint.patched import said

APP = """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: research, namespace: argocd}
spec: {destination: {namespace: %s}, ignoreDifferences: %s}
"""
HPA = """
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: x, namespace: %s}
spec: {maxReplicas: 4, scaleTargetRef: {apiVersion: %s, kind: %s, name: %s}}
"""
SCALES = "spec: {enableInTreeAutoscaling: true}"
ARGO = "metadata: {annotations: {argocd.argoproj.io/sync-wave: '1'}}\n"


def row(group: str, kind: str, more: str) -> str:
    return APP % ("research", f"[{{group: {group}, kind: {kind}, {more}}}]")


def test_the_field_is_the_one_that_the_kind_is_scaled_by() -> None:
    scaler = HPA % ("research", "kubeflow.org/v1", "PyTorchJob", "pretrain")
    (found,) = said(
        "GPU804", "pytorchjob", "metadata: {name: pretrain, namespace: research}", scaler
    )
    assert found.path == "spec.pytorchReplicaSpecs.Worker.replicas"
    assert "stops running workers" in found.message
    assert "/spec/pytorchReplicaSpecs/Worker/replicas" in (found.note or "")


def test_an_autoscaler_that_an_operator_makes() -> None:
    policy = "spec: {elasticPolicy: {maxReplicas: 4, metrics: [{type: Resource}]}}"
    (found,) = said("GPU804", "pytorchjob", policy)
    assert "but the autoscaler of its `elasticPolicy` controls the number" in found.message
    assert said("GPU804", "pytorchjob", "spec: {elasticPolicy: {maxReplicas: 4}}") == []


def test_a_run_is_applied_once_unless_something_syncs_it() -> None:
    policy = "spec: {elasticPolicy: {maxReplicas: 4, metrics: [{type: Resource}]}}"
    (once,) = said("GPU804", "pytorchjob", policy)
    (again,) = said("GPU804", "pytorchjob", ARGO + policy)
    assert (once.severity, again.severity) == ("info", "warning")


def test_groups_of_pods() -> None:
    scaler = HPA % ("serving", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "chat-405b")
    (found,) = said("GPU804", "leaderworkerset", "{}", scaler)
    assert found.path == "spec.replicas"


IGNORED = "jqPathExpressions: ['.spec.workerGroupSpecs[].replicas']"


@pytest.mark.parametrize(
    ("patch", "more", "number"),
    [
        (SCALES, [], 0),  # applied by hand, once
        (ARGO + SCALES, [], 1),
        (ARGO, [], 0),
        (SCALES, [APP % ("research", "[]")], 1),
        (SCALES, [row("ray.io", "RayCluster", IGNORED)], 0),
        (SCALES, [row("ray.io", "RayCluster", IGNORED + ", namespace: other")], 1),
        (SCALES, [row("ray.io", "RayCluster", "jsonPointers: [/spec/workerGroupSpecs/0/replicas]")], 0),
        (SCALES, [row("ray.io", "RayCluster", "jqPathExpressions: ['select(.spec.a) | .spec.workerGroupSpecs']")], 0),
        (SCALES, [row("ray.io", "RayCluster", "jsonPointers: [/spec/headGroupSpec]")], 1),
        (SCALES, [row("'*'", "'*'", "managedFieldsManagers: [python-requests]")], 0),
    ],
)  # fmt: skip
def test_a_list_is_applied_whole(patch: str, more: list[str], number: int) -> None:
    found = said("GPU804", "raycluster", patch, *more)
    assert len(found) == number
    for one in found:
        assert one.path == "spec.workerGroupSpecs[0].replicas"
        assert "Ray's autoscaler" in one.message


QUEUE = "metadata: {labels: {kueue.x-k8s.io/queue-name: research}, annotations: {argocd.argoproj.io/sync-wave: '1'}}\n"


@pytest.mark.parametrize(
    ("base", "patch", "more", "number"),
    [
        ("pytorchjob", "spec: {runPolicy: {suspend: true}}", [], 1),
        ("pytorchjob", "spec: {runPolicy: {suspend: true}}",
         [row("kubeflow.org", "PyTorchJob", "jsonPointers: [/spec/runPolicy/suspend]")], 0),
        ("jobset", "spec: {suspend: true}", [], 1),
        ("jobset", "spec: {suspend: true}", [row("jobset.x-k8s.io", "JobSet", "jsonPointers: [/spec/suspend]")], 0),
    ],
)  # fmt: skip
def test_suspend_where_each_kind_has_it(
    base: str, patch: str, more: list[str], number: int
) -> None:
    patch = QUEUE.replace("metadata: {", "metadata: {namespace: research, ") + patch
    assert len(said("GPU718", base, patch, *more)) == number


def test_the_template_of_a_schedule_stays_as_it_is() -> None:
    """Kueue sets `suspend` of the Jobs that are made, which no host applies."""
    queued = "metadata: {labels: {kueue.x-k8s.io/queue-name: research}}"
    patch = f"{ARGO}spec: {{jobTemplate: {{{queued}, spec: {{suspend: true}}}}}}"
    assert said("GPU718", "cronjob", patch) == []


@pytest.mark.parametrize(
    ("base", "patch", "fixed"),
    [
        (
            "pytorchjob",
            "spec: {elasticPolicy: {maxReplicas: 4, metrics: [{type: Resource}]}}",
            True,
        ),
        ("raycluster", ARGO + SCALES, False),  # to leave it out of the list changes nothing
    ],
)
def test_what_can_be_left_out(tmp_path: Path, base: str, patch: str, fixed: bool) -> None:
    value = yaml.safe_load((HERE / "bases" / f"{base}.yaml").read_text())
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(merge(value, yaml.safe_load(patch))))
    (found,) = (one for one in gpuspec.lint(str(tmp_path)).findings if one.rule == "GPU804")
    assert (found.fix is not None) is fixed


def test_without_a_number_app_template_writes_1(tmp_path: Path) -> None:
    text = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: stream, namespace: media}
spec:
  interval: 1h
  chart: {spec: {chart: app-template, version: 4.1.1, sourceRef: {kind: HelmRepository, name: bjw-s}}}
  values:
    controllers:
      stream:
        replicas: 1
        containers:
          app:
            image: {repository: registry.example.com/stream, tag: "1.0"}
            resources: {limits: {nvidia.com/gpu: 1}}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: stream, namespace: media}
spec:
  scaleTargetRef: {name: stream}
  minReplicaCount: 0
  triggers: [{type: cron, metadata: {timezone: UTC, start: 0 8 * * *, end: 0 20 * * *, desiredReplicas: "1"}}]
"""
    file = tmp_path / "release.yaml"
    file.write_text(text)
    (found,) = gpuspec.lint(str(file), select=["GPU804"]).findings
    assert found.note is not None
    assert found.note.startswith("set `replicas: null`")
    assert found.fix is not None
    assert [edit.text for edit in found.fix.edits] == ["null"]
