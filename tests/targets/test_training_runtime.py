"""TrainJobs of a runtime that the platform keeps: what reaches its pods, what is refused, what is said."""

from __future__ import annotations

import pytest

import gpuspec
from gpuspec.plan.facets import ContainerPlan, PodPlan
from gpuspec.targets import _training_runtime as carried
from tests.targets.conftest import TRAINING, Run, Values

POOL: Values = {
    "name": "a100",
    "gpu": {"model": "A100-80GB", "count": 8},
    "labels": {"example.com/pool": "a100"},
    "taints": [{"key": "nvidia.com/gpu", "value": "present"}],
    "nodes": 8,
}
HERE: Values = {
    "installed": {"kubeflow-trainer": "2.3", "jobset": "0.12", "kueue": "0.19"},
    "targets": {"gang": "trainjob"},
    "runtimes": {"training": {"name": "torch-distributed"}},
    "pools": [POOL],
}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}
HELPER = {"name": "own", "image": "ghcr.io/example/own:1"}


def made(run: Run, spec: Values, **profile: object) -> Values:
    """The TrainJob, which is all."""
    (job,) = run.objects("Training", spec, **HERE | profile)
    assert job["kind"] == "TrainJob"
    return job


def patched(job: Values) -> Values:
    """The pod template of its only patch."""
    (patch,) = job["spec"]["runtimePatches"]
    (one,) = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    assert (patch["manager"], one["name"]) == ("gpuspec.dev/render", "node")
    template: Values = one["template"]["spec"]["template"]
    return template


def said(run: Run, spec: Values, **profile: object) -> str:
    code, _, words = run("render", "Training", spec, profile=HERE | profile)
    assert code == 0, words
    return " ".join(words.split())


def test_every_part_of_a_pod_has_its_way() -> None:
    """A field that is added to the plan has to be decided here too."""
    ways = (carried.PATCHED, carried.LEFT, carried.DECIDED, carried.REFUSED, carried.UNUSED)
    inside = (carried.TOLD, carried.PATCHED_INSIDE, carried.REFUSED_INSIDE, carried.UNUSED_INSIDE)
    pod = [name for way in ways for name in way]
    container = [name for way in inside for name in way]
    assert sorted([*pod, "containers"]) == sorted(PodPlan.__struct_fields__)
    assert sorted(container) == sorted(ContainerPlan.__struct_fields__)


def test_what_no_pod_of_a_trainjob_has_is_in_no_plan(run: Run) -> None:
    """Where the plan came to have it, it would be lost without a word."""
    spec = SEVERAL | {"queue": "research", "duration": {"max": "1d"}, "checkpoint": KEPT}
    made(run, spec)
    (workload,) = gpuspec.load(str(run.folder / "spec.yaml"))
    (profile,) = gpuspec.load_profiles(str(run.folder / "profile.yaml"))
    pod = gpuspec.render(workload, profile).plan.pod
    assert [name for name in carried.UNUSED if getattr(pod, name) is not None] == []
    (main,) = pod.containers
    assert [name for name in carried.UNUSED_INSIDE if getattr(main, name)] == []


KEPT = {"pvc": "kept", "every": "1h", "save": "5m"}


def test_the_run_names_the_platforms_runtime(run: Run) -> None:
    assert made(run, SEVERAL)["spec"]["runtimeRef"] == {
        "apiGroup": "trainer.kubeflow.org",
        "kind": "ClusterTrainingRuntime",
        "name": "torch-distributed",
    }
    own = {"training": {"kind": "TrainingRuntime", "name": "ours"}}
    reference = made(run, SEVERAL, runtimes=own)["spec"]["runtimeRef"]
    assert (reference["kind"], reference["name"]) == ("TrainingRuntime", "ours")


def test_the_pod_is_that_of_a_runtime_of_the_runs_own(run: Run) -> None:
    """All that a TrainJob has a field or a patch for."""
    spec = SEVERAL | {
        "checkpoint": KEPT,
        "env": {"SEED": "1", "KEY": {"secret": "tracker", "key": "token"}},
        "imagePullSecrets": ["registry"],
        "serviceAccount": "trainer",
        "podLabels": {"example.com/team": "a"},
        "podAnnotations": {"example.com/note": "b"},
        "dataLoaders": 2,
        "grace": "10m",
    }
    runtime, _ = run.objects("Training", spec, **HERE | {"runtimes": {}})
    (job,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    whole = job["template"]["spec"]["template"]
    (main,) = whole["spec"]["containers"]
    mine = made(run, spec)
    template, trainer = patched(mine), mine["spec"]["trainer"]
    (inside,) = template["spec"]["containers"]
    assert template["metadata"] == whole["metadata"]
    for field in template["spec"].keys() - {"containers"}:
        assert template["spec"][field] == whole["spec"][field], field
    assert whole["spec"].keys() - template["spec"].keys() == {
        "automountServiceAccountToken",
        "enableServiceLinks",
        "restartPolicy",
    }
    for field in ("image", "command", "env"):
        assert trainer[field] == main[field]
    assert trainer["resourcesPerNode"] == main["resources"]
    assert inside.keys() == {"name", "securityContext", "volumeMounts"}
    assert all(main[field] == inside[field] for field in inside)
    assert {one["name"] for one in template["spec"]["volumes"]} >= {"shm", "checkpoints", "tmp"}


def test_other_pods_are_another_run(run: Run) -> None:
    """A run without a name is named by a digest of the TrainJob, with all that it patches."""
    spec = {key: value for key, value in SEVERAL.items() if key != "run"}
    several = (spec, spec | {"env": {"A": "b"}}, spec | {"podLabels": {"a": "b"}})
    assert len({made(run, one)["metadata"]["name"] for one in several}) == 3


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"initContainers": [HELPER]}, "initContainers"),
        ({"sidecars": [HELPER]}, "sidecars"),
        ({"roles": [{"name": "loader", "resources": {"cpu": 1, "memory": "1Gi"}}]}, "roles"),
        ({"envFrom": [{"secret": "s3"}]}, "envFrom"),
        ({"workingDir": "/app"}, "workingDir"),
        ({"pullPolicy": "always"}, "pullPolicy"),
        ({"priority": "batch"}, "priority"),
        ({"retries": {"limit": 5}}, "retries"),
        (
            {"serviceAccount": "watcher", "serviceAccountToken": True},
            "serviceAccountToken",
        ),
        ({"ttlAfterFinished": "1d"}, "ttlAfterFinished"),
        ({"env": {"PET_NNODES": "4"}}, "env.PET_NNODES"),
    ],
)
def test_what_would_be_lost_is_refused(run: Run, more: Values, field: str) -> None:
    """At its line, with what to write instead; the run's own runtime carries it."""
    profile = HERE | {"priorities": {"names": {"batch": "low"}}}
    words = run.refused("Training", SEVERAL | more, **profile)
    assert f"`{field}` does not reach the pods of ClusterTrainingRuntime torch-distributed" in words
    assert "choose target jobset" in words
    assert words.startswith("spec.yaml:")
    run.objects("Training", SEVERAL | more, **profile | {"runtimes": {}})


