"""Overrides of objects whose lists of named pods merge by their key, whoever's kind it is."""

from typing import Any

import pytest

from tests.targets.conftest import SERVING, TRAINING, Run, Values

SEVERAL = TRAINING | {"workers": 2, "run": "1"}
ROLE = {
    "name": "driver",
    "command": ["python", "drive.py"],
    "resources": {"cpu": 1, "memory": "1Gi"},
}
GRACE = {"spec": {"terminationGracePeriodSeconds": 777}}


def replicas(field: str, *names: str) -> tuple[Values, list[tuple[str | int, ...]]]:
    """A patch of the last of named replicas, in a mapping, and where each one's pods are."""
    patch = {"spec": {field: {names[-1]: {"template": GRACE}}}}
    return patch, [("spec", field, name, "template") for name in names]


JOBS: Values = {
    "spec": {"replicatedJobs": [{"name": "worker", "template": {"spec": {"template": GRACE}}}]}
}
GROUPS: Values = {
    "spec": {"rayClusterSpec": {"workerGroupSpecs": [{"groupName": "workers", "template": GRACE}]}}
}


def grace(made: Values, path: tuple[str | int, ...]) -> Any:
    at: Any = made
    for step in path:
        at = at[step]
    return at["spec"].get("terminationGracePeriodSeconds")


@pytest.mark.parametrize(
    ("target", "installed", "kind", "patch", "where"),
    [
        pytest.param(
            *("jobset", {"jobset": "0.12"}, "JobSet", JOBS),
            [("spec", "replicatedJobs", 0, "template", "spec", "template")],
            id="JobSet",
        ),
        pytest.param(
            *("rayjob", {"kuberay": "1.6"}, "RayJob", GROUPS),
            [
                ("spec", "rayClusterSpec", "headGroupSpec", "template"),
                ("spec", "rayClusterSpec", "workerGroupSpecs", 0, "template"),
            ],
            id="RayJob",
        ),
        pytest.param(
            *("pytorchjob", {"training-operator": "1.9"}, "PyTorchJob"),
            *replicas("pytorchReplicaSpecs", "Worker"),
            id="PyTorchJob",
        ),
    ],
)
def test_a_patch_reaches_the_pods_that_it_names_and_leaves_the_rest(
    run: Run,
    target: str,
    installed: Values,
    kind: str,
    patch: Values,
    where: list[tuple[str | int, ...]],
) -> None:
    profile = {"installed": installed, "targets": {"gang": target}}
    (plain,) = run.objects("Training", SEVERAL, **profile)
    changed = SEVERAL | {"overrides": [{"kind": kind, "patch": patch}]}
    (made,) = run.objects("Training", changed, **profile)
    *others, last = where
    assert grace(made, last) == 777 != grace(plain, last)
    assert [grace(made, other) for other in others] == [grace(plain, other) for other in others]
    at: Any = made
    for step in last:
        at = at[step]
    assert at["spec"]["containers"][0]["image"] == TRAINING["image"]


def test_of_several_jobs_the_one_that_is_named_is_changed_or_deleted(run: Run) -> None:
    profile = {"installed": {"jobset": "0.12"}, "targets": {"gang": "jobset"}}
    spec = SEVERAL | {"roles": [ROLE]}
    drop = {"spec": {"replicatedJobs": [{"name": "driver", "$patch": "delete"}]}}
    for patch, left in ((JOBS, {"driver", "worker"}), (drop, {"worker"})):
        overridden = spec | {"overrides": [{"kind": "JobSet", "patch": patch}]}
        made = run.objects("Training", overridden, **profile)
        jobs = next(one for one in made if one["kind"] == "JobSet")["spec"]["replicatedJobs"]
        assert {job["name"] for job in jobs} == left


def test_explain_says_that_the_override_set_it(run: Run) -> None:
    profile = {"installed": {"jobset": "0.12"}, "targets": {"gang": "jobset"}}
    overridden = SEVERAL | {"overrides": [{"kind": "JobSet", "patch": JOBS}]}
    code, out, _ = run("explain", "Training", overridden, profile=profile)
    assert code == 0
    line = "terminationGracePeriodSeconds = 777"
    assert "override" in out.partition(line)[2].splitlines()[1]


def test_an_item_without_its_key_is_refused_by_its_key(run: Run) -> None:
    profile = {"installed": {"kuberay": "1.6"}, "targets": {"gang": "rayjob"}}
    patch = {"spec": {"rayClusterSpec": {"workerGroupSpecs": [{"name": "workers"}]}}}
    overridden = SEVERAL | {"overrides": [{"kind": "RayJob", "patch": patch}]}
    code, _, said = run("render", "Training", overridden, profile=profile)
    assert (code, "an item of this list needs `groupName`" in said) == (2, True)


def test_a_leader_worker_set_merges_its_two_templates(run: Run) -> None:
    profile = {"installed": {"lws": "0.10"}}
    patch = {"spec": {"leaderWorkerTemplate": {"leaderTemplate": GRACE}}}
    spec = SERVING | {"nodes": 2, "target": "lws", "gpu": {"count": 8}}
    spec["overrides"] = [{"kind": "LeaderWorkerSet", "patch": patch}]
    (made,) = (
        one for one in run.objects("Inference", spec, **profile) if one["kind"] == "LeaderWorkerSet"
    )
    templates = made["spec"]["leaderWorkerTemplate"]
    assert templates["leaderTemplate"]["spec"]["terminationGracePeriodSeconds"] == 777
    assert templates["workerTemplate"]["spec"]["terminationGracePeriodSeconds"] != 777
    assert templates["leaderTemplate"]["spec"]["containers"][0]["image"] == SERVING["image"]


def test_a_name_that_no_item_has_is_said_where_nothing_is_to_be_deleted(run: Run) -> None:
    profile = {"installed": {"jobset": "0.12"}, "targets": {"gang": "jobset"}}
    security = {"spec": {"securityContext": None}}
    patch = {"spec": {"replicatedJobs": [{"name": "wroker", "template": security}]}}
    overridden = SEVERAL | {"overrides": [{"kind": "JobSet", "patch": patch}]}
    code, _, said = run("render", "Training", overridden, profile=profile)
    assert code == 2
    assert "there is no name wroker to change, only worker" in said
