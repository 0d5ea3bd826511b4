"""C-37, C-39: what waits in a queue, and the queues themselves."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.feeds import TextFeed
from gpuspec.manifests import Source
from tests.lint.pages import HERE, merge
from tests.lint.sets import base, cluster_queue, codes, lint, local_queue


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


def test_of_queues_with_one_name_the_one_beside_the_job_counts() -> None:
    """C-39: setups that lie side by side in a tree have queues of the same names."""
    page = (HERE.parents[1] / "gpuspec/lint/rules/queues/queue_does_not_cover.md").read_text()
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


def _member(name: str, flavor: str, resource: str = "nvidia.com/gpu") -> dict[str, Any]:
    made = cluster_queue({resource: 8}, cohortName="ml")
    made["metadata"]["name"] = name
    made["spec"]["resourceGroups"][0]["flavors"][0]["name"] = flavor
    return made


def _shares(*documents: Any) -> list[str]:
    text = yaml.safe_dump_all(documents)
    engine = Engine(lambda code: code == "GPU412", None)
    return [one.finding().message for one in engine.run(TextFeed([Source("set.yaml", text)]))]


def test_the_one_queue_of_a_cohort_that_shares_nothing_is_told() -> None:
    """C-37: with two that share, the third; where a cohort has quota itself, none."""
    three = [_member("a", "h100"), _member("b", "h100"), _member("c", "l4")]
    (message,) = _shares(*three)
    assert message.startswith("ClusterQueue `c` has quota of `l4`")
    assert _shares(*three[:2]) == []
    own = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Cohort",
        "metadata": {"name": "ml"},
        "spec": {"parentName": "all"},
    }
    assert _shares(*three, own) == []
    assert _shares(_member("a", "h100"), _member("d", "cpus", "cpu")) == []


def _flavor(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": name},
        "spec": spec,
    }


def _choosing(selector: dict[str, str], *flavors: dict[str, Any]) -> list[str]:
    """What GPU416 says of a Job with a node selector, in a queue of these flavors."""
    job = base("job", QUEUED)
    job["spec"]["template"]["spec"] |= {"affinity": None, "nodeSelector": selector}
    queue = cluster_queue(ALL)
    (group,) = queue["spec"]["resourceGroups"]
    rows = group["flavors"][0]["resources"]
    group["flavors"] = [{"name": each["metadata"]["name"], "resources": rows} for each in flavors]
    text = yaml.safe_dump_all([job, queue, local_queue("research", "research", "gpu"), *flavors])
    engine = Engine(lambda code: code == "GPU416", None)
    return [one.finding().message for one in engine.run(TextFeed([Source("set.yaml", text)]))]


def test_one_flavor_that_takes_a_pod_is_enough() -> None:
    """C-37: a label that a flavor does not have is not asked about."""
    h100, l4 = _flavor("h100", nodeLabels={"gpu": "h100"}), _flavor("l4", nodeLabels={"gpu": "l4"})
    assert len(_choosing({"gpu": "a100"}, h100, l4)) == 1
    assert _choosing({"gpu": "l4"}, h100, l4) == []
    assert _choosing({"other": "a100"}, h100, l4) == []
    assert _choosing({"gpu": "a100"}, h100, _flavor("any")) == []


def test_taints_of_a_flavor_are_for_those_that_tolerate_them() -> None:
    """C-37: GPU nodes' own taint is tolerated by the pod."""
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    assert _choosing({}, _flavor("h100", nodeTaints=[taint])) == []
    other = {**taint, "key": "team"}
    (message,) = _choosing({}, _flavor("h100", nodeTaints=[other]))
    assert "tolerates `team`" in message
    soft = {**other, "effect": "PreferNoSchedule"}
    assert _choosing({}, _flavor("h100", nodeTaints=[soft])) == []


def _nowhere(*documents: Any) -> list[str]:
    text = yaml.safe_dump_all(documents)
    engine = Engine(lambda code: code == "GPU715", None)
    return [one.finding().message for one in engine.run(TextFeed([Source("set.yaml", text)]))]


@pytest.mark.parametrize(
    ("selector", "admitted"),
    [
        ({}, True),
        ({"matchLabels": {"team": "vision"}}, True),
        ({"matchLabels": {"team": "language"}}, False),
        ({"matchExpressions": [{"key": "team", "operator": "In", "values": ["a", "b"]}]}, False),
        ({"matchExpressions": [{"key": "team", "operator": "Exists"}]}, True),
        (
            {
                "matchExpressions": [
                    {
                        "key": "kubernetes.io/metadata.name",
                        "operator": "NotIn",
                        "values": ["research"],
                    }
                ]
            },
            False,
        ),
    ],
)
def test_a_selector_of_namespaces_is_held_against_their_labels(
    selector: dict[str, Any], admitted: bool
) -> None:
    space = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "research", "labels": {"team": "vision"}},
    }
    queue = cluster_queue(ALL, namespaceSelector=selector)
    said = _nowhere(queue, local_queue("research", "research", "gpu"), space)
    assert (said == []) is admitted


