"""Roles beside the workers: who they are, how all find each other, what waits for what and ends what."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.targets.conftest import TRAINING, Run, Values

HERE: Values = {
    "installed": {"jobset": "0.12", "kueue": "0.19"},
    "targets": {"gang": "jobset"},
    "pools": [
        {
            "name": "a100",
            "gpu": {"model": "A100-80GB", "count": 8},
            "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"},
            "taints": [{"key": "nvidia.com/gpu", "value": "present"}],
            "runtimeClass": "nvidia",
            "nodes": 8,
        }
    ],
}
SEVERAL = TRAINING | {"workers": 2, "run": "1", "gpu": {"count": 8}}
SMALL = {"cpu": 4, "memory": "8Gi"}


def role(name: str, **more: object) -> Values:
    return {"name": name, "resources": SMALL, **more}


def rendered(run: Run, *roles: Values, **more: object) -> Values:
    spec = SEVERAL | {"roles": list(roles)} | more
    (made,) = run.objects("Training", spec, **HERE)
    return made


def jobs(made: Values) -> dict[str, Values]:
    return {one["name"]: one for one in made["spec"]["replicatedJobs"]}


def pod(made: Values, name: str) -> Values:
    found: Values = jobs(made)[name]["template"]["spec"]["template"]["spec"]
    return found


def env(made: Values, name: str) -> dict[str, str]:
    (main,) = pod(made, name)["containers"]
    return {each["name"]: each.get("value") for each in main["env"]}


def test_a_role_is_a_job_of_its_own_count(run: Run) -> None:
    made = rendered(run, role("loader", count=3, command=["serve"], args=["--all"]))
    loader = jobs(made)["loader"]
    one = loader["template"]["spec"]
    assert (loader["replicas"], one["completions"], one["parallelism"]) == (1, 3, 3)
    assert (one["completionMode"], one["backoffLimit"]) == ("Indexed", 0)
    (main,) = pod(made, "loader")["containers"]
    assert (main["name"], main["image"]) == ("main", TRAINING["image"])
    assert (main["command"], main["args"]) == (["serve"], ["--all"])
    assert main["resources"]["requests"] | {"ephemeral-storage": ""} == {
        "cpu": "4",
        "memory": "8Gi",
        "ephemeral-storage": "",
    }


def test_every_pod_is_told_where_all_are(run: Run) -> None:
    """By the names that the controller gives: its own too, for those that share their work."""
    made = rendered(run, role("param-server", count=2), role("driver"))
    told = {
        "WORKER_HOST": "work-1-worker-0-0.work-1",
        "WORKER_HOSTS": "work-1-worker-0-0.work-1,work-1-worker-0-1.work-1",
        "PARAM_SERVER_HOST": "work-1-param-server-0-0.work-1",
        "PARAM_SERVER_HOSTS": "work-1-param-server-0-0.work-1,work-1-param-server-0-1.work-1",
        "DRIVER_HOST": "work-1-driver-0-0.work-1",
    }
    for name in jobs(made):
        assert {k: v for k, v in env(made, name).items() if "_HOST" in k} == told


def test_what_a_pod_is_told_stands_before_what_refers_to_it(run: Run) -> None:
    """Kubernetes expands `$(NAME)` from what stands above; a variable of the spec wins by name."""
    refers = {"TARGET": "$(DRIVER_HOST):80", "WORKER_HOST": "elsewhere"}
    made = rendered(run, role("driver", env=refers), env=refers)
    for name in ("driver", "worker"):
        names = [*env(made, name)]
        assert names.index("DRIVER_HOST") < names.index("TARGET")
        assert env(made, name)["WORKER_HOST"] == "elsewhere"


def test_without_gpus_it_goes_to_nodes_without(run: Run) -> None:
    made = rendered(run, role("loader"))
    loader, worker = pod(made, "loader"), pod(made, "worker")
    assert worker["tolerations"] and worker["runtimeClassName"] == "nvidia"
    assert "tolerations" not in loader and "runtimeClassName" not in loader
    assert json.dumps(loader["affinity"]).count('"key"') == 1
    assert "kubernetes.io/arch" in json.dumps(loader["affinity"])
    assert "nvidia.com/gpu" not in json.dumps(loader)
    assert env(made, "loader")["NVIDIA_VISIBLE_DEVICES"] == "void"


def test_with_gpus_it_goes_where_the_workers_go(run: Run) -> None:
    made = rendered(run, role("actor", resources=SMALL | {"gpus": 2}))
    actor, worker = pod(made, "actor"), pod(made, "worker")
    for field in ("affinity", "tolerations", "runtimeClassName"):
        assert actor[field] == worker[field]
    (main,) = actor["containers"]
    assert main["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert "NVIDIA_VISIBLE_DEVICES" not in env(made, "actor")


def test_its_pods_are_as_restricted_as_the_workers(run: Run) -> None:
    """One user and identity; only its image is its own, and then no waiver for the workers'."""
    own = role("own", image="ghcr.io/example/own:1")
    made = rendered(run, role("same"), own, waivers={"writableRoot": "writes to /opt"})
    worker = pod(made, "worker")
    for name in ("same", "own"):
        one = pod(made, name)
        assert one["securityContext"] == worker["securityContext"]
        assert one["automountServiceAccountToken"] is False
        assert one["restartPolicy"] == "Never"
    read_only = {
        name: pod(made, name)["containers"][0]["securityContext"]["readOnlyRootFilesystem"]
        for name in jobs(made)
    }
    assert read_only == {"worker": False, "same": False, "own": True}


