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


WRAPPED: Values = {
    "installed": {"appwrapper": "1.2", "jobset": "0.12"},
    "targets": {"gang": "jobset"},
}


def test_an_override_reaches_what_lies_in_an_appwrapper(run: Run) -> None:
    """By its own kind, as where nothing is around it; and what `explain` says of it is the override."""
    overrides = [
        {"kind": "JobSet", "patch": JOBS},
        {"kind": "AppWrapper", "name": "work-1", "patch": {"spec": {"suspend": False}}},
    ]
    spec = SEVERAL | {"wrap": "appwrapper", "overrides": overrides}
    *_, around = run.objects("Training", spec, **WRAPPED)
    (component,) = around["spec"]["components"]
    (one,) = component["template"]["spec"]["replicatedJobs"]
    assert grace(one, ("template", "spec", "template")) == 777
    assert around["spec"]["suspend"] is False
    code, out, said = run("explain", "Training", spec, profile=WRAPPED)
    assert code == 0, said
    assert "terminationGracePeriodSeconds = 777" in out
    assert "spec.overrides[0].patch.spec" in out


def test_an_override_inside_an_appwrapper_is_another_run(run: Run) -> None:
    """A run without a name is named by a digest of all that is in it."""
    spec = {key: value for key, value in SEVERAL.items() if key != "run"} | {"wrap": "appwrapper"}
    changed = spec | {"overrides": [{"kind": "JobSet", "patch": JOBS}]}
    names = {
        run.objects("Training", one, **WRAPPED)[-1]["metadata"]["name"] for one in (spec, changed)
    }
    assert len(names) == 2


@pytest.mark.parametrize(
    ("override", "words"),
    [
        (
            {"kind": "AppWrapper", "patch": {"spec": {"components": [{"template": GRACE}]}}},
            "write an override with kind: JobSet instead",
        ),
        ({"kind": "Job", "patch": GRACE}, "available: AppWrapper work-1, JobSet work-1"),
    ],
)
def test_an_error_says_how_to_reach_what_lies_in_an_appwrapper(
    run: Run, override: Values, words: str
) -> None:
    spec = SEVERAL | {"wrap": "appwrapper", "overrides": [override]}
    code, out, said = run("render", "Training", spec, profile=WRAPPED)
    assert (code, out) == (2, "")
    assert words in " ".join(said.split())


def test_what_is_inside_an_appwrapper_is_weakened_with_a_reason_alone(run: Run) -> None:
    privileged = {"name": "main", "securityContext": {"privileged": True}}
    pod = {"spec": {"containers": [privileged]}}
    patch = {
        "spec": {"replicatedJobs": [{"name": "worker", "template": {"spec": {"template": pod}}}]}
    }
    spec = SEVERAL | {"wrap": "appwrapper", "overrides": [{"kind": "JobSet", "patch": patch}]}
    code, out, said = run("render", "Training", spec, profile=WRAPPED)
    assert (code, out) == (2, "")
    assert "override of JobSet work-1: `privileged` is true" in said


def test_a_container_that_an_override_adds_by_its_name_is_named_with_those_beside_it(
    run: Run,
) -> None:
    """KServe's server is no `main`: who means it would read of capabilities alone."""
    patch = {"spec": {"predictor": {"containers": [{"name": "main", "imagePullPolicy": "Always"}]}}}
    spec = SERVING | {"overrides": [{"kind": "InferenceService", "patch": patch}]}
    profile = {"installed": {"kserve": "0.20"}, "targets": {"service": "kserve"}}
    code, out, said = run("render", "Inference", spec, profile=profile)
    assert (code, out) == (2, "")
    assert "it adds `main` next to `kserve-container`" in " ".join(said.split())
