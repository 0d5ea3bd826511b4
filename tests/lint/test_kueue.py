"""C-37: queues of Kueue against one another, their flavors, namespaces and configuration."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.cases import profile
from tests.lint.sets import ALL, QUEUED, base, cluster_queue, kueue_config, local_queue


def _member(name: str, flavor: str, resource: str = "nvidia.com/gpu") -> dict[str, Any]:
    made = cluster_queue({resource: 8}, cohortName="ml")
    made["metadata"]["name"] = name
    made["spec"]["resourceGroups"][0]["flavors"][0]["name"] = flavor
    return made


def _shares(*documents: Any) -> list[str]:
    text = yaml.safe_dump_all(documents)
    engine = Engine(lambda code: code == "GPU412", None)
    return [one.finding().message for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


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
    return [one.finding().message for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


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
    assert "tolerate `team`" in message
    soft = {**other, "effect": "PreferNoSchedule"}
    assert _choosing({}, _flavor("h100", nodeTaints=[soft])) == []


@pytest.mark.parametrize(
    ("provider", "kind", "admitted"),
    [(None, "pod", True), ("eks", "pod", True), ("none", "pod", False), ("eks", "job", False)],
)
def test_what_admission_adds_counts_for_pods_that_are_queued_as_such(
    provider: str | None, kind: str, admitted: bool
) -> None:
    """C-37: Kueue sees a Job's template, but a Pod as the API server made it."""
    one = base(kind, QUEUED)
    pod = one["spec"]["template"]["spec"] if kind == "job" else one["spec"]
    pod |= {"affinity": None, "nodeSelector": None, "tolerations": []}
    taint = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}
    queue = cluster_queue(ALL)
    queue["spec"]["resourceGroups"][0]["flavors"][0]["name"] = "h100"
    local = local_queue("research", "research", "gpu")
    text = yaml.safe_dump_all([one, queue, local, _flavor("h100", nodeTaints=[taint])])
    known = profile({"provider": provider}) if provider else None
    engine = Engine(lambda code: code == "GPU416", known)
    assert bool([*engine.run(TextLoader([SourceFile("set.yaml", text)]))]) is not admitted


def _nowhere(*documents: Any) -> list[str]:
    text = yaml.safe_dump_all(documents)
    engine = Engine(lambda code: code == "GPU715", None)
    return [one.finding().message for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


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
    assert message.startswith("ClusterQueue `gpu` requires AdmissionCheck `dws`")
    (message,) = _nowhere(queue, check("dws", "dsw"), config)
    assert message.startswith("AdmissionCheck `dws` uses ProvisioningRequestConfig `dsw`")


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
    found = list(engine.run(TextLoader([SourceFile("set.yaml", whole)])))
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
        found = [one.finding() for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]
        return [(one.severity, one.message.rpartition("give ")[2]) for one in found]

    assert said(0, 64) == []
    assert said(8, 8) == [
        (
            "warning",
            "at most 16 `nvidia.com/gpu` at once, including what the cohort's queues here lend",
        )
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
    assert bool(list(engine.run(TextLoader([SourceFile("set.yaml", text)])))) is evicted