def test_it_has_a_place_to_write_to_and_what_it_mounts(run: Run) -> None:
    """Of the workers' volumes only those that it mounts, and no init container of theirs."""
    mounts = [{"volume": "dataset", "path": "/tokens", "readOnly": True}]
    made = rendered(
        run,
        role("loader", mounts=mounts, resources=SMALL | {"shm": "2Gi", "ephemeralStorage": "5Gi"}),
        dataset={"pvc": "tokens"},
        checkpoint={"pvc": "state", "every": "1h"},
        initContainers=[{"name": "first", "image": "ghcr.io/example/first:1"}],
    )
    loader = pod(made, "loader")
    assert {each["name"] for each in loader["volumes"]} == {"tmp", "shm", "dataset"}
    assert loader["volumes"][0]["emptyDir"] == {"sizeLimit": "5Gi"}
    (main,) = loader["containers"]
    places = {each["mountPath"]: each["name"] for each in main["volumeMounts"]}
    assert places == {"/tmp": "tmp", "/dev/shm": "shm", "/tokens": "dataset"}
    assert "initContainers" not in loader and "initContainers" in pod(made, "worker")


def test_a_volume_of_the_workload_may_take_the_place_of_its_own(run: Run) -> None:
    mounts = [{"volume": "big", "path": "/tmp/"}]
    volumes = [{"name": "big", "mount": "/big", "size": "10Gi"}]
    made = rendered(run, role("loader", mounts=mounts), volumes=volumes)
    (main,) = pod(made, "loader")["containers"]
    assert [each["name"] for each in main["volumeMounts"]] == ["big"]


def waits(made: Values, name: str) -> dict[str, str]:
    return {one["name"]: one["status"] for one in jobs(made)[name].get("dependsOn", ())}


def test_what_starts_before_is_ready_or_done_before_the_workers_start(run: Run) -> None:
    """A Job can wait for those that stand before it alone, and the first for none."""
    made = rendered(
        run,
        role("late", starts="after"),
        role("side"),
        role("driver", starts="before"),
        role("prepare", starts="before", ends="by-itself"),
    )
    assert [*jobs(made)] == ["driver", "prepare", "worker", "side", "late"]
    before = {"driver": "Ready", "prepare": "Complete"}
    assert waits(made, "driver") == waits(made, "prepare") == {}
    assert waits(made, "worker") == waits(made, "side") == before
    assert waits(made, "late") == {"worker": "Ready"}


def test_without_an_order_nothing_waits(run: Run) -> None:
    made = rendered(run, role("side"))
    assert [*jobs(made)] == ["worker", "side"]
    assert waits(made, "worker") == waits(made, "side") == {}


