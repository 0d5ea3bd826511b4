"""C-36: pods that start together, or should: what the pages do not show, silence above all."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
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
    raised = list(
        Engine(lambda code: code == "GPU701").run(TextLoader([SourceFile("x.yaml", text)]))
    )
    assert raised[0].found.fix is None
    assert "`spec.template.spec.schedulingStrategy`" in (raised[0].found.note or "")
    assert raised[0].found.message.startswith("4 pods (4 GPUs in total) only work together")
    del spec["roles"][0]["podGroupSize"]
    assert "GPU701" not in codes(lint(storm)), "each answers by itself"
    spec["roles"].append({**spec["roles"][0], "name": "prefill"})
    (message,) = [one.message for one in lint(storm) if one.rule == "GPU701"]
    assert message.startswith("roles `decode` and `prefill` (4 GPUs in total) only work together")
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
    raised = list(
        Engine(lambda code: code == "GPU701").run(TextLoader([SourceFile("x.yaml", text)]))
    )
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
    raised = list(
        Engine(lambda code: code == "GPU701").run(TextLoader([SourceFile("x.yaml", text)]))
    )
    assert raised[0].found.fix is not None
    text = yaml.safe_dump_all([one, local_queue("b", "research", "gpu"), job])
    raised = list(
        Engine(lambda code: code == "GPU701").run(TextLoader([SourceFile("x.yaml", text)]))
    )
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


def _group(api: str, least: int, name: str = "train", namespace: str = "research") -> Any:
    return {
        "apiVersion": api,
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"minMember": least},
    }


VOLCANO = {"annotations": {"scheduling.k8s.io/group-name": "train"}}
PLUGIN = {"labels": {"scheduling.x-k8s.io/pod-group": "train"}}
ONE, OTHER = "scheduling.volcano.sh/v1beta1", "scheduling.x-k8s.io/v1alpha1"


def _grouped(metadata: dict[str, Any], name: str = "a", pods: int = 4) -> Any:
    spec = {"parallelism": pods, "completions": pods, "template": {"metadata": metadata}}
    return base("indexed-job", {"metadata": {"name": name}, "spec": spec})


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([_group(ONE, 5), _grouped(VOLCANO)], "requires 5 pods, but only 4 join"),
        ([_group(OTHER, 5), _grouped(PLUGIN)], "requires 5 pods, but only 4 join"),
        ([_group(ONE, 4), _grouped(VOLCANO)], ""),
        ([_group(ONE, 8), _grouped(VOLCANO), _grouped(VOLCANO, "b")], ""),
        ([_group(ONE, 9), _grouped(VOLCANO), _grouped(VOLCANO, "b")], "9 pods, but only 8 join"),
        ([_group(ONE, 5), _grouped(PLUGIN)], ""),
        ([_group(ONE, 5, namespace="other"), _grouped(VOLCANO)], ""),
        (
            [_group(ONE, 4, "trains"), _grouped(VOLCANO)],
            "joins PodGroup `train`, but only `trains` exists",
        ),
        ([_group(ONE, 4, "another"), _grouped(VOLCANO)], ""),
    ],
)
def test_a_group_is_as_large_as_what_joins_it(documents: list[Any], message: str) -> None:
    """GPU418: by the annotation of Volcano, the label of the plugin."""
    text = yaml.safe_dump_all(documents)
    engine = Engine(lambda code: code == "GPU418", None)
    found = [
        one.finding().message for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))
    ]
    assert [message in one for one in found] == [True] * bool(message)


def _yunikorn(groups: str, name: str = "workers") -> list[str]:
    annotations = {
        "yunikorn.apache.org/task-group-name": name,
        "yunikorn.apache.org/task-groups": groups,
    }
    job = _grouped({"annotations": annotations})
    engine = Engine(lambda code: code == "GPU420", None)
    source = SourceFile("job.yaml", yaml.safe_dump(job))
    return [one.finding().message for one in engine.run(TextLoader([source]))]


WORKERS = '{"name": "workers", "minMember": 4, "minResource": {"cpu": 64, "nvidia.com/gpu": 8}}'


@pytest.mark.parametrize(
    ("groups", "name", "message"),
    [
        (f"[{WORKERS}]", "workers", ""),
        (f"[{WORKERS}]", "", ""),
        (f"[{WORKERS}]", "worker", "`worker` is not a task group"),
        (f"[{WORKERS.replace('4', '5', 1)}]", "workers", "requires 5 pods, but there are 4"),
        ("[" + WORKERS.replace(": 8", ": 4") + "]", "workers", "reserves 4 `nvidia.com/gpu`"),
        ('[{"name": "workers", "minMember": 4}]', "workers", "without `minResource`"),
        ("[", "workers", ""),
    ],
)
def test_a_task_group_is_as_large_as_its_pods(groups: str, name: str, message: str) -> None:
    """GPU420; what is no JSON another rule tells."""
    found = _yunikorn(groups, name)
    assert [message in one for one in found] == [True] * bool(message)


def test_the_coscheduling_plugin_needs_its_label_and_its_scheduler() -> None:
    """GPU702: each without the other."""

    def said(labels: dict[str, str], scheduler: str | None) -> list[tuple[str, str]]:
        template = {"metadata": {"labels": labels}, "spec": {"schedulerName": scheduler}}
        job = base("indexed-job", {"metadata": {"labels": None}, "spec": {"template": template}})
        found = lint(job)
        return [(one.severity, one.confidence) for one in found if one.rule == "GPU702"]

    label = {"scheduling.x-k8s.io/pod-group": "train"}
    assert said(label, "scheduler-plugins-scheduler") == []
    assert said({}, "scheduler-plugins-scheduler") == [("warning", "likely")]
    assert said(label, None) == [("info", "possible")]
    assert said({}, "another") == []


def test_kai_groups_no_pods_of_a_job() -> None:
    """GPU702: unless an annotation says how many belong together."""
    spec = {"template": {"spec": {"schedulerName": "kai-scheduler"}}}

    def said(kind: str, **annotations: str) -> list[str]:
        metadata = {"labels": None, "annotations": annotations}
        found = lint(base(kind, {"metadata": metadata, "spec": spec}))
        return [one.message for one in found if one.rule == "GPU702"]

    (message,) = said("indexed-job")
    assert message.startswith("KAI creates a PodGroup for each pod of a Job: each of the 4")
    assert said("indexed-job", **{"kai.scheduler/batch-min-member": "4"}) == []
    assert said("job") == []


def test_grove_makes_the_gang_for_a_scheduler_that_reads_it() -> None:
    """C-16: what is missing is the scheduler's name, which Grove may be set up to fill in."""
    one = base("podcliqueset")
    [clique] = one["spec"]["template"]["cliques"]
    clique["spec"]["replicas"] = 4
    clique["spec"]["podSpec"]["schedulerName"] = None
    [found] = [each for each in lint(one) if each.rule == "GPU701"]
    assert found.severity == "info"
    assert found.path == "spec.template.cliques[0].spec.podSpec.schedulerName"
    assert found.note is not None
    assert "kai-scheduler" in found.note
    clique["spec"]["podSpec"]["schedulerName"] = "kai-scheduler"
    assert [each for each in lint(one) if each.rule == "GPU701"] == []


