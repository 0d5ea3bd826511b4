"""Workers that a JobSet carries: who they are, how they meet, and what ends or restarts them."""

import re

import pytest

from tests.targets.conftest import TRAINING, Run, Values

HERE: Values = {"installed": {"jobset": "0.12", "kueue": "0.19"}, "targets": {"gang": "jobset"}}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}


def jobset(run: Run, spec: Values) -> Values:
    (made,) = run.objects("Training", spec, **HERE)
    assert (made["apiVersion"], made["kind"]) == ("jobset.x-k8s.io/v1alpha2", "JobSet")
    return made


def job(made: Values) -> Values:
    (one,) = made["spec"]["replicatedJobs"]
    assert (one["name"], one["replicas"]) == ("worker", 1)
    found: Values = one["template"]["spec"]
    return found


def test_workers_meet_under_the_jobsets_own_names(run: Run) -> None:
    """Its controller makes the Service and says in each pod that its name lies there."""
    made = jobset(run, SEVERAL)
    assert made["spec"]["network"] == {
        "enableDNSHostnames": True,
        "subdomain": "work-1",
        "publishNotReadyAddresses": True,
    }
    one = job(made)
    assert (one["completions"], one["parallelism"], one["completionMode"]) == (4, 4, "Indexed")
    pod = one["template"]["spec"]
    assert "subdomain" not in pod
    main = pod["containers"][0]
    assert "--master-addr=work-1-worker-0-0.work-1" in main["command"]
    assert "--node-rank=$(JOB_COMPLETION_INDEX)" in main["command"]
    env = {each["name"]: each for each in main["env"]}
    assert env["MASTER_ADDR"]["value"] == "work-1-worker-0-0.work-1"
    rank = env["NODE_RANK"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert rank == "metadata.labels['batch.kubernetes.io/job-completion-index']"


def fate(made: Values, reason: str, message: str) -> str:
    """What the controller does with a failed Job: the first rule that matches it."""
    for rule in made["spec"]["failurePolicy"]["rules"]:
        patterns = rule.get("onJobFailureMessagePatterns", [""])
        if reason in rule["onJobFailureReasons"] and any(re.search(p, message) for p in patterns):
            return str(rule["action"])
    return "RestartJobSet"


# As the Job controller words them.
DISRUPTED = "Pod ns/p has condition DisruptionTarget matching FailJob rule at index 0"
EXITED = "Container main for pod ns/p failed with exit code 126 matching FailJob rule at index 1"


@pytest.mark.parametrize(
    ("reason", "message", "action"),
    [
        ("PodFailurePolicy", DISRUPTED, "RestartJobSetAndIgnoreMaxRestarts"),
        ("PodFailurePolicy", EXITED, "FailJobSet"),
        ("DeadlineExceeded", "Job was active longer than specified deadline", "FailJobSet"),
        ("BackoffLimitExceeded", "Job has reached the specified backoff limit", "RestartJobSet"),
    ],
)
def test_what_a_failure_does_follows_from_what_it_was(
    run: Run, reason: str, message: str, action: str
) -> None:
    spec = {"retries": {"limit": 5}, "duration": {"max": "1h"}}
    made = jobset(run, SEVERAL | spec)
    assert made["spec"]["failurePolicy"]["maxRestarts"] == 5
    assert job(made)["backoffLimit"] == 0
    assert fate(made, reason, message) == action


def test_the_job_fails_by_a_disruption_before_it_looks_at_exit_codes(run: Run) -> None:
    """An evicted pod may well end with a code that is listed."""
    spec = SEVERAL | {"retries": {"failOnExitCodes": [143]}}
    first, second = job(jobset(run, spec))["podFailurePolicy"]["rules"]
    assert first["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    assert second["onExitCodes"]["values"] == [143]
    assert {first["action"], second["action"]} == {"FailJob"}


def test_without_exit_codes_nothing_is_told_of_them(run: Run) -> None:
    made = jobset(run, SEVERAL | {"retries": {"failOnExitCodes": []}})
    assert len(job(made)["podFailurePolicy"]["rules"]) == 1
    assert fate(made, "PodFailurePolicy", EXITED) == "RestartJobSet"


def test_its_queue_holds_the_jobset(run: Run) -> None:
    spec = SEVERAL | {"queue": "research", "duration": {"max": "1h"}}
    made = jobset(run, spec)
    labels = made["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "research"
    assert labels["kueue.x-k8s.io/max-exec-time-seconds"] == "3660"
    assert "suspend" not in made["spec"]
    template = made["spec"]["replicatedJobs"][0]["template"]
    assert "kueue" not in str(template)


def test_what_its_webhook_fills_in_is_written_out(run: Run) -> None:
    """Else a sync would find a difference in fields that nobody can change."""
    made = jobset(run, SEVERAL)["spec"]
    assert made["successPolicy"] == {"operator": "All"}
    assert made["startupPolicy"] == {"startupPolicyOrder": "AnyOrder"}
    assert made["failurePolicy"]["restartStrategy"] == "BlockingRecreate"
    assert made["replicatedJobs"][0]["groupName"] == "default"
    assert (
        made["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["restartPolicy"]
        == "Never"
    )
    assert all(rule["name"] for rule in made["failurePolicy"]["rules"])


def test_a_restart_begins_the_time_anew_which_is_said_unless_a_queue_counts(run: Run) -> None:
    """Without retries too: a disruption restarts the set and is not counted."""
    said = "`duration.max` (6h) starts over with each restart of a JobSet, also after a disruption"
    spec = SEVERAL | {"duration": {"max": "6h"}}
    for more in ({}, {"retries": {"limit": 0}}):
        assert said in run("render", "Training", spec | more, profile=HERE)[2]
    assert "anew" not in run("render", "Training", spec | {"queue": "research"}, profile=HERE)[2]
    why = run("explain", "Training", spec, profile=HERE)[1]
    assert "stopped 6h after each start of the set" in why


def test_a_changed_template_is_another_run(run: Run) -> None:
    spec = {key: value for key, value in SEVERAL.items() if key != "run"}
    first = jobset(run, spec)["metadata"]["name"]
    assert re.fullmatch("work-[0-9a-f]{8}", first)
    assert jobset(run, spec)["metadata"]["name"] == first
    assert jobset(run, spec | {"env": {"A": "b"}})["metadata"]["name"] != first
    assert jobset(run, spec | {"retries": {"limit": 1}})["metadata"]["name"] != first


@pytest.mark.parametrize(
    ("installed", "words"),
    [
        ({}, "but the profile does not list it write it in the profile, installed: {jobset: "),
        ({"jobset": "0.9"}, "needs JobSet 0.10 or later, and the profile has 0.9"),
        ({"jobset": "v0.8.2"}, "needs JobSet 0.10 or later, and the profile has v0.8.2"),
    ],
)
def test_without_the_controller_it_is_refused(run: Run, installed: Values, words: str) -> None:
    said = run.refused("Training", SEVERAL, **HERE | {"installed": installed})
    assert words in said
    assert "profile.yaml:" in said


def test_names_that_its_pods_could_not_have_are_refused(run: Run) -> None:
    """They are longer than a Job's: the part and the number of the Job stand in them too."""
    fits = SEVERAL | {"run": "x" * 40}
    assert jobset(run, fits)
    said = run.refused("Training", SEVERAL | {"run": "x" * 42}, **HERE)
    assert "the names of its pods have 64 characters, 1 too many" in said
    assert "<name>-<run>-worker-0-<index>-<5 letters>, 63 characters at most" in said
    code, *_ = run("render", "Training", SEVERAL | {"run": "x" * 42}, "--target", "job")
    assert code == 0


def test_an_override_changes_the_jobset(run: Run) -> None:
    patch = {"spec": {"ttlSecondsAfterFinished": 600}}
    made = jobset(run, SEVERAL | {"overrides": [{"kind": "JobSet", "patch": patch}]})
    assert made["spec"]["ttlSecondsAfterFinished"] == 600
    other = SEVERAL | {"overrides": [{"kind": "Job", "patch": patch}]}
    code, _, said = run("render", "Training", other, profile=HERE)
    assert code == 2
    assert "override of Job matches nothing available: JobSet work-1" in " ".join(said.split())


def test_one_worker_is_a_gang_too(run: Run) -> None:
    made = jobset(run, TRAINING | {"run": "1"})
    assert job(made)["completions"] == 1