@pytest.mark.parametrize(
    ("ends", "deciding"),
    [
        ({}, ["worker"]),
        ({"a": "by-itself"}, ["worker", "a"]),
        ({"a": "the-run"}, ["a"]),
        ({"a": "the-run", "b": "by-itself"}, ["a"]),
        ({"a": "by-itself", "b": "by-itself"}, None),
    ],
)
def test_the_run_is_done_when_those_are_that_decide(
    run: Run, ends: dict[str, str], deciding: list[str] | None
) -> None:
    roles = [role(name, **({"ends": ends[name]} if name in ends else {})) for name in "ab"]
    policy = rendered(run, *roles)["spec"]["successPolicy"]
    assert policy == {"operator": "All"} | ({"targetReplicatedJobs": deciding} if deciding else {})


def test_a_port_says_when_it_is_ready(run: Run) -> None:
    made = rendered(run, role("driver", port=5000, starts="before"), role("side"))
    (main,) = pod(made, "driver")["containers"]
    assert main["readinessProbe"]["tcpSocket"] == {"port": 5000}
    assert main["ports"] == [{"containerPort": 5000, "protocol": "TCP"}]
    assert "readinessProbe" not in pod(made, "side")["containers"][0]


def test_a_role_that_hangs_ends_with_the_time_of_the_run(run: Run) -> None:
    """Else workers that wait for it would hold their place in the queue for ever."""
    made = rendered(run, role("driver", starts="before"), duration={"max": "1h"})
    deadlines = {
        name: one["template"]["spec"]["activeDeadlineSeconds"] for name, one in jobs(made).items()
    }
    assert deadlines == {"driver": 3600, "worker": 3600}


def test_workers_are_drawn_to_each_other_and_not_to_a_role(run: Run) -> None:
    rdma = {"resource": "rdma/ib", "domain": "example.com/rack"}
    pools = [HERE["pools"][0] | {"rdma": rdma}]

    def near(*roles: Values) -> Values:
        spec = SEVERAL | {"roles": list(roles), "gpu": {"count": 8, "interconnect": "rdma"}}
        (made,) = run.objects("Training", spec, **HERE | {"pools": pools})
        terms = pod(made, "worker")["affinity"]["podAffinity"]
        (term,) = terms["preferredDuringSchedulingIgnoredDuringExecution"]
        found: Values = term["podAffinityTerm"]["labelSelector"]["matchLabels"]
        return found

    name = {"jobset.sigs.k8s.io/jobset-name": "work-1"}
    assert near() == name
    assert near(role("loader")) == name | {"jobset.sigs.k8s.io/replicatedjob-name": "worker"}


def test_its_queue_admits_all_roles_as_one_workload(run: Run) -> None:
    """The label stands on the JobSet alone, and the topology is the workers'."""
    made = rendered(run, role("loader"), queue="research")
    assert made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "research"
    assert "kueue" not in json.dumps(made["spec"])


def test_a_queue_is_asked_for_the_gpus_of_roles_too(run: Run) -> None:
    """And it takes what has none to nodes of its own pools: Kueue gives each role a flavor."""

    def has(gpus: int, *roles: Values) -> tuple[int, str]:
        queue = {"name": "q", "namespaces": ["default"], "pools": [{"pool": "a100", "gpus": gpus}]}
        spec = SEVERAL | {"queue": "q", "roles": list(roles)}
        code, _, said = run("render", "Training", spec, profile=HERE | {"queues": [queue]})
        return code, " ".join(said.split())

    actor = role("actor", count=2, resources=SMALL | {"gpus": 4})
    assert has(16)[0] == 0
    code, said = has(16, actor)
    assert code == 1
    assert "2 pods × 8 nvidia.com/gpu and 8 of roles = 24, but queue q may use only 16" in said
    code, said = has(24, actor)
    assert (code, "nodes of pool" in said) == (0, False)
    code, said = has(24, actor, role("loader"))
    assert code == 0
    assert "queue q admits only to nodes of pool a100: loader runs there" in said


def test_pools_too_small_for_workers_and_roles_are_told(run: Run) -> None:
    pools = [HERE["pools"][0] | {"nodes": 2}]

    def said(*roles: Values) -> str:
        spec = SEVERAL | {"roles": list(roles)}
        return run("render", "Training", spec, profile=HERE | {"pools": pools})[2]

    assert ", and a100 has" not in said(role("loader", count=9))
    actor = role("actor", resources=SMALL | {"gpus": 1})
    assert "2 pods × 8 GPUs + 1 of roles = 17, and a100 has 16" in said(actor)


