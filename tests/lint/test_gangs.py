"""Gangs, queues, Jobs and process counts: what the pages' blocks do not show, silence above all."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.lint import Engine, TextFeed
from gpuspec.lint.jobs import has_fresh_name
from gpuspec.lint.keys import home, meant
from gpuspec.lint.launch import launch_of
from gpuspec.lint.model import Finding
from gpuspec.lint.objects import Object
from gpuspec.manifests import Source
from tests.lint.pages import HERE, merge, named_profile


def lint(*documents: Any, profile: str | None = None) -> list[Finding]:
    """What this family says of some objects."""
    text = yaml.safe_dump_all(documents, sort_keys=False)
    given = named_profile(profile) if profile else None
    engine = Engine(lambda code: code.startswith("GPU7"), given)
    return [one.finding() for one in engine.run(TextFeed([Source("set.yaml", text)]))]


def base(name: str, patch: dict[str, Any] | None = None) -> Any:
    """The first object of a clean manifest, patched."""
    text = Path(HERE / "bases" / f"{name}.yaml").read_text()
    return merge(next(iter(yaml.safe_load_all(text))), patch or {})


def codes(found: list[Finding]) -> list[str]:
    return [one.rule for one in found]


def container(**fields: Any) -> dict[str, Any]:
    """A patch of the one container of a plain workload."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", **fields}]}}}}


# Gangs (C-36)


@pytest.mark.parametrize(
    "patch",
    [
        {"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": "serving"}}},
        {"spec": {"leaderWorkerTemplate": {"size": 1}}},
    ],
    ids=["volcano", "one pod"],
)
def test_a_gang_that_is_one_is_quiet(patch) -> None:
    """C-36: an object that is held together, or is alone, is no news."""
    found = lint(base("leaderworkerset", {"metadata": {"labels": None}, **patch}))
    assert "GPU701" not in codes(found)


def test_shards_are_no_gang_and_a_rendezvous_is() -> None:
    """C-36: parallel pods that do not meet start one by one; those that torchrun joins do not."""
    alone = {"metadata": {"labels": None}, "spec": {"template": {"spec": {"subdomain": None}}}}
    shards = base("indexed-job", merge(alone, container(command=["python", "score.py"])))
    assert "GPU701" not in codes(lint(shards))
    assert "GPU701" in codes(lint(base("indexed-job", alone)))


def test_slices_of_tpus_are_taken_as_a_whole() -> None:
    """A pool of TPU nodes is the group already."""
    tpus = {"limits": {"google.com/tpu": 4}, "requests": {"google.com/tpu": 4}}
    job = base("indexed-job", {"metadata": {"labels": None}})
    job["spec"]["template"]["spec"]["containers"][0]["resources"] = tpus
    assert "GPU701" not in codes(lint(job))


def test_a_wrapper_waits_for_what_is_in_it() -> None:
    """C-36: what lies in an AppWrapper is admitted with it."""
    inner = base("pytorchjob", {"metadata": {"labels": None}})
    wrapper = {
        "apiVersion": "workload.codeflare.dev/v1beta2",
        "kind": "AppWrapper",
        "metadata": {"name": "run", "labels": {"kueue.x-k8s.io/queue-name": "research"}},
        "spec": {"components": [{"template": inner}]},
    }
    assert "GPU701" not in codes(lint(wrapper))
    assert "GPU701" in codes(lint(inner))


def test_a_default_queue_of_the_namespace_takes_what_names_none() -> None:
    """C-37: Kueue sends it to the LocalQueue called `default`."""
    job = base("pytorchjob", {"metadata": {"labels": None}})
    queue = local_queue("default", "research", "gpu")
    assert "GPU701" in codes(lint(job))
    assert "GPU701" not in codes(lint(queue, job))


