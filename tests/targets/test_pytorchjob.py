"""Workers that a PyTorchJob carries: who they are, how they meet, and what ends or restarts them."""

import re

import pytest

from tests.targets.conftest import TRAINING, Run, Values

HERE: Values = {
    "installed": {"training-operator": "1.9", "kueue": "0.19"},
    "targets": {"gang": "pytorchjob"},
}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}


def job(run: Run, spec: Values) -> Values:
    (made,) = run.objects("Training", spec, **HERE)
    assert (made["apiVersion"], made["kind"]) == ("kubeflow.org/v1", "PyTorchJob")
    return made


def worker(made: Values) -> Values:
    """Its only replicas."""
    ((name, found),) = made["spec"]["pytorchReplicaSpecs"].items()
    assert name == "Worker"
    inner: Values = found
    return inner


def test_all_workers_are_alike_and_rank_0_is_the_first(run: Run) -> None:
    made = job(run, SEVERAL)
    assert worker(made)["replicas"] == 4
    pod = worker(made)["template"]["spec"]
    assert "subdomain" not in pod
    (main,) = pod["containers"]
    assert main["name"] == "pytorch"
    assert main["ports"] == [{"name": "pytorchjob-port", "containerPort": 29500, "protocol": "TCP"}]
    for word in ("--nnodes=4", "--master-addr=work-1-worker-0", "--node-rank=$(NODE_RANK)"):
        assert word in main["command"]
    env = {each["name"]: each for each in main["env"]}
    assert env["MASTER_ADDR"]["value"] == "work-1-worker-0"
    rank = env["NODE_RANK"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert rank == "metadata.labels['training.kubeflow.org/replica-index']"


def test_one_worker_is_a_worker_too(run: Run) -> None:
    made = job(run, SEVERAL | {"workers": 1})
    assert worker(made)["replicas"] == 1
    assert "--standalone" in worker(made)["template"]["spec"]["containers"][0]["command"]
    assert made["spec"]["nprocPerNode"] == "2"


@pytest.mark.parametrize(("limit", "workers", "most"), [(3, 4, 13), (0, 4, 1), (1, 1, 2)])
def test_the_operator_gives_up_at_one_restart_more_than_is_allowed(
    run: Run, limit: int, workers: int, most: int
) -> None:
    made = job(run, SEVERAL | {"workers": workers, "retries": {"limit": limit}})
    assert made["spec"]["runPolicy"]["backoffLimit"] == most
    assert worker(made)["restartPolicy"] == "OnFailure"
    assert "restartPolicy" not in worker(made)["template"]["spec"]


def test_what_the_spec_does_not_bound_is_not_bounded(run: Run) -> None:
    assert job(run, SEVERAL)["spec"]["runPolicy"] == {
        "cleanPodPolicy": "Running",
        "backoffLimit": 13,
    }
    spec = SEVERAL | {"duration": {"max": "1h"}, "ttlAfterFinished": "1d"}
    policy = job(run, spec)["spec"]["runPolicy"]
    assert (policy["activeDeadlineSeconds"], policy["ttlSecondsAfterFinished"]) == (3600, 86400)


@pytest.mark.parametrize(
    ("retries", "words"),
    [
        ({"failOnExitCodes": [3, 126]}, "3 cannot end the run delete `failOnExitCodes`"),
        ({"onExitCode": {"42": "fail-run"}}, "42 cannot end the run delete `onExitCode`"),
        ({"failOnExitCodes": [3, 4]}, "3 and 4 cannot end the run delete `failOnExitCodes`"),
    ],
)
def test_an_exit_code_that_is_to_end_the_run_is_refused(
    run: Run, retries: Values, words: str
) -> None:
    assert words in run.refused("Training", SEVERAL | {"retries": retries}, **HERE)


def test_a_command_that_cannot_run_is_retried_which_explain_says(run: Run) -> None:
    said = "ignores exit codes: 126 and 127 are retried too"
    assert said in run("explain", "Training", SEVERAL, profile=HERE)[1]
    others: list[Values] = [{"failOnExitCodes": []}, {"limit": 0}]
    for retries in others:
        spec = SEVERAL | {"retries": retries}
        assert said not in run("explain", "Training", spec, profile=HERE)[1]


def test_only_a_queue_ends_a_run_that_hangs_which_is_said(run: Run) -> None:
    spec = SEVERAL | {"duration": {"max": "6h"}}
    said = "the operator checks `duration.max` (6h) only at an event of a pod"
    assert said in run("render", "Training", spec, profile=HERE)[2]
    queued = run("render", "Training", spec | {"queue": "research"}, profile=HERE)[2]
    assert said not in queued
    assert "only if its configuration lists `kubeflow.org/pytorchjob`" in queued


def test_an_older_kueue_lists_the_kind_by_itself(run: Run) -> None:
    older = HERE | {"installed": {"training-operator": "1.9", "kueue": "0.18"}}
    said = run("render", "Training", SEVERAL | {"queue": "research"}, profile=older)[2]
    assert "configuration lists" not in said


def test_its_queue_holds_the_pytorchjob(run: Run) -> None:
    made = job(run, SEVERAL | {"queue": "research", "duration": {"max": "1h"}})
    labels = made["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "research"
    assert labels["kueue.x-k8s.io/max-exec-time-seconds"] == "3660"
    assert "suspend" not in made["spec"]["runPolicy"]
    assert "kueue" not in str(made["spec"])


def test_names_that_are_too_long_for_its_pods_are_refused(run: Run) -> None:
    """63 characters in all: `<name>-<run>-worker-3`."""
    fits = "r" * (63 - len("work--worker-3"))
    assert job(run, SEVERAL | {"run": fits})["metadata"]["name"] == f"work-{fits}"
    said = run.refused("Training", SEVERAL | {"run": f"{fits}r"}, **HERE)
    assert "the names of its pods have 64 characters, 1 too many" in said
    assert "they are <name>-<run>-worker-<index>, 63 characters at most" in said


def test_a_changed_template_is_another_run(run: Run) -> None:
    spec = {key: value for key, value in SEVERAL.items() if key != "run"}
    first = job(run, spec)["metadata"]["name"]
    assert re.fullmatch("work-[0-9a-f]{8}", first)
    assert job(run, spec)["metadata"]["name"] == first
    assert job(run, spec | {"env": {"A": "b"}})["metadata"]["name"] != first


@pytest.mark.parametrize(
    ("installed", "words"),
    [
        ({}, "installed: {training-operator: "),
        ({"training-operator": "1.7"}, "needs PyTorchJob 1.8 or later, and the profile has 1.7"),
    ],
)
def test_without_the_operator_it_is_refused(run: Run, installed: Values, words: str) -> None:
    assert words in run.refused("Training", SEVERAL, **HERE | {"installed": installed})