def test_a_claim_that_a_role_mounts_too_is_mounted_by_two_pods(run: Run) -> None:
    storage = {
        "classes": {"disk": {"accessModes": ["ReadWriteOnce"]}},
        "claims": {"tokens": "disk"},
    }
    spec = SEVERAL | {"workers": 1, "dataset": {"pvc": "tokens"}}
    mounts = [{"volume": "dataset", "path": "/data"}]

    def said(*roles: Values) -> str:
        profile = HERE | {"storage": storage}
        return run("render", "Training", spec | {"roles": list(roles)}, profile=profile)[2]

    assert "claim tokens is of" not in said(role("driver"))
    assert "claim tokens has storage class disk (ReadWriteOnce), and 3 pods mount it" in said(
        role("driver"), role("loader", count=2, mounts=mounts)
    )


def test_explain_adds_up_the_pods_of_all_roles(run: Run) -> None:
    spec = SEVERAL | {"roles": [role("a", count=3), role("b", resources=SMALL | {"gpus": 1})]}
    said = run("explain", "Training", spec, profile=HERE)[1]
    assert "2 workers × 8 GPUs + 3 a + 1 b × 1 GPU = 6 pods, 17 GPUs" in " ".join(said.split())


def test_a_target_of_workers_alone_refuses_roles(run: Run) -> None:
    said = run.refused("Training", SEVERAL | {"roles": [role("loader")]}, **HERE | {"targets": {}})
    assert "target job supports only workers, but the spec has other roles too" in said
    assert "targets that support roles: jobset" in said


def test_a_name_too_long_for_the_pods_of_a_role_is_refused_at_the_role(run: Run) -> None:
    long = role("l" * 46, count=100)
    said = run.refused("Training", SEVERAL | {"roles": [role("a"), long]}, **HERE)
    assert "the names of its pods have 64 characters, 1 too many" in said
    lines = (run.folder / "spec.yaml").read_text().splitlines()
    (at,) = (number for number, line in enumerate(lines, 1) if '"name": "lll' in line)
    assert said.startswith(f"spec.yaml:{at}:")


def test_more_roles_than_a_job_can_wait_for_are_refused(run: Run) -> None:
    five = [role(name, starts="before") for name in "abcde"]
    assert len(waits(rendered(run, *five), "worker")) == 5
    said = run.refused("Training", SEVERAL | {"roles": [*five, role("f", starts="before")]}, **HERE)
    assert "the workers of a JobSet can wait for at most 5 roles, not 6" in said


def test_a_fine_tune_has_roles_too(run: Run) -> None:
    base = {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}}
    spec = SEVERAL | {"baseModel": base, "roles": [role("loader", mounts=[])]}
    code, out, said = run("render", "FineTune", spec, profile=HERE)
    assert code == 0, said
    assert [*jobs(yaml.safe_load(out))] == ["worker", "loader"]


def test_fit_and_table_count_roles_and_judge_none_that_runs_elsewhere(run: Run) -> None:
    """A profile tells of nodes with GPUs alone: of a loader nobody knows whether there is room."""
    actor = role("actor", resources=SMALL | {"gpus": 2})
    spec = SEVERAL | {"roles": [role("loader", count=3), actor]}
    code, out, _ = run("fit", "Training", spec, "--format", "json", profile=HERE)
    found = {one["role"]: (one["pods"], one["verdict"]) for one in json.loads(out)["workloads"]}
    assert found == {"worker": (2, "placed"), "loader": (3, "elsewhere"), "actor": (1, "placed")}
    assert code == 0
    said = run("fit", "Training", spec, profile=HERE)[1]
    assert (
        "it requests no GPU: it may run on nodes without GPUs, which the profile does not describe"
        in said
    )
    total = run("table", "Training", spec, "--format", "json", profile=HERE)[1]
    assert json.loads(total)["total"]["resources"]["nvidia.com/gpu"] == {"min": 18, "max": 18}


def test_fit_sets_a_role_apart_that_the_profiles_nodes_would_let_in(run: Run) -> None:
    """There may be other nodes, which leave the GPU nodes to what needs them."""
    pools = [{key: value for key, value in HERE["pools"][0].items() if key != "taints"}]
    spec = SEVERAL | {"roles": [role("loader")]}
    out = run("fit", "Training", spec, "--format", "json", profile=HERE | {"pools": pools})[1]
    assert [one["verdict"] for one in json.loads(out)["workloads"]] == ["placed", "elsewhere"]


