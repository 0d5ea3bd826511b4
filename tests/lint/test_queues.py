"""C-37, C-39: what waits in a queue, and the queues themselves."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.pages import HERE, merge
from tests.lint.sets import ALL, QUEUED, base, cluster_queue, codes, kueue_config, lint, local_queue


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


@pytest.mark.parametrize(
    ("queue", "workers", "found"), [("tree", 2, []), ("tree", 3, ["GPU713"]), ("theirs", 3, [])]
)
def test_a_profiles_cohorts_lend(queue: str, workers: int, found: list[str]) -> None:
    """The cohort above has one node more; of a queue made elsewhere nothing is known."""
    job = base("job", {"spec": {"parallelism": workers, "completions": workers}})
    job["metadata"] |= {"namespace": "lab", "labels": {"kueue.x-k8s.io/queue-name": queue}}
    assert codes(lint(job, profile="queues")) == found


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
def test_a_queue_that_contradicts_itself_is_refused(
    spec: dict[str, Any], where: str | None
) -> None:
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


def test_a_queued_ray_cluster_has_no_group_called_as_the_heads() -> None:
    group = {
        "groupName": "head",
        "template": {"spec": {"containers": [{"name": "a", "image": "b:1"}]}},
    }
    found = lint(base("rayjob", {"spec": {"rayClusterSpec": {"workerGroupSpecs": [group]}}}))
    assert "and rejects another of that name" in "".join(one.message for one in found)


def test_of_queues_with_one_name_the_one_beside_the_job_counts() -> None:
    """C-39: setups that lie side by side in a tree have queues of the same names."""
    page = (HERE.parents[1] / "gpuspec/lint/rules/queues/queue_does_not_cover.md").read_text()
    wrong = page.partition("```yaml")[2].partition("\n")[2].partition("```")[0]
    queue, local, job = (yaml.safe_load(each) for each in wrong.split("---\n"))
    group = {"coveredResources": ["cpu", "memory", "nvidia.com/gpu"], "flavors": []}
    wide = merge(queue, {"spec": {"resourceGroups": [group]}})

    def said(**files: list[dict[str, Any]]) -> list[str]:
        sources = [
            SourceFile(f"{name}/set.yaml", yaml.safe_dump_all(each)) for name, each in files.items()
        ]
        engine = Engine(lambda code: code == "GPU712")
        return codes([one.finding() for one in engine.run(TextLoader(sources))])

    assert said(a=[queue, local, job]) == ["GPU712"] * 2
    assert said(a=[queue, local], b=[wide, local, job]) == []
    assert said(a=[wide, local], b=[queue, local, job]) == ["GPU712"] * 2
    assert said(a=[queue, local], b=[wide, local], c=[job]) == []
