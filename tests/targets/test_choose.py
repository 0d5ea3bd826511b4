"""Which target carries a workload, and who says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuspec.cli import main

TRAINING = {"image": "ghcr.io/example/train:1", "command": ["python", "-m", "train"]}
BATCH = {"image": "ghcr.io/example/score:1", "command": ["python", "-m", "score"]}
SERVING = {
    "runtime": "vllm",
    "image": "vllm/vllm-openai:v0.33.0",
    "model": {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}},
}


class Run:
    """`gpuspec` on one spec and one profile."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def __call__(
        self,
        command: str,
        kind: str,
        spec: dict[str, Any],
        *options: str,
        profile: dict[str, Any] | None = None,
    ) -> tuple[int, str, str]:
        """Exit code, stdout and stderr."""
        files = {
            "spec.yaml": (kind, "work", spec),
            "profile.yaml": ("ClusterProfile", "here", {"kubernetes": "1.36", **(profile or {})}),
        }
        for name, (what, called, fields) in files.items():
            document = {
                "apiVersion": "gpuspec.dev/v1alpha1",
                "kind": what,
                "metadata": {"name": called},
                "spec": fields,
            }
            (self.folder / name).write_text(json.dumps(document, indent=1))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(
                "sys.argv", ["gpuspec", command, "spec.yaml", "-c", "profile.yaml", *options]
            )
            code = main()
        return (code, *self.capsys.readouterr())


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(tmp_path, capsys)


@pytest.mark.parametrize(
    ("kind", "spec", "made"),
    [
        ("Training", TRAINING, "Job"),
        ("BatchInference", BATCH, "Job"),
        ("BatchInference", BATCH | {"schedule": {"cron": "0 2 * * *"}}, "CronJob"),
        ("Inference", SERVING, "Deployment"),
    ],
)
def test_unnamed_it_is_what_comes_with_kubernetes(
    run: Run, kind: str, spec: dict[str, Any], made: str
) -> None:
    code, out, _ = run("render", kind, spec)
    assert code == 0
    assert f"\nkind: {made}\n" in out
    _, out, _ = run("explain", kind, spec)
    assert f"target {made.lower()}: " in out
    assert "[rule target]" in out


@pytest.mark.parametrize(
    ("spec", "profile", "options", "why"),
    [
        ({}, {"targets": {"gang": "job"}}, (), "[profile spec.targets.gang]"),
        ({"target": "job"}, {"targets": {"gang": "cronjob"}}, (), "[spec spec.target]"),
        (
            {"target": "cronjob"},
            {"targets": {"gang": "cronjob"}},
            ("--target", "job"),
            "[option --target]",
        ),
    ],
)
def test_whoever_is_nearer_chooses_and_explain_says_who(
    run: Run, spec: dict[str, Any], profile: dict[str, Any], options: tuple[str, ...], why: str
) -> None:
    code, out, said = run("explain", "Training", TRAINING | spec, *options, profile=profile)
    assert code == 0, said
    words = " ".join(out.split())
    assert "- target job: " in words
    assert why in words
    code, out, _ = run("render", "Training", TRAINING | spec, *options, profile=profile)
    assert code == 0
    assert "\nkind: Job\n" in out


def test_the_profile_chooses_for_each_intent_alone(run: Run) -> None:
    profile = {"targets": {"shards": "job", "gang": "deployment"}}
    scheduled = BATCH | {"schedule": {"cron": "0 2 * * *"}}
    assert "\nkind: CronJob\n" in run("render", "BatchInference", scheduled, profile=profile)[1]
    assert "\nkind: Job\n" in run("render", "BatchInference", BATCH, profile=profile)[1]


@pytest.mark.parametrize(
    ("spec", "profile", "options", "where"),
    [
        ({"target": "jobb"}, {}, (), "spec.yaml:14:13: error: there is no target"),
        ({}, {"targets": {"gang": "jobb"}}, (), "profile.yaml:10:12: error: there is no target"),
        ({}, {}, ("--target", "jobb"), "error: --target: there is no target"),
    ],
)
def test_a_name_that_is_none_is_told_where_it_stands(
    run: Run, spec: dict[str, Any], profile: dict[str, Any], options: tuple[str, ...], where: str
) -> None:
    code, out, said = run("render", "Training", TRAINING | spec, *options, profile=profile)
    assert (code, out) == (2, "")
    assert f'{where} "jobb"\n  did you mean `job`?' in said


@pytest.mark.parametrize(
    ("kind", "spec", "words"),
    [
        (
            "Training",
            TRAINING | {"target": "deployment"},
            "target deployment carries a service, and this is pods that work together",
        ),
        ("Inference", SERVING | {"target": "job"}, "and this is a service"),
        (
            "BatchInference",
            BATCH | {"target": "cronjob"},
            "shards by a schedule, and this is shards",
        ),
        (
            "BatchInference",
            BATCH | {"schedule": {"cron": "@daily"}, "target": "job"},
            "pods that work together or shards, and this is shards by a schedule",
        ),
    ],
)
def test_what_a_target_is_not_for_is_refused_at_who_chose_it(
    run: Run, kind: str, spec: dict[str, Any], words: str
) -> None:
    code, out, said = run("render", kind, spec)
    assert (code, out) == (1, "")
    assert words in " ".join(said.split())
    assert "targets that carry" in said
    assert "spec.yaml:" in said
