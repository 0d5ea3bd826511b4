"""Workers that a Job of Volcano carries: how they start, meet and end, and where they wait."""

import pytest

from tests.targets.conftest import TRAINING, Run, Values

HERE: Values = {"installed": {"volcano": "1.15"}, "targets": {"gang": "volcano"}}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}
TOPOLOGY: Values = {
    "topology": {
        "levels": [
            {"name": "rack", "label": "example.com/rack"},
            {"name": "host", "label": "kubernetes.io/hostname"},
        ]
    }
}
LOADER: Values = {
    "name": "loader",
    "count": 2,
    "command": ["load"],
    "resources": {"cpu": 1, "memory": "1Gi"},
}


def job(run: Run, spec: Values, **more: Values) -> Values:
    (made,) = run.objects("Training", spec, **HERE | more)
    assert (made["apiVersion"], made["kind"]) == ("batch.volcano.sh/v1alpha1", "Job")
    inner: Values = made["spec"]
    return inner


def said(run: Run, spec: Values, profile: Values = HERE) -> str:
    """What render says beside it."""
    code, _, words = run("render", "Training", spec, profile=profile)
    assert code == 0, words
    return " ".join(words.split())


def test_all_pods_start_together_by_volcano(run: Run) -> None:
    made = job(run, SEVERAL)
    assert (made["schedulerName"], made["queue"], made["minAvailable"]) == ("volcano", "default", 4)
    (task,) = made["tasks"]
    assert (task["name"], task["replicas"], task["minAvailable"]) == ("worker", 4, 4)
    assert "schedulerName" not in task["template"]["spec"]
    assert "no queue admits" not in said(run, SEVERAL)


def test_they_meet_by_names_and_numbers_that_its_plugins_give(run: Run) -> None:
    made = job(run, SEVERAL)
    assert made["plugins"] == {"env": [], "svc": ["--publish-not-ready-addresses=true"]}
    pod = made["tasks"][0]["template"]["spec"]
    assert "subdomain" not in pod
    (main,) = pod["containers"]
    assert "--master-addr=work-1-worker-0.work-1" in main["command"]
    assert "--node-rank=$(VC_TASK_INDEX)" in main["command"]
    (rank,) = [one["valueFrom"] for one in main["env"] if one["name"] == "NODE_RANK"]
    assert rank["fieldRef"]["fieldPath"] == "metadata.labels['volcano.sh/task-index']"


def test_one_worker_needs_no_plugin(run: Run) -> None:
    made = job(run, SEVERAL | {"workers": 1})
    assert "plugins" not in made
    assert "--standalone" in made["tasks"][0]["template"]["spec"]["containers"][0]["command"]


@pytest.mark.parametrize(("limit", "starts"), [(3, 4), (0, 1)])
def test_it_starts_once_more_than_it_is_retried(run: Run, limit: int, starts: int) -> None:
    """Volcano counts starts, and takes 0 for 3."""
    assert job(run, SEVERAL | {"retries": {"limit": limit}})["maxRetry"] == starts


def test_what_ends_the_run_comes_before_what_restarts_it(run: Run) -> None:
    made = job(
        run, SEVERAL | {"retries": {"failOnExitCodes": [126], "onExitCode": {"3": "fail-run"}}}
    )
    assert made["policies"] == [
        {"exitCode": 3, "action": "TerminateJob"},
        {"exitCode": 126, "action": "TerminateJob"},
        {"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"},
    ]
    done = [{"event": "TaskCompleted", "action": "CompleteJob"}]
    assert made["tasks"][0]["policies"] == done


def test_each_try_is_bounded_and_several_are_spoken_of(run: Run) -> None:
    spec = SEVERAL | {"duration": {"max": "1h"}}
    assert job(run, spec)["tasks"][0]["template"]["spec"]["activeDeadlineSeconds"] == 3600
    assert "`duration.max` (1h) limits each attempt" in said(run, spec)
    assert "up to 4 attempts" in said(run, spec)
    assert "limits each attempt" not in said(run, spec | {"retries": {"limit": 0}})


def test_it_goes_away_after_its_end(run: Run) -> None:
    assert job(run, SEVERAL | {"ttlAfterFinished": "1d"})["ttlSecondsAfterFinished"] == 86400
    assert "ttlSecondsAfterFinished" not in job(run, SEVERAL)


def test_its_queue_is_volcanos_whatever_else_is_installed(run: Run) -> None:
    both: Values = {"installed": {"volcano": "1.15", "kueue": "0.19"}}
    for more in ({}, both):
        made = run.objects("Training", SEVERAL | {"queue": "research"}, **HERE | more)[0]
        assert made["spec"]["queue"] == "research"
        assert "kueue" not in str(made)


