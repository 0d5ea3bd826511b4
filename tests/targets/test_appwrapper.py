"""What carries the pods in an AppWrapper: it waits in the queue, and makes all anew, in their place."""

import pytest

from tests.targets.conftest import BATCH, TRAINING, Run, Values

HERE: Values = {
    "installed": {
        "appwrapper": "1.2",
        "kueue": "0.19",
        "jobset": "0.12",
        "training-operator": "1.9",
        "volcano": "1.15",
    }
}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}, "wrap": "appwrapper"}
KEY = "workload.codeflare.dev.appwrapper/"
ROLE: Values = {"name": "loader", "command": ["load"], "resources": {"cpu": 1, "memory": "1Gi"}}


def wrapped(run: Run, spec: Values, target: str = "jobset") -> tuple[Values, Values]:
    """The AppWrapper, and what is in it."""
    made = run.objects("Training", spec, **HERE | {"targets": {"gang": target}})
    around = made[-1]
    assert (around["apiVersion"], around["kind"]) == (
        "workload.codeflare.dev/v1beta2",
        "AppWrapper",
    )
    (component,) = around["spec"]["components"]
    assert component.keys() == {"template"}
    inner: Values = component["template"]
    return around, inner


def said(run: Run, spec: Values) -> str:
    code, _, words = run("render", "Training", spec, profile=HERE)
    assert code == 0, words
    return " ".join(words.split())


@pytest.mark.parametrize(
    ("target", "kind"), [("job", "Job"), ("jobset", "JobSet"), ("pytorchjob", "PyTorchJob")]
)
def test_it_has_the_name_of_what_is_in_it(run: Run, target: str, kind: str) -> None:
    around, inner = wrapped(run, SEVERAL, target)
    assert inner["kind"] == kind
    assert around["metadata"]["name"] == inner["metadata"]["name"] == "work-1"
    assert around["metadata"]["namespace"] == inner["metadata"]["namespace"]


def test_the_queue_holds_the_wrapper_alone(run: Run) -> None:
    spec = SEVERAL | {"queue": "research", "duration": {"max": "1h"}}
    for target in ("job", "jobset", "pytorchjob"):
        around, inner = wrapped(run, spec, target)
        labels = around["metadata"]["labels"]
        assert labels["kueue.x-k8s.io/queue-name"] == "research"
        assert labels["kueue.x-k8s.io/max-exec-time-seconds"] == "3660"
        assert "kueue" not in str(inner)
        assert "suspend" not in around["spec"]


@pytest.mark.parametrize(
    ("target", "path", "tries"),
    [
        ("job", ("backoffLimit",), 0),
        ("jobset", ("failurePolicy", "maxRestarts"), 0),
        # Its operator gives up at this number.
        ("pytorchjob", ("runPolicy", "backoffLimit"), 1),
    ],
)
def test_it_retries_and_nothing_inside_does(
    run: Run, target: str, path: tuple[str, ...], tries: int
) -> None:
    around, inner = wrapped(run, SEVERAL | {"retries": {"limit": 5}}, target)
    assert around["metadata"]["annotations"][f"{KEY}retryLimit"] == "5"
    value = inner["spec"]
    for step in path:
        value = value[step]
    assert value == tries


def test_codes_that_no_retry_can_mend_are_told_to_it(run: Run) -> None:
    spec = SEVERAL | {"retries": {"failOnExitCodes": [126, 3]}}
    assert wrapped(run, spec)[0]["metadata"]["annotations"][f"{KEY}terminalExitCodes"] == "3,126"
    spec = SEVERAL | {"retries": {"failOnExitCodes": []}}
    assert f"{KEY}terminalExitCodes" not in wrapped(run, spec)[0]["metadata"]["annotations"]


def test_no_pod_is_deleted_by_force_while_it_saves(run: Run) -> None:
    spec = SEVERAL | {"checkpoint": {"pvc": "runs", "every": "1h", "save": "20m"}}
    around, inner = wrapped(run, spec)
    (job,) = inner["spec"]["replicatedJobs"]
    grace = job["template"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace > 1200
    key = f"{KEY}forcefulDeletionGracePeriodDuration"
    assert around["metadata"]["annotations"][key] == f"{grace + 120}s"


def test_it_keeps_what_has_ended_well_for_its_time(run: Run) -> None:
    around, inner = wrapped(run, SEVERAL | {"ttlAfterFinished": "1d"})
    assert around["metadata"]["annotations"][f"{KEY}successTTLDuration"] == "86400s"
    assert "ttlSecondsAfterFinished" not in inner["spec"]


def test_it_alone_says_where_it_came_from(run: Run) -> None:
    around, inner = wrapped(run, SEVERAL)
    assert "gpuspec.dev/digest" in around["metadata"]["annotations"]
    assert "annotations" not in inner["metadata"]


def test_a_change_inside_is_another_run(run: Run) -> None:
    spec = {key: value for key, value in SEVERAL.items() if key != "run"}
    names = {
        wrapped(run, spec | more)[0]["metadata"]["name"] for more in ({}, {}, {"env": {"A": "b"}})
    }
    assert len(names) == 2


def test_what_becomes_of_a_failed_try_is_said(run: Run) -> None:
    assert "including the logs of the pods" in said(run, SEVERAL)
    spec = SEVERAL | {"duration": {"max": "1h"}}
    assert "tried again, 4 times in all" in said(run, spec)
    assert "times in all" not in said(run, spec | {"queue": "research"})


def test_explain_says_why_nothing_inside_retries(run: Run) -> None:
    told = run("explain", "Training", SEVERAL, profile=HERE)[1]
    assert "the AppWrapper around it restarts everything" in " ".join(told.split())


def test_what_it_cannot_watch_is_refused(run: Run) -> None:
    words = run.refused("Training", SEVERAL, **HERE | {"targets": {"gang": "volcano"}})
    assert "cannot read the status of target volcano" in words
    assert "targets that an AppWrapper can wrap: job, jobset, pytorchjob" in words


def test_roles_that_are_ended_are_refused(run: Run) -> None:
    here = HERE | {"targets": {"gang": "jobset"}}
    words = run.refused("Training", SEVERAL | {"roles": [ROLE]}, **here)
    assert "is done when all pods have ended by themselves, but loader does not" in words
    ends = SEVERAL | {"roles": [ROLE | {"ends": "by-itself"}]}
    assert run("render", "Training", ends, profile=here)[0] == 0


def test_without_appwrapper_it_is_refused(run: Run) -> None:
    words = run.refused("Training", SEVERAL, installed={"kueue": "0.19"})
    assert 'write it in the profile, installed: {appwrapper: "1.2"}' in words


def test_a_batch_is_not_wrapped(run: Run) -> None:
    """Its pods end at different times, which an AppWrapper takes for the end of all."""
    code, _, words = run("render", "BatchInference", BATCH | {"wrap": "appwrapper"}, profile=HERE)
    assert code == 2
    assert "wrap" in words