def test_labels_of_a_namespace_that_is_elsewhere_are_not_known() -> None:
    queue = cluster_queue(ALL, namespaceSelector={"matchLabels": {"team": "language"}})
    assert _nowhere(queue, local_queue("research", "research", "gpu")) == []


def test_a_check_that_is_not_there_stops_the_queue() -> None:
    def check(name: str, config: str) -> dict[str, Any]:
        given = {"apiGroup": "kueue.x-k8s.io", "kind": "ProvisioningRequestConfig", "name": config}
        controller = "kueue.x-k8s.io/provisioning-request"
        return {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "AdmissionCheck",
            "metadata": {"name": name},
            "spec": {"controllerName": controller, "parameters": given},
        }

    config = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ProvisioningRequestConfig",
        "metadata": {"name": "dws"},
        "spec": {"provisioningClassName": "queued-provisioning.gke.io"},
    }
    strategy = {"admissionChecks": [{"name": "dws"}]}
    queue = cluster_queue(ALL, admissionChecksStrategy=strategy)
    assert _nowhere(queue, check("dws", "dws"), config) == []
    (message,) = _nowhere(queue, check("other", "dws"), config)
    assert message.startswith("ClusterQueue `gpu` asks AdmissionCheck `dws`")
    (message,) = _nowhere(queue, check("dws", "dsw"), config)
    assert message.startswith("AdmissionCheck `dws` is told by ProvisioningRequestConfig `dsw`")


FRAMEWORKS = "integrations: {frameworks: [batch/job, pod]}\n"


@pytest.mark.parametrize(
    ("kind", "text", "managed"),
    [
        ("job", FRAMEWORKS, True),
        ("pod", FRAMEWORKS, True),
        ("cronjob", FRAMEWORKS, True),
        ("deployment", FRAMEWORKS, False),
        ("jobset", FRAMEWORKS, False),
        ("leaderworkerset", FRAMEWORKS, False),
        ("job", "namespace: kueue-system\n", True),
        ("jobset", "namespace: kueue-system\n", False),
        (
            "jobset",
            "integrations: {externalFrameworks: [JobSet.v1alpha2.jobset.x-k8s.io]}\n",
            True,
        ),
    ],
)
def test_kueue_manages_what_its_configuration_lists(kind: str, text: str, managed: bool) -> None:
    """C-37: Jobs alone where it lists nothing."""
    label = {"labels": {"kueue.x-k8s.io/queue-name": "research"}}
    patch: dict[str, Any] = {"metadata": label}
    if kind == "cronjob":
        patch = {"spec": {"jobTemplate": {"metadata": label}}}
    whole = yaml.safe_dump_all([base(kind, patch), kueue_config(text)])
    engine = Engine(lambda code: code == "GPU719", None)
    found = list(engine.run(TextFeed([Source("set.yaml", whole)])))
    assert (found == []) is managed


def test_a_cohort_lends_what_its_queues_have() -> None:
    """C-37: a queue without quota of its own, and what the other lends of the same flavor."""

    def said(own: int, theirs: int, **limit: int) -> list[tuple[str, str]]:
        queue, other = (cluster_queue(ALL, cohortName="ml") for _ in range(2))
        other["metadata"]["name"] = "other"
        for each, amount in ((queue, own), (other, theirs)):
            row = each["spec"]["resourceGroups"][0]["flavors"][0]["resources"][-1]
            row["nominalQuota"] = amount
        row |= limit
        job = base("indexed-job", QUEUED)
        job["metadata"]["namespace"] = "research"
        text = yaml.safe_dump_all([job, queue, other, local_queue("research", "research", "gpu")])
        engine = Engine(lambda code: code == "GPU713", None)
        found = [one.finding() for one in engine.run(TextFeed([Source("set.yaml", text)]))]
        return [(one.severity, one.message.rpartition("give ")[2]) for one in found]

    assert said(0, 64) == []
    assert said(8, 8) == [
        ("warning", "16 `nvidia.com/gpu` at once with all that its cohort's queues here lend")
    ]
    assert len(said(8, 64, lendingLimit=8)) == 1


@pytest.mark.parametrize(
    ("waiting", "evicted"),
    [
        ("{timeout: 5m}", True),
        ("{timeout: 1h}", False),
        ("{enable: false, timeout: 5m}", False),
        ("{recoveryTimeout: 5m}", False),
        ("{timeout: soon}", False),
    ],
)
def test_pods_have_the_time_that_kueue_gives_them(waiting: str, evicted: bool) -> None:
    server = base("deployment", {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "a"}}})
    config = kueue_config(f"waitForPodsReady: {waiting}\n")
    text = yaml.safe_dump_all([server, config])
    engine = Engine(lambda code: code == "GPU419", None)
    assert bool(list(engine.run(TextFeed([Source("set.yaml", text)])))) is evicted