def test_a_trainjob_is_judged_by_its_runtime() -> None:
    """C-36: the gang of a TrainJob is asked for by the runtime, which has to be there."""
    job = base("trainjob", {"metadata": {"labels": None}, "spec": {"runtimeRef": {"name": "own"}}})
    runtime = base("clustertrainingruntime", {"metadata": {"name": "own"}})
    without = {
        **runtime,
        "spec": {k: v for k, v in runtime["spec"].items() if k != "podGroupPolicy"},
    }
    gang = {**without, "spec": {**without["spec"], "podGroupPolicy": {"coscheduling": {}}}}
    assert "GPU701" not in codes(lint(job))
    assert "GPU701" in codes(lint(job, without))
    assert "GPU701" not in codes(lint(job, gang))


def test_the_only_queue_there_is_is_offered() -> None:
    """With several to choose from nothing is."""
    job = base("mpijob", {"metadata": {"labels": None}})
    one = local_queue("a", "research", "gpu")
    assert any(found.note for found in lint(one, job))
    text = yaml.safe_dump_all([one, job])
    raised = list(Engine(lambda code: code == "GPU701").run(TextFeed([Source("x.yaml", text)])))
    assert raised[0].found.fix is not None
    text = yaml.safe_dump_all([one, local_queue("b", "research", "gpu"), job])
    raised = list(Engine(lambda code: code == "GPU701").run(TextFeed([Source("x.yaml", text)])))
    assert raised[0].found.fix is None


def test_a_gang_under_volcano_counts_its_pods() -> None:
    """A task that wants more than it has is refused; a job that wants all is not."""
    task = {"spec": {"tasks": [{"name": "worker", "minAvailable": 5}]}}
    assert codes(lint(base("volcano", task))) == ["GPU703"]
    alone = {"name": "main", "command": ["python", "sweep.py"]}
    task = {"name": "worker", "template": {"spec": {"containers": [alone]}}}
    fewer = {"spec": {"minAvailable": 2, "tasks": [task]}}
    assert lint(base("volcano", fewer)) == []
    found = lint(base("volcano", merge(fewer, {"spec": {"plugins": {"pytorch": []}}})))
    assert [(one.rule, one.severity) for one in found] == [("GPU703", "warning")]


# Keys


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("ray.io/gang-scheduling-enbale", "ray.io/gang-scheduling-enabled"),
        ("kueue.k8s.io/queue-name", "kueue.x-k8s.io/queue-name"),
        ("kueue.x-k8s.io/queue", "kueue.x-k8s.io/queue-name"),
        ("kai.scheduler/queue-name", "kai.scheduler/queue"),
        ("karpenter.sh/do-not-distrub", "karpenter.sh/do-not-disrupt"),
        ("karpenter.sh/do-not-evict", "karpenter.sh/do-not-disrupt"),
        ("argocd.argoproj.io/hook-delete-polciy", "argocd.argoproj.io/hook-delete-policy"),
    ],
)
def test_a_slip_is_told_from_the_key_that_was_meant(written, key) -> None:
    found = meant(written)
    assert found is not None
    assert found.key == key


@pytest.mark.parametrize(
    "key",
    [
        "app",
        "example.com/queue-name",
        "kueue.x-k8s.io/queue-name",
        "kueue.x-k8s.io/anything-else",
        "provreq.kueue.x-k8s.io/maxRunDurationSeconds",
        "day.io/cluster",
        "karpenter.k8s.aws/instance-family",
        "argocd-image-updater.argoproj.io/image-list",
    ],
)
def test_other_keys_are_nobodys_slip(key) -> None:
    assert meant(key) is None


@given(st.text(max_size=40))
@settings(max_examples=200)
def test_any_key_can_be_asked_for(key) -> None:
    found = meant(key)
    assert found is None or (found.key != key and meant(found.key) is None)
    home(key)


def test_a_key_that_is_in_its_place_too_is_quiet() -> None:
    queue = {"kueue.x-k8s.io/queue-name": "research"}
    twice = {"metadata": {"labels": queue}, "spec": {"template": {"metadata": {"labels": queue}}}}
    assert lint(base("job", twice)) == []


def test_pods_of_a_deployment_wait_in_queues_by_themselves() -> None:
    """C-37: Kueue admits them pod by pod, by their own label."""
    queue = {"kueue.x-k8s.io/queue-name": "serving"}
    assert lint(base("deployment", {"spec": {"template": {"metadata": {"labels": queue}}}})) == []


