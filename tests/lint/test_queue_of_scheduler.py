"""GPU410: queues of KAI and Volcano, beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.sets import base

FREE = {"quota": -1, "limit": -1}


def said(*documents: Any) -> list[Finding]:
    text = yaml.safe_dump_all(documents, sort_keys=False)
    engine = Engine(lambda code: code == "GPU410", None)
    return [one.finding() for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


def kai(name: str, parent: str = "", **resources: Any) -> dict[str, Any]:
    above = {"parentQueue": parent} if parent else {}
    return {
        "apiVersion": "scheduling.run.ai/v2",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {**above, "resources": {"cpu": FREE, "memory": FREE, "gpu": FREE, **resources}},
    }


def volcano(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": spec,
    }


def labelled(kind: str, queue: str, **labels: str) -> Any:
    metadata = {"labels": {"kai.scheduler/queue": queue, **labels}}
    spec = {"schedulerName": "kai-scheduler"}
    if kind == "pod":
        return base(kind, {"metadata": metadata, "spec": spec})
    return base(kind, {"metadata": metadata, "spec": {"template": {"spec": spec}}})


TOP = kai("top")


def test_a_queue_that_nobody_made_is_named() -> None:
    (one,) = said(labelled("pod", "visions"), TOP, kai("vision", "top"))
    assert one.severity == "warning"
    assert "no queue of KAI in these files is named `visions`" in one.message
    assert said(labelled("pod", "visions")) == []


def test_all_of_a_gang_have_to_fit_and_replicas_do_not() -> None:
    """The limit of a queue above counts as well."""
    small = kai("vision", "top", gpu={"quota": 4, "limit": 4})
    (one,) = said(labelled("pytorchjob", "vision"), TOP, small)
    assert (one.severity, "never starts" in one.message) == ("error", True)
    (one,) = said(
        labelled("pytorchjob", "vision"),
        kai("top", gpu={"quota": 4, "limit": 4}),
        kai("vision", "top"),
    )
    assert "queue `top` allows at most 4 `gpu`" in one.message
    server = labelled("deployment", "vision")
    server["spec"]["replicas"] = 5
    (one,) = said(server, TOP, small)
    assert (one.severity, "the remaining pods stay Pending" in one.message) == ("warning", True)


def test_units_are_those_of_kai() -> None:
    """Thousandths of a CPU, millions of bytes."""
    pod = labelled("pod", "vision")
    pod["spec"]["containers"][0]["resources"]["requests"] |= {"cpu": "4", "memory": "16Gi"}
    assert said(pod, TOP, kai("vision", "top", cpu={"limit": 4000}, memory={"limit": 17180})) == []
    (one,) = said(pod, TOP, kai("vision", "top", cpu={"limit": 4}))
    assert "requests 4 `cpu`" in one.message


def test_parts_of_gpus_are_counted_as_parts() -> None:
    def part(size: str, times: str) -> Any:
        pod = labelled("pod", "vision")
        pod["metadata"]["annotations"] = {
            "gpu-fraction": size,
            "gpu-fraction-num-devices": times,
        }
        for amounts in pod["spec"]["containers"][0]["resources"].values():
            amounts.pop("nvidia.com/gpu", None)
        return pod

    one_gpu = kai("vision", "top", gpu={"quota": 1, "limit": 1})
    assert said(part("0.5", "2"), TOP, one_gpu) == []
    assert len(said(part("0.5", "3"), TOP, one_gpu)) == 1


def test_what_can_be_preempted_may_run_over_quota() -> None:
    queue = kai("vision", "top", gpu={"quota": 0, "limit": -1})
    assert len(said(labelled("deployment", "vision"), TOP, queue)) == 1
    free = labelled("deployment", "vision", **{"kai.scheduler/preemptibility": "preemptible"})
    assert said(free, TOP, queue) == []
    assert said(labelled("deployment", "vision", priorityClassName="train"), TOP, queue) == []
    assert len(said(labelled("pod", "vision", priorityClassName="build"), TOP, queue)) == 1
    assert said(labelled("pod", "vision"), TOP, queue) == []


def test_a_job_of_volcano_needs_its_minimum_only() -> None:
    job = base("volcano")
    job["spec"]["minAvailable"] = 2
    assert said(job, volcano("research", capability={"nvidia.com/gpu": 16})) == []
    (one,) = said(job, volcano("research", capability={"nvidia.com/gpu": 15}))
    assert one.severity == "error"
    assert said(job, volcano("research", capability={"cpu": 0, "memory": "8Ti"})) == []


def test_only_queues_without_others_below_are_used() -> None:
    (one,) = said(base("volcano"), volcano("research"), volcano("vision", parent="research"))
    assert "never runs" in one.message
    assert said(base("volcano"), volcano("research"), volcano("vision")) == []


def test_a_queue_that_is_there_twice_is_not_judged() -> None:
    """Setups of several clusters lie in one tree."""
    text = [
        SourceFile("a/queues.yaml", yaml.safe_dump(kai("vision"))),
        SourceFile("b/queues.yaml", yaml.safe_dump(kai("vision"))),
        SourceFile("c/pod.yaml", yaml.safe_dump(labelled("pod", "vision"))),
    ]
    engine = Engine(lambda code: code == "GPU410", None)
    assert list(engine.run(TextLoader(text))) == []


def test_pods_that_say_no_queue_go_to_the_default_one() -> None:
    pod = base("pod", {"spec": {"schedulerName": "kai-scheduler"}})
    (one,) = said(pod, TOP, kai("vision", "top"))
    assert (one.severity, "name no queue" in one.message) == ("warning", True)
    assert said(pod, TOP, kai("default-queue", "top")) == []
    pod["metadata"]["labels"] = {"project": "vision"}
    assert said(pod, TOP, kai("vision", "top")) == []


@pytest.mark.parametrize("kind", ["pod", "deployment", "indexed-job", "leaderworkerset"])
def test_pods_without_a_queue_need_one_of_a_fixed_name(kind: str) -> None:
    """Nothing here says whether the cluster has it."""
    spec: dict[str, Any] = {"schedulerName": "kai-scheduler"}
    if kind == "leaderworkerset":
        workload = base(
            kind, {"spec": {"leaderWorkerTemplate": {"workerTemplate": {"spec": spec}}}}
        )
    elif kind == "pod":
        workload = base(kind, {"spec": spec})
    else:
        workload = base(kind, {"spec": {"template": {"spec": spec}}})
    (one,) = said(workload)
    assert (one.severity, one.confidence) == ("warning", "possible")
    assert "if the cluster has none" in one.message
    workload["metadata"]["labels"] = {"kai.scheduler/queue": "vision"}
    assert said(workload) == []


def test_a_queue_that_a_kustomization_names_is_one() -> None:
    pod = base("pod", {"spec": {"schedulerName": "kai-scheduler"}})
    api = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    pairs = {"kai.scheduler/queue": "vision"}
    assert said(pod, {**api, "commonLabels": pairs}) == []
    assert said(pod, {**api, "labels": [{"pairs": pairs, "includeTemplates": True}]}) == []
    assert len(said(pod, {**api, "commonLabels": {"team": "vision"}})) == 1


@pytest.mark.parametrize(
    ("spec", "held"),
    [
        ({}, True),
        ({"parentQueue": "all"}, True),
        ({"resources": {}}, False),
        ({"resources": {"gpu": {"quota": -1, "limit": -1}}}, False),
    ],
)
def test_a_queue_of_kai_that_says_nothing_of_resources(spec: dict[str, Any], held: bool) -> None:
    kind = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue"}
    assert bool(said({**kind, "metadata": {"name": "team"}, "spec": spec})) is held


@pytest.mark.parametrize(
    ("parent", "child", "field"),
    [
        ({"quota": 8, "limit": 8}, {"quota": 12, "limit": 12}, "limit"),
        ({"quota": 8, "limit": -1}, {"quota": 12, "limit": -1}, "quota"),
        ({"quota": 8, "limit": 8}, {"quota": 8, "limit": 8}, None),
        ({"quota": 8, "limit": 8}, {"quota": -1, "limit": -1}, None),
        # A parent that guarantees nothing, or says nothing of it.
        ({"quota": 0, "limit": -1}, {"quota": 2, "limit": 4}, None),
        ({"limit": -1}, {"quota": 2, "limit": 4}, None),
    ],
)
def test_a_queue_has_no_more_than_the_one_above_it(
    parent: dict[str, int], child: dict[str, int], field: str | None
) -> None:
    found = said(kai("top", gpu=parent), kai("vision", "top", gpu=child))
    assert [one.message.partition(" ")[0] for one in found] == ([f"`{field}`"] if field else [])
    assert all(one.severity == "warning" for one in found)


def test_the_label_of_a_queue_that_runai_does_not_read() -> None:
    pod = base("pod")
    pod["spec"]["schedulerName"] = "runai-scheduler"
    pod["metadata"]["labels"] = {"kai.scheduler/queue": "vision"}
    (finding,) = said(pod)
    assert "`runai/queue`" in finding.message
    pod["metadata"]["labels"]["runai/queue"] = "vision"
    assert not said(pod)
