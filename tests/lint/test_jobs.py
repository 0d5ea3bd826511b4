"""C-33, C-34, C-60: Jobs, their policies, their names, and what makes them anew."""

from typing import Any

import pytest

from gpuspec.lint.analysis.gangs.jobs import has_fresh_name
from gpuspec.objects.objects import Object
from tests.lint.pages import merge
from tests.lint.patched import said as patched
from tests.lint.sets import base, codes, container, lint


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"podReplacementPolicy": "TerminatingOrFailed"}, "spec.podReplacementPolicy"),
        (
            {"maxFailedIndexes": 1, "completionMode": "Indexed", "completions": 2},
            "spec.maxFailedIndexes",
        ),
        ({"completionMode": "Indexed", "parallelism": 2}, "spec.completions"),
        ({"successPolicy": {"rules": [{"succeededCount": 1}]}}, "spec.successPolicy"),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}}
                    ]
                }
            },
            "spec.podFailurePolicy.rules[0].action",
        ),
        (
            {"podFailurePolicy": {"rules": [{"action": "FailJob"}]}},
            "spec.podFailurePolicy.rules[0]",
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [0, 1]}}
                    ]
                }
            },
            "spec.podFailurePolicy.rules[0].onExitCodes.values",
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {
                            "action": "FailJob",
                            "onExitCodes": {
                                "containerName": "nobody",
                                "operator": "In",
                                "values": [1],
                            },
                        }
                    ]
                }
            },
            "spec.podFailurePolicy.rules[0].onExitCodes.containerName",
        ),
        ({"template": {"spec": {"restartPolicy": None}}}, "spec.template.spec.restartPolicy"),
    ],
)
def test_policies_that_exclude_each_other_are_refused(spec: dict[str, Any], path: str) -> None:
    """C-34"""
    found = lint(base("job", {"spec": spec}))
    assert [(one.rule, one.path, one.severity) for one in found] == [("GPU721", path, "error")]


def test_a_limit_by_index_beside_on_failure_is_taken_and_counts_nothing() -> None:
    """C-34"""
    spec = {
        "completionMode": "Indexed",
        "completions": 4,
        "backoffLimitPerIndex": 1,
        "podFailurePolicy": None,
        "template": {"spec": {"restartPolicy": "OnFailure"}},
    }
    (found,) = [one for one in lint(base("job", {"spec": spec})) if one.rule == "GPU721"]
    assert (found.path, found.severity) == ("spec.template.spec.restartPolicy", "warning")
    assert "refused" not in found.message


def test_on_failure_is_fine_without_a_policy() -> None:
    """C-34"""
    patch = {
        "spec": {
            "podFailurePolicy": None,
            "podReplacementPolicy": None,
            "template": {"spec": {"restartPolicy": "OnFailure"}},
        }
    }
    assert lint(base("job", patch)) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["python", "finetune.py"], True),
        (["torchrun", "--nproc-per-node=1", "-m", "train"], True),
        (["bash", "-c", "python pretrain_gpt.py && sleep infinity"], False),
        (["python", "constrained_decoding.py"], False),
        (["python", "train_server.py"], False),
        (["python", "app.py"], False),
    ],
)
def test_training_is_known_by_its_program(command: list[str], said: bool) -> None:
    """C-33: finite work is a Job's; a name that only looks like it is not."""
    quiet = {"args": None, "ports": None, "lifecycle": None}
    probes = dict.fromkeys(("startupProbe", "readinessProbe", "livenessProbe"))
    service = base("deployment", container(command=command, **quiet, **probes))
    assert ("GPU722" in codes(lint(service))) is said


def test_a_server_with_a_deadline_ends() -> None:
    """C-33"""
    serves = container(
        image="vllm/vllm-openai:v0.33.0", command=["vllm", "serve"], args=["/m", "-tp", "8"]
    )
    assert codes(lint(base("job", serves))) == ["GPU723"]
    assert lint(base("job", merge(serves, {"spec": {"activeDeadlineSeconds": 3600}}))) == []
    batch = container(
        image="vllm/vllm-openai:v0.33.0", command=["vllm", "run-batch"], args=["-i", "x"]
    )
    assert lint(base("job", batch)) == []


@pytest.mark.parametrize(
    ("name", "fresh"),
    [
        ("nightly-embed", False),
        ("train-2026-06-01", True),
        ("pretrain-cab5ed3d", True),
        ("embed-v12", True),
        ("llama-70b", False),
    ],
)
def test_a_name_that_changes_is_told_from_one_that_does_not(name: str, fresh: bool) -> None:
    """C-60"""
    assert has_fresh_name(Object({"metadata": {"name": name}})) is fresh


def test_hooks_and_forced_jobs_may_keep_their_names() -> None:
    """C-60"""
    argo = "argocd.argoproj.io"
    fixed = {"metadata": {"name": "embed", "annotations": {f"{argo}/sync-wave": "1"}}}
    assert codes(lint(base("job", fixed))) == ["GPU724"]
    for key, value in (("hook", "Sync"), ("sync-options", "Prune=false, Replace=true")):
        quiet = merge(fixed, {"metadata": {"annotations": {f"{argo}/{key}": value}}})
        assert lint(base("job", quiet)) == []
    assert lint(base("job", {"metadata": {"name": "embed"}})) == []


def test_hooks_of_helm_are_judged_as_those_of_argo() -> None:
    """C-60"""
    hook = {"helm.sh/hook": "pre-install", "helm.sh/hook-delete-policy": "hook-succeeded"}
    assert codes(lint(base("job", {"metadata": {"annotations": hook}}))) == ["GPU725"]
    hook["helm.sh/hook-delete-policy"] = "before-hook-creation,hook-succeeded"
    assert lint(base("job", {"metadata": {"annotations": hook}})) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["sh", "-c", "sleep 600"], False),
        (["sleep", "600"], False),
        (["sleep", "infinity"], True),
        (["sh", "-c", "while true; do sleep 9; done"], True),
        (["sh", "-c", "sleep 60; python train.py"], True),
    ],
)
def test_a_sleep_of_a_written_time_ends_without_a_deadline(command: list[str], said: bool) -> None:
    """C-33"""
    main = f"{{name: main, command: {command}, args: null}}"
    spec = (
        "spec: {backoffLimit: null, podFailurePolicy: null, "
        f"template: {{spec: {{containers: [{main}]}}}}}}"
    )
    assert bool(patched("GPU727", "job", spec)) is said
