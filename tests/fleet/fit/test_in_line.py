"""Work that a queue does not admit yet: what comes before it, and whose place it would take."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import gpuspec
from gpuspec.fleet.fit import WorkloadFit
from tests.fleet.fit.objects import Fit, Json, gang
from tests.fleet.fit.test_gangs import QUEUES
from tests.fleet.fit.test_live import node

API = "kueue.x-k8s.io/v1beta2"


def made(kind: str, name: str, namespace: str = "", **spec: object) -> Json:
    where = {"namespace": namespace} if namespace else {}
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, **where}, "spec": spec}


def queue(quota: int, preempts: str) -> list[Json]:
    resources: list[Json] = [
        {"name": "nvidia.com/gpu", "nominalQuota": quota},
        {"name": "cpu", "nominalQuota": 1000},
        {"name": "memory", "nominalQuota": "9000Gi"},
    ]
    group = {
        "coveredResources": [one["name"] for one in resources],
        "flavors": [{"name": "any", "resources": resources}],
    }
    preemption = {"withinClusterQueue": preempts}
    return [
        made("ResourceFlavor", "any"),
        made("ClusterQueue", "all", resourceGroups=[group], preemption=preemption),
        made("LocalQueue", "research", "ml", clusterQueue="all"),
        {
            "apiVersion": API,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": "urgent"},
            "value": 100,
        },
    ]


def workload(name: str, gpus: int = 0, priority: int = 0, hour: int = 0) -> Json:
    """One of a Job of that name; with GPUs it has quota, without it waits."""
    one = made("Workload", f"job-{name}", "ml", queueName="research", priority=priority)
    one["metadata"] |= {
        "creationTimestamp": f"2026-06-01T{hour:02}:00:00Z",
        "ownerReferences": [{"kind": "Job", "name": name}],
    }
    if gpus:
        given = {"flavors": {"nvidia.com/gpu": "any"}, "resourceUsage": {"nvidia.com/gpu": gpus}}
        one["status"] = {
            "admission": {"clusterQueue": "all", "podSetAssignments": [given]},
            "conditions": [{"type": "QuotaReserved", "status": "True"}],
        }
    return one


@pytest.fixture
def queued(tmp_path: Path) -> Callable[..., WorkloadFit]:
    """What is said of a Job of one pod with 8 GPUs on a cluster with such objects."""

    def run(*items: Json, urgent: bool = True) -> WorkloadFit:
        job = gang(workers=1, gpus=8, queue="research")
        if urgent:
            job["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "urgent"
        nodes = [node(name) for name in "abcd"]
        dump = {"kind": "List", "items": [*nodes, *items]}
        (tmp_path / "live.json").write_text(json.dumps(dump))
        (tmp_path / "set.yaml").write_text(yaml.safe_dump(job))
        return gpuspec.fit(str(tmp_path / "set.yaml"), live=str(tmp_path / "live.json")).workloads[
            0
        ]

    return run


def test_what_waits_already_comes_first(queued: Callable[..., WorkloadFit]) -> None:
    """The highest priority first, of equals the oldest; what is lower does not count."""
    waiting = [
        workload("low", priority=10),
        workload("late", priority=100, hour=9),
        workload("early", priority=100, hour=3),
        workload("top", priority=500, hour=12),
    ]
    found = queued(*queue(8, "Never"), workload("runs", 8), *waiting)
    assert found.verdict == "held"
    assert found.notes == (
        "queue research has 0 of 8 nvidia.com/gpu of any left, but the workload requests 8",
        "3 workloads are ahead of it in queue research: top, early, late",
    )
    assert queued(*queue(8, "Never"), *waiting, urgent=False).verdict == "placed"


def test_who_would_be_preempted(queued: Callable[..., WorkloadFit]) -> None:
    """Of lower priority the lowest, of equals the newest; no more than are needed."""
    runs = [
        workload("old", 4, 10, hour=1),
        workload("new", 4, 10, hour=2),
        workload("lowest", 4, 1),
        workload("equal", 4, 100),
    ]
    found = queued(*queue(16, "LowerPriority"), *runs)
    assert found.verdict == "held"
    assert found.notes[-1] == (
        "queue research would preempt 2 workloads of lower priority: lowest, new"
    )
    for said in (
        queued(*queue(16, "Never"), *runs),
        queued(*queue(16, "LowerPriority"), *runs, urgent=False),
        queued(*queue(16, "LowerPriority"), workload("equal", 16, 100), workload("small", 1, 1)),
    ):
        assert said.verdict == "held"
        assert not any("preempt" in note for note in said.notes)


def test_a_workload_that_runs_already_makes_way_for_itself(
    queued: Callable[..., WorkloadFit],
) -> None:
    assert queued(*queue(8, "Never"), workload("train", 8)).verdict == "placed"
    done = workload("done", 8)
    done["status"]["conditions"].append({"type": "Finished", "status": "True"})
    assert queued(*queue(8, "Never"), done).verdict == "placed"


def test_work_of_one_set_waits_in_its_order(fit: Fit) -> None:
    jobs = [gang(name, 2, queue="research", gpus=8) for name in ("a", "b", "c")]
    *_, last = fit(*jobs, more=QUEUES).workloads
    assert last.verdict == "held"
    assert last.notes[-1] == "1 workload is ahead of it in queue research: b"