@pytest.mark.parametrize(
    ("rolling", "replicas", "is_refused"),
    [
        ({"maxUnavailable": "25%"}, 2, True),
        ({"maxUnavailable": "25%"}, 4, False),
        ({"maxUnavailable": "25%", "maxSurge": "1%"}, 2, False),
        ({"maxUnavailable": "25%"}, 0, False),
        ({"maxUnavailable": None, "maxSurge": 0}, 2, False),
        ({"maxUnavailable": 0, "maxSurge": "0%"}, 4, True),
    ],
)
def test_a_share_of_groups_that_is_none_lets_no_group_go(
    rolling: dict[str, Any], replicas: int, is_refused: bool
) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdateConfiguration": rolling}
    spec = {"replicas": replicas, "rolloutStrategy": strategy}
    found = [one for one in lint(base("leaderworkerset", {"spec": spec})) if one.rule == "GPU743"]
    assert bool(found) == is_refused


@pytest.mark.parametrize(("completions", "is_refused"), [(2, True), (3, False), (None, False)])
def test_a_job_has_no_more_pods_at_once_than_completions(
    completions: int | None, is_refused: bool
) -> None:
    annotations = {"kueue.x-k8s.io/job-min-parallelism": "2"}
    spec = (
        {"parallelism": 8}
        if completions is None
        else {"parallelism": 8, "completions": completions}
    )
    job = {"metadata": {"annotations": annotations}, "spec": spec}
    found = [one.message for one in lint(base("job", job)) if one.severity == "error"]
    assert ("must be less than `completions` (2)" in "".join(found)) == is_refused