@pytest.mark.parametrize(
    ("rdma", "provider", "what"),
    [
        ({"recipe": "gke-tcpxo"}, "gke", "a daemon next to the workers"),
        ({"recipe": "host-network", "resource": "rdma/nic"}, "none", "the node's network"),
    ],
)
def test_a_fabric_that_asks_for_more_of_the_pod_is_refused(
    run: Run, rdma: Values, provider: str, what: str
) -> None:
    waived = ("root", "capabilities", "hostPath", "privileged", "hostNetwork", "writableRoot")
    spec = SEVERAL | {
        "gpu": {"count": 8, "interconnect": "rdma"},
        "waivers": dict.fromkeys(waived, "the fabric asks for it"),
        "user": {"uid": 1000},
    }
    pool = POOL | {"gpu": {"model": "H100-80GB", "count": 8}, "rdma": rdma}
    words = run.refused("Training", spec, **HERE | {"pools": [pool], "provider": provider})
    assert f"the fabric of pool a100 needs {what}, which a TrainJob cannot add" in words


def test_what_the_runtime_decides_is_said(run: Run) -> None:
    words = said(run, SEVERAL)
    assert "ClusterTrainingRuntime torch-distributed decides the retries of a failed run" in words
    assert "has to" not in words
    words = said(
        run,
        SEVERAL,
        pools=[POOL | {"runtimeClass": "nvidia"}],
        scheduler="packing",
        priorities={"training": "gpu-training"},
    )
    needed = "schedulerName: packing, runtimeClassName: nvidia and priorityClassName: gpu-training"
    assert f"no TrainJob can set {needed}" in words


def test_a_queue_of_kueues_leaves_the_time_to_save_to_the_runtime(run: Run) -> None:
    """Kueue 0.19 would take it out of the patch, and JobSet would not let the run start then."""
    plain = SEVERAL | {"queue": "research"}
    assert "terminationGracePeriodSeconds" in patched(made(run, SEVERAL))["spec"]
    assert "terminationGracePeriodSeconds" not in patched(made(run, plain))["spec"]
    assert "has to" not in said(run, plain)
    saves = plain | {"checkpoint": KEPT}
    assert "terminationGracePeriodSeconds" not in patched(made(run, saves))["spec"]
    assert "no TrainJob can set terminationGracePeriodSeconds: 330" in said(run, saves)
    words = run.refused("Training", plain | {"grace": "10m"}, **HERE)
    assert "`grace` does not reach the pods" in words


def test_torchrun_is_told_by_the_runtimes_policy(run: Run) -> None:
    """Its webhook refuses a TrainJob that says the same; a note says who tells it."""
    spec = SEVERAL | {"command": ["torchrun", "train.py"]}
    names = {one["name"] for one in made(run, spec)["spec"]["trainer"]["env"]}
    assert not any(name.startswith("PET_") for name in names)
    assert {"MASTER_ADDR", "NODE_RANK"} <= names
    assert "torch-distributed needs the torch policy" in said(run, spec)
    assert "torch policy" not in said(run, SEVERAL)


@pytest.mark.parametrize(
    ("installed", "words"),
    [
        ({}, "`runtimes.training` needs Kubeflow Trainer, which is not installed"),
        ({"kubeflow-trainer": "2.2"}, "Trainer 2.2 does not let a TrainJob set a grace period"),
    ],
)
def test_a_profile_that_names_a_runtime_has_a_trainer_that_patches_it(
    run: Run, installed: Values, words: str
) -> None:
    code, _, said = run("render", "Training", SEVERAL, profile=HERE | {"installed": installed})
    assert code == 2
    assert words in said


def test_other_targets_go_on_without_it(run: Run) -> None:
    (jobset,) = run.objects("Training", SEVERAL | {"target": "jobset"}, **HERE)
    assert jobset["kind"] == "JobSet"