def test_its_priority_is_that_of_its_pods(run: Run) -> None:
    priorities: Values = {"priorities": {"training": "gpu-training"}}
    made = job(run, SEVERAL, **priorities)
    pod = made["tasks"][0]["template"]["spec"]
    assert made["priorityClassName"] == pod["priorityClassName"] == "gpu-training"


def test_a_priority_of_kueues_queues_is_refused(run: Run) -> None:
    here: Values = HERE | {
        "installed": {"volcano": "1.15", "kueue": "0.19"},
        "priorities": {"queued": {"urgent": 100}},
    }
    spec = SEVERAL | {"queue": "research", "priority": "urgent"}
    assert "is only for Kueue's queues" in run.refused("Training", spec, **here)


@pytest.mark.parametrize(
    ("required", "network"),
    [(True, {"mode": "hard", "highestTierName": "example.com/rack"}), (False, {"mode": "soft"})],
)
def test_volcano_keeps_them_close(run: Run, required: bool, network: Values) -> None:
    spec = SEVERAL | {"queue": "research", "topology": {"level": "rack", "required": required}}
    made = job(run, spec, **TOPOLOGY)
    assert made["networkTopology"] == network
    assert "kueue" not in str(made)
    assert ("HyperNodes" in said(run, spec, HERE | TOPOLOGY)) == required


def test_an_older_volcano_knows_no_level_by_its_name(run: Run) -> None:
    spec = SEVERAL | {"queue": "research", "topology": {"level": "rack", "required": True}}
    older = HERE | TOPOLOGY | {"installed": {"volcano": "1.13"}}
    words = "Volcano 1.13 does not place pods by topology; 1.14 and later do"
    assert words in run.refused("Training", spec, **older)


def test_roles_are_tasks_beside_the_workers(run: Run) -> None:
    made = job(run, SEVERAL | {"roles": [LOADER]})
    worker, loader = made["tasks"]
    assert made["minAvailable"] == 6
    assert (loader["name"], loader["replicas"]) == ("loader", 2)
    assert worker["policies"] == [{"event": "TaskCompleted", "action": "CompleteJob"}]
    assert "policies" not in loader
    (main,) = worker["template"]["spec"]["containers"]
    hosts = {one["name"]: one.get("value") for one in main["env"]}["LOADER_HOSTS"]
    assert hosts == "work-1-loader-0.work-1,work-1-loader-1.work-1"
    (main,) = loader["template"]["spec"]["containers"]
    (number,) = [one for one in main["env"] if one["name"] == "JOB_COMPLETION_INDEX"]
    assert (
        number["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.labels['volcano.sh/task-index']"
    )


def test_a_driver_ends_the_run(run: Run) -> None:
    made = job(run, SEVERAL | {"roles": [LOADER | {"ends": "the-run"}]})
    worker, loader = made["tasks"]
    assert "policies" not in worker
    assert loader["policies"] == [{"event": "TaskCompleted", "action": "CompleteJob"}]


def test_where_each_ends_by_itself_the_run_ends_with_the_last(run: Run) -> None:
    made = job(run, SEVERAL | {"roles": [LOADER | {"ends": "by-itself"}]})
    assert not any("policies" in task for task in made["tasks"])


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ([LOADER | {"starts": "before"}], "loader starts `before` the workers"),
        (
            [LOADER, LOADER | {"name": "checker", "ends": "by-itself"}],
            "this one when worker and checker are",
        ),
    ],
)
def test_what_it_cannot_keep_to_is_refused(run: Run, roles: list[Values], words: str) -> None:
    assert words in run.refused("Training", SEVERAL | {"roles": roles}, **HERE)


def test_names_that_are_too_long_for_its_pods_are_refused(run: Run) -> None:
    """63 characters in all: `<name>-<run>-worker-3`."""
    fits = "r" * (63 - len("work--worker-3"))
    assert job(run, SEVERAL | {"run": fits})["minAvailable"] == 4
    words = run.refused("Training", SEVERAL | {"run": f"{fits}r"}, **HERE)
    assert "they are <name>-<run>-worker-<index>, 63 characters at most" in words


@pytest.mark.parametrize(
    ("installed", "words"),
    [
        ({}, ("target volcano needs Volcano on the cluster, but the profile does not list it "
"write it in the profile, installed: {volcano: \"1.15\"}")),
        ({"volcano": "1.8"}, "needs Volcano 1.9 or later, and the profile has 1.8"),
    ],
)  # fmt: skip
def test_without_volcano_it_is_refused(run: Run, installed: Values, words: str) -> None:
    assert words in run.refused("Training", SEVERAL, **HERE | {"installed": installed})


def test_another_scheduler_of_the_profile_is_not_asked(run: Run) -> None:
    profile = HERE | {"scheduler": "bin-packing"}
    assert "`volcano` schedules a Job of Volcano, not `bin-packing`" in said(run, SEVERAL, profile)
