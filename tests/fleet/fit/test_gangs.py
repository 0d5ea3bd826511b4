"""Pods that are of no use alone are placed whole or not at all (C-03, C-36, C-37)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fleet.fit.objects import Fit, Json, One, deployment, gang, pod_spec

QUEUES = """\
  queues:
    - name: research
      namespaces: [ml]
      cohort: gpu
      pools: [{pool: h100, gpus: 16, borrow: 8}]
    - name: serving
      namespaces: [prod]
      cohort: gpu
      pools: [{pool: h100, gpus: 16, lend: 8}]
"""


def test_a_gang_that_fits(one: One) -> None:
    found = one(gang(workers=4, gpus=8))
    assert (found.verdict, found.placed, found.gang) == ("placed", 4, True)
    assert found.landings[0].nodes == 4


def test_a_gang_that_does_not_fit_starts_nothing_and_says_what_it_would_hold(fit: Fit) -> None:
    """C-36."""
    report = fit(gang(workers=6, gpus=8))
    (found,) = report.workloads
    assert (found.verdict, found.placed) == ("not placed", 0)
    assert found.notes == (
        "4 of 6 pods would start, and hold their GPUs while they wait for the others: no gang "
        "scheduler places them together",
    )
    assert [a.text for a in found.advice] == [
        "4 of its 6 pods fit together now",
        "its 6 pods need 6 nodes of h100, but 4 are eligible: add nodes, or run at most 4 pods",
    ]
    # To wait until one node is free again is of no use.
    assert [r.change for r in found.reasons if r.group == "h100"] == [None]
    assert report.after == report.before


def test_a_gang_within_one_zone(fit: Fit) -> None:
    """Four nodes in two zones: two fit together, three do not."""
    zone = "topology.kubernetes.io/zone"
    report = fit(gang("two", workers=2, gpus=8, near=zone), gang("three", 3, gpus=8, near=zone))
    two, three = report.workloads
    assert two.verdict == "placed"
    assert two.notes[-1] in (f"all its pods share {zone} a", f"all its pods share {zone} b")
    assert (three.verdict, three.placed) == ("not placed", 0)
    assert f"all its pods together fit into no {zone}, 2 values tried" in three.notes


def test_other_nodes_are_not_for_what_a_queue_sends_elsewhere(fit: Fit) -> None:
    """Kueue adds the labels of its flavor: what is free outside is no room, and the message says so."""
    full = deployment("full", replicas=4, gpus=8)
    (_, found) = fit(
        full, gang(workers=1, gpus=1, queue="research", h100=False), more=QUEUES
    ).workloads
    assert found.verdict == "not placed"
    assert (found.message or "").startswith(
        "0/6 nodes are available: 2 node(s) didn't match Pod's node affinity/selector, "
        "4 node(s) had untolerated taint(s)."
    )
    assert ("t4", "its queue sends it to other nodes") in {
        (one.group, one.text) for one in found.reasons
    }


def test_the_smallest_place_that_is_enough_is_taken(fit: Fit) -> None:
    """A zone that is in use already is filled before another is opened."""
    zone = "topology.kubernetes.io/zone"
    first = deployment(
        "first", gpus=8, nodeSelector={zone: "a"}, tolerations=[{"operator": "Exists"}]
    )
    report = fit(first, gang("one", workers=1, gpus=8), gang("next", 2, gpus=4, near=zone))
    assert report.workloads[2].notes[-1] == f"all its pods share {zone} a"


def test_a_queue_admits_what_it_has_and_may_borrow(fit: Fit) -> None:
    """C-37."""
    report = fit(
        gang("a", 2, queue="research", gpus=8), gang("b", 2, queue="research", gpus=8), more=QUEUES
    )
    a, b = report.workloads
    assert (a.verdict, a.placed) == ("placed", 2)
    assert (b.verdict, b.placed) == ("held", 0)
    assert b.notes == (
        "queue research has 8 of 24 nvidia.com/gpu of h100 left, but the workload requests 16",
    )
    assert b.message is None


def test_what_one_queue_uses_another_cannot_borrow(fit: Fit) -> None:
    report = fit(
        gang("serve", 2, queue="serving", namespace="prod", gpus=8),
        gang("a", 2, queue="research", gpus=8),
        gang("b", 1, queue="research", gpus=8),
        more=QUEUES,
    )
    assert [one.verdict for one in report.workloads] == ["placed", "placed", "held"]


def test_a_queue_that_is_not_for_the_namespace(one: One) -> None:
    found = one(gang(queue="serving", gpus=8), more=QUEUES)
    assert found.verdict == "held"
    assert found.notes == (
        "no queue serving admits workloads of namespace ml: queues that do: research",
    )


TREE = """\
  queues:
    - {name: research, namespaces: [ml], cohort: lab, pools: [{pool: h100, gpus: 8}]}
    - {name: theirs, existing: true, namespaces: [ml]}
  cohorts:
    - {name: lab, parent: all}
    - {name: all, pools: [{pool: h100, gpus: 8}]}