# Queues (C-37)


def local_queue(name: str, namespace: str, cluster: str) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterQueue": cluster},
    }


def cluster_queue(quota: dict[str, Any], **spec: Any) -> dict[str, Any]:
    rows = [{"name": name, "nominalQuota": amount} for name, amount in quota.items()]
    group = {"coveredResources": list(quota), "flavors": [{"name": "h100", "resources": rows}]}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "gpu"},
        "spec": {"namespaceSelector": {}, "resourceGroups": [group], **spec},
    }


def kueue_config(text: str) -> dict[str, Any]:
    head = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {"controller_manager_config.yaml": head + text},
    }


QUEUED = {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "research"}}}
ALL = {"cpu": 640, "memory": "8Ti", "ephemeral-storage": "1Ti", "nvidia.com/gpu": 64}


def test_what_a_queue_does_not_cover_is_held_back() -> None:
    """C-37, C-39: each resource once, at the request; silence where Kueue is told to let it pass."""
    queue = local_queue("research", "research", "gpu")
    job = base("job", QUEUED)
    assert lint(cluster_queue(ALL), queue, job) == []
    found = lint(cluster_queue({"nvidia.com/gpu": 64}), queue, job)
    assert codes(found) == ["GPU712"] * 3
    assert found[0].path.endswith("resources.requests.cpu")
    lax = kueue_config("resources: {quotaCheckStrategy: IgnoreUndeclared}\n")
    assert lint(cluster_queue({"nvidia.com/gpu": 64}), queue, job, lax) == []
    some = kueue_config("resources: {excludeResourcePrefixes: [cpu, memory, ephemeral]}\n")
    assert lint(cluster_queue({"nvidia.com/gpu": 64}), queue, job, some) == []


def test_a_queue_in_another_namespace_is_another_queue() -> None:
    """C-37: a LocalQueue admits what is in its own namespace."""
    found = lint(local_queue("research", "other", "gpu"), base("job", QUEUED))
    assert [(one.rule, one.severity) for one in found] == [("GPU711", "warning")]
    assert lint(local_queue("unrelated", "other", "gpu"), base("job", QUEUED)) == []


def test_a_profile_knows_its_queues() -> None:
    """C-37: certain with a profile that lists them; silent with one that lists none."""
    label = {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "nobodys"}}}
    found = lint(base("job", label), profile="queues")
    assert [(one.rule, one.severity) for one in found] == [("GPU711", "error")]
    elsewhere = {"metadata": {"namespace": "serving", **QUEUED["metadata"]}}
    assert codes(lint(base("job", elsewhere), profile="queues")) == ["GPU711"]
    assert lint(base("job", label), profile="h100") == []


def test_a_queue_of_the_profile_has_the_devices_of_its_pools() -> None:
    """C-37: what none of them advertises has no quota."""
    job = base("job", QUEUED)
    assert lint(job, profile="queues") == []
    main = job["spec"]["template"]["spec"]["containers"][0]
    main["resources"] = {"limits": {"amd.com/gpu": 8}, "requests": {"amd.com/gpu": 8}}
    assert codes(lint(job, profile="queues")) == ["GPU712"]


def test_a_cronjobs_queue_is_that_of_its_jobs() -> None:
    """C-37"""
    labels = {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "nobodys"}}}
    found = lint(base("cronjob", {"spec": {"jobTemplate": labels}}), profile="queues")
    assert [one.path for one in found] == [
        'spec.jobTemplate.metadata.labels["kueue.x-k8s.io/queue-name"]'
    ]


def test_a_queue_can_give_what_it_has_and_borrows() -> None:
    """C-39: a bounded queue is too small for what is larger; an unbounded cohort is not judged."""
    queue = local_queue("research", "research", "gpu")
    job = base("job", QUEUED)
    small = {**ALL, "nvidia.com/gpu": 4}
    assert codes(lint(cluster_queue(small), queue, job)) == ["GPU713"]
    assert lint(cluster_queue(small, cohortName="all"), queue, job) == []
    lent = cluster_queue(small, cohortName="all")
    row = lent["spec"]["resourceGroups"][0]["flavors"][0]["resources"][-1]
    row["borrowingLimit"] = 4
    assert lint(lent, queue, job) == []
    row["borrowingLimit"] = 3
    assert codes(lint(lent, queue, job)) == ["GPU713"]


