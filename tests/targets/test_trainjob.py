"""Workers that a TrainJob carries: the run in one object, its pods in a runtime that is the run's alone."""

import re

import pytest

from tests.targets.conftest import TRAINING, Run, Values

HERE: Values = {
    "installed": {"kubeflow-trainer": "2.3", "jobset": "0.12", "kueue": "0.19"},
    "targets": {"gang": "trainjob"},
}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}


def made(run: Run, spec: Values) -> tuple[Values, Values]:
    """The runtime and the TrainJob, in the order in which they are applied."""
    runtime, job = run.objects("Training", spec, **HERE)
    assert {runtime["apiVersion"], job["apiVersion"]} == {"trainer.kubeflow.org/v1alpha1"}
    assert (runtime["kind"], job["kind"]) == ("TrainingRuntime", "TrainJob")
    return runtime, job


def node(runtime: Values) -> Values:
    """The Job of the workers, the runtime's only one."""
    (found,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    inner: Values = found
    return inner


def test_the_run_names_its_runtime_and_says_what_each_node_has(run: Run) -> None:
    runtime, job = made(run, SEVERAL)
    reference = job["spec"]["runtimeRef"]
    assert reference == {
        "apiGroup": "trainer.kubeflow.org",
        "kind": "TrainingRuntime",
        "name": runtime["metadata"]["name"],
    }
    assert runtime["spec"]["mlPolicy"] == {"numNodes": 4, "torch": {}}
    trainer = job["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["numProcPerNode"]) == (4, 2)
    template = node(runtime)["template"]
    (main,) = template["spec"]["template"]["spec"]["containers"]
    assert trainer["resourcesPerNode"] == main["resources"]
    assert trainer["resourcesPerNode"]["limits"]["nvidia.com/gpu"] == "2"
    assert (node(runtime)["name"], main["name"]) == ("node", "node")
    step = "trainer.kubeflow.org/trainjob-ancestor-step"
    assert template["metadata"]["labels"] == {step: "trainer"}


def test_rank_0_is_the_first_of_the_jobset_that_is_made(run: Run) -> None:
    """Which has the TrainJob's name."""
    runtime, job = made(run, SEVERAL)
    (main,) = node(runtime)["template"]["spec"]["template"]["spec"]["containers"]
    assert job["metadata"]["name"] == "work-1"
    assert runtime["spec"]["template"]["spec"]["network"]["subdomain"] == "work-1"
    for word in ("--nnodes=4", "--master-addr=work-1-node-0-0.work-1"):
        assert word in main["command"]


def test_all_workers_start_anew_together_and_exit_codes_are_those_of_the_node(run: Run) -> None:
    runtime, _ = made(run, SEVERAL | {"retries": {"limit": 5, "failOnExitCodes": [3]}})
    jobset = runtime["spec"]["template"]["spec"]
    assert jobset["failurePolicy"]["maxRestarts"] == 5
    job = node(runtime)["template"]["spec"]
    assert job["backoffLimit"] == 0
    (rule,) = (one for one in job["podFailurePolicy"]["rules"] if "onExitCodes" in one)
    assert rule["onExitCodes"] == {"containerName": "node", "operator": "In", "values": [3]}


def test_the_time_of_all_restarts_is_the_trainjobs(run: Run) -> None:
    runtime, job = made(run, SEVERAL | {"duration": {"max": "1h"}, "ttlAfterFinished": "1d"})
    assert job["spec"]["activeDeadlineSeconds"] == 3600
    assert "activeDeadlineSeconds" not in node(runtime)["template"]["spec"]
    jobset = runtime["spec"]["template"]["spec"]
    assert jobset["ttlSecondsAfterFinished"] == 86400
    assert "deadline" not in {one["name"] for one in jobset["failurePolicy"]["rules"]}
    assert "activeDeadlineSeconds" not in made(run, SEVERAL)[1]["spec"]


def test_a_finished_trainjob_stays_so_that_nothing_runs_it_again(run: Run) -> None:
    """Argo CD finds it where it was, when its JobSet is gone."""
    spec = SEVERAL | {"ttlAfterFinished": "1d"}
    installed = {**HERE["installed"], "argo-cd": "3.4"}
    code, _, said = run("render", "Training", spec, profile=HERE | {"installed": installed})
    assert code == 0, said
    assert "ttlAfterFinished" not in said
    assert "runs it again" in run.refused(
        "Training", spec | {"target": "jobset"}, **HERE | {"installed": installed}
    )


def test_its_queue_holds_the_trainjob(run: Run) -> None:
    runtime, job = made(run, SEVERAL | {"queue": "research"})
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "research"
    assert "suspend" not in job["spec"]
    assert "kueue" not in str(runtime)


@pytest.mark.parametrize("more", [{"env": {"A": "b"}}, {"image": "ghcr.io/example/train:2"}])
def test_other_pods_lie_in_a_runtime_of_another_name(run: Run, more: Values) -> None:
    """So that an apply of them to the run is refused: its reference cannot change."""
    first, job = made(run, SEVERAL)
    assert re.fullmatch("work-1-[0-9a-f]{8}", first["metadata"]["name"])
    assert made(run, SEVERAL)[0]["metadata"]["name"] == first["metadata"]["name"]
    second, other = made(run, SEVERAL | more)
    assert second["metadata"]["name"] != first["metadata"]["name"]
    assert other["metadata"]["name"] == job["metadata"]["name"]


def test_a_run_by_its_digest_and_its_runtime_have_one_name(run: Run) -> None:
    spec = {key: value for key, value in SEVERAL.items() if key != "run"}
    runtime, job = made(run, spec)
    assert re.fullmatch("work-[0-9a-f]{8}", job["metadata"]["name"])
    assert runtime["metadata"]["name"] == job["metadata"]["name"]
    assert made(run, spec | {"env": {"A": "b"}})[1]["metadata"]["name"] != job["metadata"]["name"]


def test_what_overrides_change_in_the_runtime_is_another_run(run: Run) -> None:
    spec = {key: value for key, value in SEVERAL.items() if key != "run"}
    patch = {"spec": {"podGroupPolicy": {"coscheduling": {"scheduleTimeoutSeconds": 90}}}}
    runtime, job = made(run, spec | {"overrides": [{"kind": "TrainingRuntime", "patch": patch}]})
    assert runtime["spec"]["podGroupPolicy"]["coscheduling"] == {"scheduleTimeoutSeconds": 90}
    assert job["metadata"]["name"] != made(run, spec)[1]["metadata"]["name"]


def test_names_that_are_too_long_for_its_pods_are_refused(run: Run) -> None:
    """63 characters in all: `<name>-<run>-node-0-3-abcde`."""
    fits = "r" * (63 - len("work--node-0-3-abcde"))
    assert made(run, SEVERAL | {"run": fits})[1]["metadata"]["name"] == f"work-{fits}"
    said = run.refused("Training", SEVERAL | {"run": f"{fits}r"}, **HERE)
    assert "the names of its pods have 64 characters, 1 too many" in said


@pytest.mark.parametrize(
    ("installed", "words"),
    [
        ({}, "installed: {kubeflow-trainer: "),
        ({"kubeflow-trainer": "2.1"}, "needs TrainJob 2.2 or later, and the profile has 2.1"),
    ],
)
def test_without_trainer_it_is_refused(run: Run, installed: Values, words: str) -> None:
    assert words in run.refused("Training", SEVERAL, **HERE | {"installed": installed})


ROLE: Values = {"name": "driver", "resources": {"cpu": 1, "memory": "1Gi"}}


def test_roles_are_jobs_beside_the_workers_of_which_trainer_says_nothing(run: Run) -> None:
    """The step's label is the workers' alone; order and end are those of a JobSet."""
    driver = ROLE | {"starts": "before", "ends": "the-run", "port": 5000, "count": 2}
    runtime, job = made(run, SEVERAL | {"roles": [driver]})
    jobset = runtime["spec"]["template"]["spec"]
    first, second = jobset["replicatedJobs"]
    assert [one["name"] for one in (first, second)] == ["driver", "node"]
    assert "metadata" not in first["template"]
    assert first["template"]["spec"]["parallelism"] == 2
    assert second["dependsOn"] == [{"name": "driver", "status": "Ready"}]
    assert jobset["successPolicy"] == {"operator": "All", "targetReplicatedJobs": ["driver"]}
    (container,) = first["template"]["spec"]["template"]["spec"]["containers"]
    told = {one["name"]: one.get("value") for one in container["env"]}
    assert container["name"] == "main"
    assert told["WORKER_HOST"] == "work-1-node-0-0.work-1"
    assert told["DRIVER_HOSTS"] == "work-1-driver-0-0.work-1,work-1-driver-0-1.work-1"
    assert job["spec"]["trainer"]["numNodes"] == 4


def test_no_role_is_called_as_the_workers_job(run: Run) -> None:
    said = run.refused("Training", SEVERAL | {"roles": [ROLE | {"name": "node"}]}, **HERE)
    assert "`node` is the name of the workers of a TrainJob, and cannot be another role's" in said
