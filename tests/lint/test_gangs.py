"""C-36: pods that start together, or should: what the pages do not show, silence above all."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.feeds import TextFeed
from gpuspec.manifests import Source
from tests.lint.pages import merge
from tests.lint.sets import base, codes, container, lint, local_queue


@pytest.mark.parametrize(
    "patch",
    [
        {"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": "serving"}}},
        {"spec": {"leaderWorkerTemplate": {"size": 1}}},
    ],
    ids=["volcano", "one pod"],
)
def test_a_gang_that_is_one_is_quiet(patch: dict[str, Any]) -> None:
    """C-36: an object that is held together, or is alone, is no news."""
    found = lint(base("leaderworkerset", {"metadata": {"labels": None}, **patch}))
    assert "GPU701" not in codes(found)


def test_kthena_starts_a_group_by_volcano() -> None:
    """It makes a PodGroup of each group, unless its pods go to another scheduler."""
    serving = base("modelserving", {"spec": {"replicas": 1, "schedulerName": None}})
    serving["spec"]["template"]["roles"][0]["replicas"] = 2
    assert "GPU701" not in codes(lint(serving))
    serving["spec"]["schedulerName"] = "volcano"
    assert "GPU701" not in codes(lint(serving))
    serving["spec"]["schedulerName"] = "default-scheduler"
    assert "GPU701" in codes(lint(serving))


def test_aibrix_starts_roles_together_by_a_field_of_its_own() -> None:
    """Kueue has no integration for it: no label is offered, though there is a queue."""
    storm = base("stormservice")
    spec = storm["spec"]["template"]["spec"]
    spec["roles"][0] |= {"replicas": 2, "podGroupSize": 2}
    text = yaml.safe_dump_all([local_queue("serving", "serving", "serving"), storm])
    raised = list(Engine(lambda code: code == "GPU701").run(TextFeed([Source("x.yaml", text)])))
    assert raised[0].found.fix is None
    assert "`spec.template.spec.schedulingStrategy`" in (raised[0].found.note or "")
    assert raised[0].found.message.startswith("4 pods with 4 GPUs in all only work together")
    del spec["roles"][0]["podGroupSize"]
    assert "GPU701" not in codes(lint(storm)), "each answers by itself"
    spec["roles"].append({**spec["roles"][0], "name": "prefill"})
    (message,) = [one.message for one in lint(storm) if one.rule == "GPU701"]
    assert message.startswith("roles `decode` and `prefill` with 4 GPUs in all only work together")
    gang = {"volcanoSchedulingStrategy": {"minMember": 2}}
    for holder in (spec, spec["roles"][1]):
        holder["schedulingStrategy"] = gang
        assert "GPU701" not in codes(lint(storm))
        del holder["schedulingStrategy"]


def test_the_queue_of_a_fleet_is_a_label_of_its_clusters() -> None:
    """AIBrix gives a RayCluster the labels of the fleet's template, not the fleet's own."""
    fleet = base("rayclusterfleet")
    assert "GPU701" not in codes(lint(fleet))
    metadata = fleet["spec"]["template"]["metadata"]
    del metadata["labels"]["kueue.x-k8s.io/queue-name"]
    text = yaml.safe_dump_all([local_queue("serving", "serving", "serving"), fleet])
    raised = list(Engine(lambda code: code == "GPU701").run(TextFeed([Source("x.yaml", text)])))
    assert raised[0].found.path[:4] == ("spec", "template", "metadata", "labels")


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
    more = {"spec": {"tasks": [{"name": "worker", "minAvailable": 5}]}}
    assert codes(lint(base("volcano", more))) == ["GPU703"]
    alone = {"name": "main", "command": ["python", "sweep.py"]}
    task = {"name": "worker", "template": {"spec": {"containers": [alone]}}}
    fewer = {"spec": {"minAvailable": 2, "tasks": [task]}}
    assert lint(base("volcano", fewer)) == []
    found = lint(base("volcano", merge(fewer, {"spec": {"plugins": {"pytorch": []}}})))
    assert [(one.rule, one.severity) for one in found] == [("GPU703", "warning")]


def test_a_launcher_that_counts_all_pods_needs_all_of_them() -> None:
    """C-36: without one of Volcano's plugins the command tells that they belong together."""
    found = lint(base("volcano", {"spec": {"minAvailable": 2}}))
    assert [(one.rule, one.severity) for one in found] == [("GPU703", "warning")]
