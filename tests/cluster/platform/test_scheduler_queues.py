"""Queues of Volcano and of KAI of a profile: the same words as for Kueue's, in each one's own terms."""

from typing import Any

import pytest

from gpuspec.cluster.platform import platform_objects
from gpuspec.manifests import InputError
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

Object = dict[str, Any]
POOLS = """
pools:
- name: h100
  gpu: {model: H100-80GB, count: 8}
  allocatable: {cpu: 80, memory: 800Gi}
  reserved: {cpu: 0, memory: 0}
  labels: {pool: h100}
  nodes: 16
"""
QUEUES = """
cohorts: [{name: all, pools: [{pool: h100, gpus: 8}]}]
queues:
- {name: research, namespaces: [ml], cohort: all, weight: 2.5, pools: [{pool: h100, gpus: 64, borrow: 16}]}
- {name: product, namespaces: [prod], cohort: all, pools: [{pool: h100, gpus: 32}]}
- {name: alone, namespaces: [x], pools: [{pool: h100, gpus: 8}]}
- {name: theirs, namespaces: [x], existing: true}
"""
VOLCANO = 'installed: {volcano: "1.15"}\nscheduler: volcano\n'
KAI = 'installed: {kai-scheduler: "0.20"}\nscheduler: kai-scheduler\n'


def made(profile: Any) -> tuple[dict[str, Object], list[Object], tuple[str, ...]]:
    objects, notes = platform_objects(profile)
    assert not [fault for one in objects for fault in validate(one, "1.36")]
    queues = [one for one in objects if one["kind"] == "Queue"]
    return {one["metadata"]["name"]: one["spec"] for one in queues}, objects, notes


def gpus(amounts: Object) -> str:
    return str(amounts["nvidia.com/gpu"])


def test_volcano_gives_each_what_it_deserves(profile: MakeProfile) -> None:
    """A cohort has what is below it too; without a limit of what is borrowed there is no bound."""
    found, objects, notes = made(profile(VOLCANO + POOLS + QUEUES))
    assert list(found) == ["all", "research", "product", "alone"]
    assert {one["apiVersion"] for one in objects} == {"scheduling.volcano.sh/v1beta1"}
    assert {name: gpus(one["deserved"]) for name, one in found.items()} == {
        "all": "104",
        "research": "64",
        "product": "32",
        "alone": "8",
    }
    assert found["research"]["deserved"] == {
        "cpu": "640",
        "memory": "6400Gi",
        "nvidia.com/gpu": "64",
    }
    assert gpus(found["research"]["capability"]) == "80"
    assert "capability" not in found["product"]
    assert gpus(found["alone"]["capability"]) == "8"
    assert [one.get("parent") for one in found.values()] == [None, "all", "all", None]
    assert found["research"]["weight"] == 3
    assert any("weight 2500m" in note or "weight 2.5" in note for note in notes)
    assert any("the plugin `capacity`" in note for note in notes)


def test_what_is_not_lent_is_kept_and_order_is_kept(profile: MakeProfile) -> None:
    kept = QUEUES.replace("gpus: 64,", "gpus: 64, lend: 24,").replace(
        "namespaces: [ml],", "namespaces: [ml], order: strict,"
    )
    found, _, _ = made(profile(VOLCANO + POOLS + kept))
    assert gpus(found["research"]["guarantee"]["resource"]) == "40"
    assert found["research"]["dequeueStrategy"] == "fifo"


def test_kai_counts_gpus_and_bounds_what_is_no_cohorts(profile: MakeProfile) -> None:
    """A limit that is not said is 0 there, so that each is said."""
    found, objects, _ = made(profile(KAI + POOLS + QUEUES))
    assert {one["apiVersion"] for one in objects} == {"scheduling.run.ai/v2"}
    rows = {
        name: (gpu["quota"], gpu["overQuotaWeight"], gpu["limit"])
        for name, one in found.items()
        for gpu in (one["resources"]["gpu"],)
    }
    assert rows == {
        "all": (104, 1, -1),
        "research": (64, 3, 80),
        "product": (32, 1, -1),
        "alone": (8, 1, 8),
    }
    assert found["research"]["parentQueue"] == "all"
    assert found["alone"]["resources"]["cpu"]["limit"] == -1


def test_a_cohort_that_is_no_more_than_a_name_is_a_queue(profile: MakeProfile) -> None:
    lines = [line for line in QUEUES.splitlines() if "cohorts" not in line]
    found, _, _ = made(profile(KAI + POOLS + "\n".join(lines)))
    assert found["all"]["resources"]["gpu"]["quota"] == 96


def test_kueue_has_the_queues_where_it_is_installed(profile: MakeProfile) -> None:
    """Volcano's too where its Jobs carry training, which name a queue of it."""
    both = 'installed: {kueue: "0.19", volcano: "1.15"}\nscheduler: volcano\n'
    found, objects, _ = made(profile(both + POOLS + QUEUES))
    assert not found
    assert any(one["kind"] == "ClusterQueue" for one in objects)
    carried = both + "targets: {gang: volcano}\n"
    found, objects, _ = made(profile(carried + POOLS + QUEUES))
    assert "research" in found
    assert any(one["kind"] == "ClusterQueue" for one in objects)


@pytest.mark.parametrize(
    ("head", "queue", "said"),
    [
        (VOLCANO, "name: q, clusterQueue: other", "`clusterQueue` is a Kueue field"),
        (VOLCANO, "name: q, preemption: never", "`preemption` is a Kueue field"),
        (KAI, "name: q, order: strict", "`order` is a Kueue field"),
        (VOLCANO, "name: default", "Volcano already has a queue default"),
        (KAI, "name: q, cohort: q", "a cohort is also a queue of KAI"),
        (KAI, "name: r", "queues of KAI have no namespace"),
    ],
)
def test_what_a_scheduler_has_no_word_for_is_refused(
    profile: MakeProfile, head: str, queue: str, said: str
) -> None:
    given = (
        f"queues: [{{name: r, namespaces: [a], pools: [{{pool: h100, gpus: 8}}]}}, "
        f"{{{queue}, namespaces: [b], pools: [{{pool: h100, gpus: 8}}]}}]\n"
    )
    if "name: r" in queue:
        given = given.replace("namespaces: [b]", "namespaces: [b], clusterQueue: c", 1)
    with pytest.raises(InputError, match=said):
        profile(head + POOLS + given)
