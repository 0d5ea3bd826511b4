"""Which target carries a workload, and who says so."""

import pytest

from gpuspec.targets import names, target_of
from tests.targets.conftest import BATCH, SERVING, TRAINING, Run, Values

CARRY_SERVICES = ", ".join(sorted(one for one in names() if "service" in target_of(one).intents))


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
    run: Run, kind: str, spec: Values, made: str
) -> None:
    code, out, _ = run("render", kind, spec)
    assert code == 0
    assert f"\nkind: {made}\n" in out
    _, out, _ = run("explain", kind, spec)
    assert f"target {made.lower()}: " in out
    assert "[derivation target]" in out


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
    run: Run, spec: Values, profile: Values, options: tuple[str, ...], why: str
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
        ({"target": "jobb"}, {}, (), "spec.yaml:14:13: error: unknown target"),
        ({}, {"targets": {"gang": "jobb"}}, (), "profile.yaml:10:12: error: unknown target"),
        ({}, {}, ("--target", "jobb"), "error: --target: unknown target"),
    ],
)
def test_a_name_that_is_none_is_told_where_it_stands(
    run: Run, spec: Values, profile: Values, options: tuple[str, ...], where: str
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
            "target deployment supports only services; a Training is pods that work together (gang) targets "
            "that support pods that work together: job, jobset",
        ),
        (
            "Inference",
            SERVING | {"target": "job"},
            f"; an Inference is a service targets that support services: {CARRY_SERVICES}",
        ),
        (
            "BatchInference",
            BATCH | {"target": "cronjob"},
            "target cronjob supports only scheduled shards; a BatchInference is shards (shards)",
        ),
        (
            "BatchInference",
            BATCH | {"schedule": {"cron": "@daily"}, "target": "job"},
            "pods that work together or shards; a BatchInference is scheduled shards (schedule)",
        ),
    ],
)
def test_what_a_target_is_not_for_is_refused_at_who_chose_it(
    run: Run, kind: str, spec: Values, words: str
) -> None:
    code, out, said = run("render", kind, spec)
    assert (code, out) == (1, "")
    assert words in " ".join(said.split())
    assert "targets that support" in said
    assert "spec.yaml:" in said