@pytest.mark.parametrize(
    ("spec", "where"),
    [
        ({"preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}}}, "borrowWithinCohort"),
        ({"cohortName": "all"}, None),
    ],
)
def test_a_queue_that_contradicts_itself_is_refused(spec, where) -> None:
    """C-37"""
    found = lint(cluster_queue(ALL, **spec))
    assert [one.path.rpartition(".")[2] for one in found] == ([where] if where else [])


def test_a_flavor_has_one_group_and_its_resources_in_order() -> None:
    """C-37"""
    queue = cluster_queue(ALL)
    group = queue["spec"]["resourceGroups"][0]
    group["flavors"].append({"name": "spot", "resources": group["flavors"][0]["resources"][::-1]})
    other = {
        "coveredResources": ["x/y"],
        "flavors": [{"name": "h100", "resources": [{"name": "x/y"}]}],
    }
    queue["spec"]["resourceGroups"].append(other)
    assert codes(lint(queue)) == ["GPU714", "GPU714"]


def test_a_queue_that_only_lends_selects_nobody() -> None:
    """C-37: no namespaces, no LocalQueue, and a cohort: its quota is for the others."""
    lends = cluster_queue(ALL, namespaceSelector=None, cohortName="all")
    assert lint(lends) == []
    assert codes(lint(lends, local_queue("research", "research", "gpu"))) == ["GPU715"]


def test_suspend_is_kueues_where_something_writes_it_again() -> None:
    """C-60: by hand it is harmless; a sync is what ends the pods."""
    job = base("job", merge(QUEUED, {"spec": {"suspend": True}}))
    assert lint(job) == []
    synced = {"metadata": {"annotations": {"argocd.argoproj.io/hook-weight": "1"}}}
    assert "GPU718" in codes(lint(merge(job, synced)))


def test_kueues_own_configuration_says_what_it_manages() -> None:
    """C-37, C-58"""
    job = base("pytorchjob")
    listed = kueue_config("integrations: {frameworks: [batch/job, kubeflow.org/pytorchjob]}\n")
    other = kueue_config("integrations: {frameworks: [batch/job]}\n")
    assert lint(listed, job) == []
    found = lint(other, job)
    assert [(one.rule, one.severity) for one in found] == [("GPU719", "warning")]


def test_a_limit_range_fills_requests_in() -> None:
    bare = base("job", QUEUED)
    del bare["spec"]["template"]["spec"]["containers"][0]["resources"]
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "defaults", "namespace": "research"},
        "spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": "1"}}]},
    }
    assert codes(lint(bare)) == ["GPU716"]
    assert lint(limits, bare) == []


def test_a_queued_ray_cluster_may_grow_when_it_says_so() -> None:
    """C-37, C-58"""
    grows = {"spec": {"rayClusterSpec": {"enableInTreeAutoscaling": True}}}
    elastic = {"metadata": {"annotations": {"kueue.x-k8s.io/elastic-job": "true"}}}
    assert codes(lint(base("rayjob", grows))) == ["GPU717"]
    assert lint(base("rayjob", merge(grows, elastic))) == []


# Jobs (C-33, C-34)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"podReplacementPolicy": "TerminatingOrFailed"}, "spec.podReplacementPolicy"),
        (
            {"maxFailedIndexes": 1, "completionMode": "Indexed", "completions": 2},
            "spec.maxFailedIndexes",
        ),
        ({"completionMode": "Indexed"}, "spec.completions"),
        ({"successPolicy": {"rules": [{"succeededCount": 1}]}}, "spec.successPolicy"),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}}
                    ]
                }
            },
            "spec.podFailurePolicy.rules[0].action",
        ),
        (
            {"podFailurePolicy": {"rules": [{"action": "FailJob"}]}},
            "spec.podFailurePolicy.rules[0]",
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [0, 1]}}
                    ]
                }
            },
            "spec.podFailurePolicy.rules[0].onExitCodes.values",
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {
                            "action": "FailJob",
                            "onExitCodes": {
                                "containerName": "nobody",
                                "operator": "In",
                                "values": [1],
                            },
                        }
                    ]
                }
            },
            "spec.podFailurePolicy.rules[0].onExitCodes.containerName",
        ),
        ({"template": {"spec": {"restartPolicy": None}}}, "spec.template.spec.restartPolicy"),
    ],
)
def test_policies_that_exclude_each_other_are_refused(spec, path) -> None:
    """C-34"""
    found = lint(base("job", {"spec": spec}))
    assert [(one.rule, one.path, one.severity) for one in found] == [("GPU721", path, "error")]


