"""Quotas of Kueue's objects and of namespaces, as the set states them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fleet.fit.objects import H100, Fit, Json, One, deployment, gang

KUEUE = "kueue.x-k8s.io/v1beta2"
FLAVOR = {
    "apiVersion": KUEUE,
    "kind": "ResourceFlavor",
    "metadata": {"name": "h100"},
    "spec": {"nodeLabels": H100},
}
LOCAL = {
    "apiVersion": KUEUE,
    "kind": "LocalQueue",
    "metadata": {"name": "mine", "namespace": "ml"},
    "spec": {"clusterQueue": "a"},
}


def quota_of(gpus: int, **more: int) -> list[Json]:
    rows: list[Json] = [
        {"name": "nvidia.com/gpu", "nominalQuota": gpus, **more},
        {"name": "cpu", "nominalQuota": 500},
        {"name": "memory", "nominalQuota": "9Ti"},
    ]
    covered = [row["name"] for row in rows]
    return [{"coveredResources": covered, "flavors": [{"name": "h100", "resources": rows}]}]


def cluster_queue(name: str, gpus: int, cohort: str = "all", **more: int) -> Json:
    spec = {"cohortName": cohort, "namespaceSelector": {}, "resourceGroups": quota_of(gpus, **more)}
    return {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def cohort(name: str, **spec: Any) -> Json:
    return {"apiVersion": KUEUE, "kind": "Cohort", "metadata": {"name": name}, "spec": spec}


def resource_quota(hard: Json, **spec: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "ml"},
        "spec": {"hard": hard, **spec},
    }


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ([cluster_queue("b", 8)], None),
        ([cluster_queue("b", 8, lendingLimit=4)], 12),
        ([cluster_queue("b", 8, cohort="another")], 8),
        ([cohort("all", resourceGroups=quota_of(8))], None),
        (
            [
                cohort("all", parentName="top"),
                cohort("beside", parentName="top"),
                cluster_queue("b", 8, cohort="beside"),
            ],
            None,
        ),
    ],
    ids=["no queue leads there", "lends a part", "another cohort", "of the cohort", "a tree"],
)
def test_what_a_cohort_has_to_lend(fit: Fit, others: list[Json], left: int | None) -> None:
    """Sixteen GPUs are asked for of a queue that has eight."""
    objects = FLAVOR, LOCAL, cluster_queue("a", 8), *others
    found = fit(gang(queue="mine", workers=2, gpus=8), *objects).workloads[0]
    assert found.verdict == ("placed" if left is None else "held")
    if left is not None:
        text = f"has {left} of {left} nvidia.com/gpu of h100 left, but the workload requests 16"
        assert found.notes == (f"queue mine {text}",)


def test_what_is_kept_back_is_lent_to_nobody(fit: Fit) -> None:
    """b keeps four of eight: three are asked of it, so that one more may be borrowed, not five."""
    theirs = {**LOCAL, "metadata": {"name": "b", "namespace": "ml"}, "spec": {"clusterQueue": "b"}}
    queues = cluster_queue("a", 8), cluster_queue("b", 8, lendingLimit=4)
    for workers, verdict in ((2, "placed"), (3, "held")):
        first = gang("theirs", 3, queue="b", gpus=1)
        second = gang("mine", workers, queue="mine", gpus=6)
        works = fit(first, second, FLAVOR, LOCAL, theirs, *queues).workloads
        assert [one.verdict for one in works] == ["placed", verdict]


@pytest.mark.parametrize("queue", ["mine", None])
def test_a_gang_keeps_to_the_quota_of_its_namespace(one: One, queue: str | None) -> None:
    objects: list[Json] = [resource_quota({"requests.nvidia.com/gpu": 8, "pods": 5})]
    if queue:
        objects += [FLAVOR, LOCAL, cluster_queue("a", 32)]
    found = one(gang(workers=2, gpus=8, queue=queue), *objects)
    text = "the quota of namespace ml has 8 of 8 nvidia.com/gpu left, but the workload requests 16"
    assert (found.verdict, found.placed, found.notes) == ("held", 0, (text,))
    assert one(gang(workers=2, gpus=4, queue=queue), *objects).verdict == "placed"
    assert one(gang(workers=6, gpus=1, queue=queue), *objects).verdict == "held"


def test_one_gang_uses_what_the_next_has_not(fit: Fit) -> None:
    bound = resource_quota({"requests.nvidia.com/gpu": 8})
    works = fit(gang("a", gpus=4), gang("b", gpus=4), deployment(gpus=1), bound).workloads
    assert [one.verdict for one in works] == ["placed", "held", "held"]


def test_a_bound_that_is_not_counted_is_told_of(fit: Fit) -> None:
    scoped = resource_quota({"pods": 0}, scopes=["BestEffort"])
    report = fit(deployment(), scoped)
    assert report.workloads[0].verdict == "placed"
    assert "ResourceQuota q applies only to some pods of ml: not counted" in report.notes
    report = fit(deployment(), resource_quota({"limits.cpu": 1, "services": 1}))
    assert "ResourceQuota q of ml limits limits.cpu: not counted" in report.notes
    assert not any("services" in note for note in report.notes)


def test_pods_are_counted_by_either_name(one: One) -> None:
    assert one(deployment(replicas=2), resource_quota({"count/pods": 1})).verdict == "partly"


def test_a_list_that_holds_pods_and_others_is_both(fit: Fit) -> None:
    """As `kubectl get deploy,quota -o yaml` prints it."""
    items = [deployment(gpus=8, replicas=3), resource_quota({"requests.nvidia.com/gpu": 16})]
    (found,) = fit({"apiVersion": "v1", "items": items, "kind": "List"}).workloads
    assert (found.verdict, found.placed) == ("partly", 2)