"""


@pytest.mark.parametrize(
    ("queue", "workers", "verdict"),
    [("research", 2, "placed"), ("research", 3, "held"), ("theirs", 3, "placed")],
)
def test_a_cohort_above_lends_and_what_is_not_known_bounds_nothing(
    one: One, queue: str, workers: int, verdict: str
) -> None:
    assert one(gang(queue=queue, workers=workers, gpus=8), more=TREE).verdict == verdict


def test_nothing_is_known_of_queues_without_a_profile_of_them(one: One) -> None:
    found = one(gang(queue="research", gpus=8))
    assert found.verdict == "placed"
    assert found.notes == ("queue research is unknown: it is assumed to admit the workload",)


def test_queues_of_the_set_count_as_those_of_the_profile(fit: Fit) -> None:
    """The objects that `cluster render` makes say the same as the profile that they come from."""
    flavor = {"name": "h100", "resources": []}
    for name, amount in (("cpu", 999), ("memory", "9Ti"), ("nvidia.com/gpu", 8)):
        flavor["resources"].append({"name": name, "nominalQuota": amount})  # type: ignore[attr-defined]
    covered = ["cpu", "memory", "nvidia.com/gpu"]
    version = {"apiVersion": "kueue.x-k8s.io/v1beta1"}
    objects = [
        {
            **version,
            "kind": "ResourceFlavor",
            "metadata": {"name": "h100"},
            "spec": {"nodeLabels": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}},
        },
        {
            **version,
            "kind": "ClusterQueue",
            "metadata": {"name": "gpus"},
            "spec": {"resourceGroups": [{"coveredResources": covered, "flavors": [flavor]}]},
        },
        {
            **version,
            "kind": "LocalQueue",
            "metadata": {"name": "research", "namespace": "ml"},
            "spec": {"clusterQueue": "gpus"},
        },
    ]
    report = fit(gang("a", 1, queue="research", gpus=8), gang("b", 1, queue="research"), *objects)
    a, b = report.workloads
    assert (a.verdict, b.verdict) == ("placed", "held")
    assert b.notes == (
        "queue research has 0 of 8 nvidia.com/gpu of h100 left, but the workload requests 1",
    )


def test_a_level_that_no_node_tells_is_open(one: One) -> None:
    found = one(gang(queue="research", near="example.com/rack", gpus=8), more=QUEUES)
    assert found.verdict == "placed"
    text = "no node has the label example.com/rack: it is unknown whether its pods share a value"
    assert found.notes == (text,)


def hpa(version: str, kind: str, name: str) -> Json:
    """An autoscaler that makes one to four."""
    target = {"apiVersion": version, "kind": kind, "name": name}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"minReplicas": 1, "maxReplicas": 4, "scaleTargetRef": target},
    }


def groups(**more: Any) -> Json:
    """A LeaderWorkerSet of two pods a group, as many groups as an autoscaler makes."""
    version = "leaderworkerset.x-k8s.io/v1"
    template = {"size": 2, "workerTemplate": {"spec": pod_spec(**more)}}
    return {
        "apiVersion": version,
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "large", "namespace": "ml"},
        "spec": {"leaderWorkerTemplate": template},
    }


def test_each_group_that_an_autoscaler_makes_is_a_gang_of_its_own(fit: Fit) -> None:
    """Four nodes take two groups of two; the third and the fourth wait, and hold nothing up."""
    scaler = hpa("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "large")
    (found,) = fit(groups(gpus=8), scaler).workloads
    assert (found.pods, found.verdict, found.placed) == (8, "partly", 4)


def test_workers_that_an_autoscaler_adds_wait_for_nobody(fit: Fit) -> None:
    group = {"groupName": "a", "replicas": 1, "minReplicas": 0, "maxReplicas": 6}
    spec = {
        "enableInTreeAutoscaling": True,
        "headGroupSpec": {"template": {"spec": pod_spec(gpus=0)}},
        "workerGroupSpecs": [{**group, "template": {"spec": pod_spec(gpus=8)}}],
    }
    cluster = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "spec": spec}
    head, workers = fit({**cluster, "metadata": {"name": "shared", "namespace": "ml"}}).workloads
    assert head.verdict == "placed"
    assert (workers.verdict, workers.placed, workers.gang) == ("partly", 4, False)
    assert not any("waiting for the others" in note for note in workers.notes)


def test_an_autoscaler_moves_the_part_that_its_field_is_of(fit: Fit) -> None:
    """Of a PyTorchJob the workers, by their number; the master stays."""
    parts = {
        role: {"replicas": count, "template": {"spec": pod_spec(gpus=1)}}
        for role, count in (("Master", 1), ("Worker", 3))
    }
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "train", "namespace": "ml"},
        "spec": {"pytorchReplicaSpecs": parts},
    }
    found = fit(job, hpa("kubeflow.org/v1", "PyTorchJob", "train")).workloads
    assert [(one.role, one.least, one.pods) for one in found] == [
        ("master", 1, 1),
        ("worker", 1, 4),
    ]


def test_what_has_no_number_of_replicas_is_not_moved(fit: Fit) -> None:
    (found,) = fit(gang(workers=2, gpus=1), hpa("batch/v1", "Job", "train")).workloads
    assert (found.least, found.pods, found.gang) == (2, 2, True)