def test_on_failure_is_fine_without_a_policy() -> None:
    """C-34"""
    patch = {
        "spec": {
            "podFailurePolicy": None,
            "podReplacementPolicy": None,
            "template": {"spec": {"restartPolicy": "OnFailure"}},
        }
    }
    assert lint(base("job", patch)) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["python", "finetune.py"], True),
        (["torchrun", "--nproc-per-node=1", "-m", "train"], True),
        (["bash", "-c", "python pretrain_gpt.py && sleep infinity"], False),
        (["python", "constrained_decoding.py"], False),
        (["python", "train_server.py"], False),
        (["python", "app.py"], False),
    ],
)
def test_training_is_known_by_its_program(command, said) -> None:
    """C-33: finite work is a Job's; a name that only looks like it is not."""
    quiet = {"args": None, "ports": None, "lifecycle": None}
    probes = dict.fromkeys(("startupProbe", "readinessProbe", "livenessProbe"))
    service = base("deployment", container(command=command, **quiet, **probes))
    assert ("GPU722" in codes(lint(service))) is said


def test_a_server_with_a_deadline_ends() -> None:
    """C-33"""
    serves = container(
        image="vllm/vllm-openai:v0.33.0", command=["vllm", "serve"], args=["/m", "-tp", "8"]
    )
    assert codes(lint(base("job", serves))) == ["GPU723"]
    assert lint(base("job", merge(serves, {"spec": {"activeDeadlineSeconds": 3600}}))) == []
    batch = container(
        image="vllm/vllm-openai:v0.33.0", command=["vllm", "run-batch"], args=["-i", "x"]
    )
    assert lint(base("job", batch)) == []


@pytest.mark.parametrize(
    ("name", "fresh"),
    [
        ("nightly-embed", False),
        ("train-2026-06-01", True),
        ("pretrain-cab5ed3d", True),
        ("embed-v12", True),
        ("llama-70b", False),
    ],
)
def test_a_name_that_changes_is_told_from_one_that_does_not(name, fresh) -> None:
    """C-60"""
    assert has_fresh_name(Object({"metadata": {"name": name}})) is fresh


def test_hooks_and_forced_jobs_may_keep_their_names() -> None:
    """C-60"""
    argo = "argocd.argoproj.io"
    fixed = {"metadata": {"name": "embed", "annotations": {f"{argo}/sync-wave": "1"}}}
    assert codes(lint(base("job", fixed))) == ["GPU724"]
    for key, value in (("hook", "Sync"), ("sync-options", "Prune=false, Replace=true")):
        quiet = merge(fixed, {"metadata": {"annotations": {f"{argo}/{key}": value}}})
        assert lint(base("job", quiet)) == []
    assert lint(base("job", {"metadata": {"name": "embed"}})) == []


def test_hooks_of_helm_are_judged_as_those_of_argo() -> None:
    """C-60"""
    hook = {"helm.sh/hook": "pre-install", "helm.sh/hook-delete-policy": "hook-succeeded"}
    assert codes(lint(base("job", {"metadata": {"annotations": hook}}))) == ["GPU725"]
    hook["helm.sh/hook-delete-policy"] = "before-hook-creation,hook-succeeded"
    assert lint(base("job", {"metadata": {"annotations": hook}})) == []


