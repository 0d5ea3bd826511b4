"""Workers that a TFJob carries: one process in each, which the operator tells of the others."""

import pytest

from tests.targets.conftest import TRAINING, Run, Values

HERE: Values = {
    "installed": {"training-operator": "1.9", "kueue": "0.19"},
    "targets": {"gang": "tfjob"},
}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}


def job(run: Run, spec: Values) -> Values:
    (made,) = run.objects("Training", spec, **HERE)
    assert (made["apiVersion"], made["kind"]) == ("kubeflow.org/v1", "TFJob")
    return made


def worker(made: Values) -> Values:
    """Its only replicas."""
    ((name, found),) = made["spec"]["tfReplicaSpecs"].items()
    assert name == "Worker"
    inner: Values = found
    return inner


def test_all_workers_run_the_command_as_it_is(run: Run) -> None:
    """No launcher of torch, and nothing that such a one is told."""
    made = job(run, SEVERAL)
    assert made["spec"]["successPolicy"] == "AllWorkers"
    assert worker(made)["replicas"] == 4
    (main,) = worker(made)["template"]["spec"]["containers"]
    assert main["name"] == "tensorflow"
    assert main["command"] == TRAINING["command"]
    assert main["ports"] == [{"name": "tfjob-port", "containerPort": 2222, "protocol": "TCP"}]
    names = {each["name"] for each in main["env"]}
    assert names.isdisjoint(("MASTER_ADDR", "NODE_RANK", "WORLD_SIZE", "TF_CONFIG"))


def test_explain_says_who_tells_the_workers(run: Run) -> None:
    said = " ".join(run("explain", "Training", SEVERAL, profile=HERE)[1].split())
    assert "one process in 4 workers, which has 2 GPUs to use; the operator passes" in said
    alone = " ".join(run("explain", "Training", SEVERAL | {"workers": 1}, profile=HERE)[1].split())
    assert "one process in 1 worker, which has 2 GPUs to use" in alone
    assert "TF_CONFIG" not in alone


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"launcher": "torchrun"},
            "`launcher: torchrun` does not work with target tfjob: a TFJob has one process in each worker",
        ),
        (
            {"command": ["torchrun", "train.py"]},
            "`torchrun train.py` starts several processes, but TF_CONFIG of a TFJob describes one in each worker",
        ),
        (
            {"retries": {"failOnExitCodes": [3]}},
            "target tfjob ignores exit codes, so 3 cannot end the run",
        ),
        ({"run": "r" * 50}, "the names of its pods have 64 characters, 1 too many"),
        (
            {"roles": [{"name": "ps", "resources": {"cpu": 1, "memory": "1Gi"}}]},
            "target tfjob supports only workers",
        ),
    ],
)
def test_what_it_cannot_carry_is_refused(run: Run, more: Values, words: str) -> None:
    assert words in run.refused("Training", SEVERAL | more, **HERE)


def test_launcher_none_is_what_it_does_anyway(run: Run) -> None:
    assert job(run, SEVERAL | {"launcher": "none"})["spec"] == job(run, SEVERAL)["spec"]


def test_its_queue_holds_the_tfjob_where_its_kind_is_listed(run: Run) -> None:
    made = job(run, SEVERAL | {"queue": "research"})
    assert made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "research"
    assert "suspend" not in made["spec"]["runPolicy"]
    said = run("render", "Training", SEVERAL | {"queue": "research"}, profile=HERE)[2]
    assert "only if its configuration lists `kubeflow.org/tfjob`" in said


def test_its_run_policy_is_that_of_the_operator_s_other_jobs(run: Run) -> None:
    spec = SEVERAL | {"duration": {"max": "1h"}, "ttlAfterFinished": "1d"}
    assert job(run, spec)["spec"]["runPolicy"] == {
        "cleanPodPolicy": "Running",
        "backoffLimit": 13,
        "activeDeadlineSeconds": 3600,
        "ttlSecondsAfterFinished": 86400,
    }
    assert worker(job(run, spec))["restartPolicy"] == "OnFailure"