def test_a_role_has_labels_annotations_and_a_working_directory_of_its_own(run: Run) -> None:
    own = {"workingDir": "/srv", "podLabels": {"tier": "data"}, "podAnnotations": {"a/b": "its"}}
    shared = {"podLabels": {"mesh": "off"}, "podAnnotations": {"a/b": "ours"}}
    made = rendered(run, role("loader", **own), **shared)
    for name, labels, note in (
        ("worker", {"mesh": "off"}, "ours"),
        ("loader", {"mesh": "off", "tier": "data"}, "its"),
    ):
        metadata = jobs(made)[name]["template"]["spec"]["template"]["metadata"]
        assert labels.items() <= metadata["labels"].items()
        assert metadata["annotations"]["a/b"] == note
    assert "tier" not in jobs(made)["worker"]["template"]["spec"]["template"]["metadata"]["labels"]
    (main,) = pod(made, "loader")["containers"]
    assert main["workingDir"] == "/srv"
    (main,) = pod(made, "worker")["containers"]
    assert "workingDir" not in main


def test_a_role_pulls_the_workers_image_as_they_do_and_ends_as_fast(run: Run) -> None:
    other = role("other", image="ghcr.io/example/other:1")
    made = rendered(run, role("same"), other, pullPolicy="if-not-present", grace="5s")
    policies = {
        name: pod(made, name)["containers"][0].get("imagePullPolicy") for name in jobs(made)
    }
    assert policies == {"worker": "IfNotPresent", "same": "IfNotPresent", "other": None}
    assert {pod(made, name)["terminationGracePeriodSeconds"] for name in jobs(made)} == {5}


MPIRUN = role("launcher", command=["mpirun", "-np", "16", "all_reduce"], ends="the-run")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["sleep", "infinity"], True),
        (["/usr/sbin/sshd", "-De"], False),
        (["bash", "-c", "mkdir /run/sshd && exec /usr/sbin/sshd -D"], False),
        ([], False),
    ],
)
def test_a_launcher_in_a_role_reaches_workers_by_ssh(
    run: Run, command: list[str], said: bool
) -> None:
    spec = SEVERAL | {"roles": [MPIRUN], "command": command}
    code, _, err = run("render", "Training", spec, profile=HERE)
    assert code == 0, err
    text = "mpirun in role launcher reaches the workers by ssh, and their command starts no sshd"
    assert (text in " ".join(err.split())) == said


def test_a_role_may_take_more_memory_than_it_asks_for(run: Run) -> None:
    """/dev/shm need not be asked for in full by pods that seldom fill it."""
    large = SMALL | {"memoryLimit": "130Gi", "shm": "128Gi"}
    made = rendered(run, role("launcher", resources=large), role("plain"))
    (main,) = pod(made, "launcher")["containers"]
    resources = main["resources"]
    assert (resources["requests"]["memory"], resources["limits"]["memory"]) == ("8Gi", "130Gi")
    (plain,) = pod(made, "plain")["containers"]
    assert plain["resources"]["limits"]["memory"] == "8Gi"


def test_a_role_without_gpus_goes_to_the_zone_of_the_run_and_to_any_node_there(run: Run) -> None:
    (gpus,) = HERE["pools"]
    here = {**HERE, "pools": [gpus | {"zones": ["z1", "z2"]}]}
    spec = SEVERAL | {"roles": [role("driver")], "place": {"zones": ["z2"], "pools": ["a100"]}}
    (made,) = run.objects("Training", spec, **here)
    required = pod(made, "driver")["affinity"]["nodeAffinity"]
    (term,) = required["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert [one["values"] for one in term["matchExpressions"]] == [["amd64"], ["z2"]]


def test_a_role_says_when_its_image_is_pulled(run: Run) -> None:
    """Unless it does, one of the workers' image is pulled as theirs is."""
    own = {"image": "ghcr.io/example/loader:1"}
    made = rendered(
        run,
        role("same"),
        role("other", **own),
        role("moved", **own, pullPolicy="never"),
        pullPolicy="always",
    )
    found = {name: pod(made, name)["containers"][0].get("imagePullPolicy") for name in jobs(made)}
    assert found == {"worker": "Always", "same": "Always", "other": None, "moved": "Never"}