def test_consolidation_needs_an_autoscaler() -> None:
    """C-51: by the nodes asked for, or by objects of the set; else nothing is known."""
    bare = base("job", {"spec": {"template": {"metadata": {"annotations": None}}}})
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {},
    }
    assert lint(bare) == []
    assert codes(lint(pool, bare)) == ["GPU728"]
    assert lint(pool, base("job")) == []
    assert lint(pool, bare, profile="h100") == []


# Processes against devices


@pytest.mark.parametrize(
    ("line", "processes", "nodes"),
    [
        ("torchrun --nnodes=2 --nproc_per_node 8 train.py --nnodes 9", 8, 2),
        ("python -m torch.distributed.run --nnodes=1:4 --nproc-per-node=gpu train.py", None, 1),
        ("accelerate launch --num_processes 16 --num_machines=2 train.py", 16, 2),
        ("deepspeed --num_gpus 4 train.py --deepspeed ds.json", 4, None),
    ],
)
def test_launchers_are_read_up_to_their_script(line, processes, nodes) -> None:
    pod = base("pod", {"spec": {"containers": [{"name": "main", "command": ["bash", "-c", line]}]}})
    launch = launch_of(Object(pod).pods[0].containers[0])
    assert launch is not None
    assert (launch.processes and launch.processes.number) == processes
    assert launch.least_nodes == nodes


@pytest.mark.parametrize(
    ("args", "severity"),
    [
        (["/m", "--tensor-parallel-size", "2"], None),
        (["/m", "--tensor-parallel-size=1", "--data-parallel-size=2"], None),
        (["/m", "-tp", "2", "-pp", "2"], "error"),
        (["/m", "-tp", "1"], "warning"),
        (["/m"], "warning"),
        (["$MODEL_ARGS"], None),
        (["/m", "--tensor-parallel-size", "$(TP)"], None),
        (["/m", "-tp", "2", "--data-parallel-size", "8", "--data-parallel-rank", "3"], None),
        (["/m", "-tp", "2", "--nnodes", "2", "--pipeline-parallel-size", "2"], None),
        (
            ["/m", "-tp", "4", "--data-parallel-size", "2", "--data-parallel-size-local", "1"],
            "error",
        ),
        (["/m", "--config", "/etc/vllm.yaml"], None),
    ],
)
def test_degrees_multiply_over_the_group(args, severity) -> None:
    """C-53: two GPUs a pod, and what a server is told to divide its model over."""
    found = lint(base("statefulset", container(args=args)))
    assert [one.severity for one in found if one.rule == "GPU731"] == [severity] * (
        severity is not None
    )


def test_ray_may_have_other_pods() -> None:
    """C-53"""
    args = ["/m", "-tp", "8", "--distributed-executor-backend", "ray"]
    assert lint(base("statefulset", container(args=args))) == []


def test_a_jobs_part_of_a_jobset_may_be_a_run_of_its_own() -> None:
    """A JobSet of two runs of two nodes each."""
    job = base("jobset")
    part = job["spec"]["replicatedJobs"][0]
    part["replicas"] = 2
    part["template"]["spec"] |= {"parallelism": 2, "completions": 2}
    main = part["template"]["spec"]["template"]["spec"]["containers"][0]
    main["command"] = ["torchrun", "--nnodes=2", "--nproc-per-node=8", "train.py"]
    assert lint(job) == []
    main["command"][1] = "--nnodes=8"
    assert [(one.rule, one.severity) for one in lint(job)] == [("GPU733", "error")]


@pytest.mark.parametrize(
    ("command", "severity"),
    [
        (["mpirun", "-np", "16", "python", "train.py"], None),
        (["mpirun", "-np", "8", "python", "train.py"], "warning"),
        (["mpirun", "-np", "17", "python", "train.py"], "error"),
        (["mpirun", "-np", "2", "-npernode", "1", "all_reduce_perf", "-g", "8"], None),
        (["mpirun", "-np", "2", "--map-by", "ppr:1:node", "python", "train.py"], None),
        (["mpirun", "-np", "$NP", "python", "train.py"], None),
        (["horovodrun", "-np", "16", "python", "train.py"], None),
    ],
)
def test_mpi_starts_a_process_for_each_gpu(command, severity) -> None:
    """Two workers of eight GPUs."""
    job = base("mpijob")
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]
    launcher["containers"][0]["command"] = command
    assert [one.severity for one in lint(job)] == [severity] * (severity is not None)


def test_ray_is_told_of_the_gpus_that_there_are() -> None:
    job = base("rayjob")
    group = job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]
    group["rayStartParams"] = {"num-gpus": "4"}
    assert codes(lint(job)) == ["GPU736"]
    group["rayStartParams"] = {"num-gpus": "$GPUS"}
    assert lint(job) == []


def test_a_head_that_no_gpu_node_takes_offers_none() -> None:
    """C-21: with a profile whose GPU nodes are tainted."""
    job = base("rayjob")
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]
    head["rayStartParams"] = {}
    head["template"]["spec"]["containers"][0]["image"] = "rayproject/ray:2.52.0-gpu"
    assert codes(lint(job)) == ["GPU737"]
    assert lint(job, profile="h100") == []


def test_a_trainjob_without_a_version_is_judged_softly() -> None:
    """C-58: the same job under each version, and without a profile."""
    job = base("trainjob", {"spec": {"runtimeRef": {"name": "own"}}})
    runtime = base("clustertrainingruntime", {"metadata": {"name": "own"}})
    jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    node = next(
        one
        for each in jobs
        for one in each["template"]["spec"]["template"]["spec"]["containers"]
        if one["name"] == "node"
    )
    node["resources"] = {"limits": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}}
    found = [one for one in lint(runtime, job) if one.rule == "GPU738"]
    assert [(one.severity, one.confidence) for one in found] == [("info", "possible")]
    assert "GPU738" not in codes(lint(runtime, job, profile="trainer"))


# Priority (C-38)


def priority(name: str, value: int, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


def test_experiments_stay_below_servers() -> None:
    """C-38: a run may not end a server; one that preempts nobody, or stands below, is fine."""
    run = base("job", {"spec": {"template": {"spec": {"priorityClassName": "runs"}}}})
    server = base("deployment")
    assert codes(lint(priority("runs", 100), server, run)) == ["GPU751"]
    assert lint(priority("runs", 100, preemptionPolicy="Never"), server, run) == []
    assert lint(priority("runs", -1), server, run) == []
    default = priority("usual", 1000, globalDefault=True)
    assert lint(priority("runs", 100), default, server, run) == []
    known = merge(server, {"spec": {"template": {"spec": {"priorityClassName": "elsewhere"}}}})
    assert lint(priority("runs", 100), known, run) == []


def test_of_queues_with_one_name_the_one_beside_the_job_counts() -> None:
    """C-39: setups that lie side by side in a tree have queues of the same names."""
    page = (HERE.parents[1] / "gpuspec/lint/rules/gangs/queue_does_not_cover.md").read_text()
    wrong = page.partition("```yaml")[2].partition("\n")[2].partition("```")[0]
    queue, local, job = (yaml.safe_load(each) for each in wrong.split("---\n"))
    group = {"coveredResources": ["cpu", "memory", "nvidia.com/gpu"], "flavors": []}
    wide = merge(queue, {"spec": {"resourceGroups": [group]}})

    def said(**files: list[dict[str, Any]]) -> list[str]:
        sources = [
            Source(f"{name}/set.yaml", yaml.safe_dump_all(each)) for name, each in files.items()
        ]
        engine = Engine(lambda code: code == "GPU712")
        return codes([one.finding() for one in engine.run(TextFeed(sources))])

    assert said(a=[queue, local, job]) == ["GPU712"] * 2
    assert said(a=[queue, local], b=[wide, local, job]) == []
    assert said(a=[wide, local], b=[queue, local, job]) == ["GPU712"] * 2
    assert said(a=[queue, local], b=[wide, local], c=[job]) == []


def test_a_launcher_that_counts_all_pods_needs_all_of_them() -> None:
    """C-36: without one of Volcano's plugins the command tells that they belong together."""
    found = lint(base("volcano", {"spec": {"minAvailable": 2}}))
    assert [(one.rule, one.severity) for one in found] == [("GPU703", "warning")]
