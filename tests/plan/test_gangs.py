"""Who starts workers together, by what the profile has: Kueue, Volcano, KAI, or nobody."""

import pytest

from tests.targets.conftest import BATCH, TRAINING, Run, Values, run

__all__ = ["run"]
KAI: Values = {"installed": {"kai-scheduler": "0.20"}, "scheduler": "kai-scheduler"}
VOLCANO: Values = {"installed": {"volcano": "1.15"}, "scheduler": "volcano"}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}
LEAST = {KAI["scheduler"]: "kai.scheduler/batch-min-member",
         VOLCANO["scheduler"]: "scheduling.volcano.sh/group-min-member"}  # fmt: skip
LOUD = "some may hold GPUs while the others are Pending"


def job(run: Run, spec: Values, profile: Values, kind: str = "Training") -> Values:
    """The object with the pods, which is the last."""
    return run.objects(kind, spec, **profile)[-1]


def said(run: Run, spec: Values, profile: Values) -> str:
    code, _, words = run("render", "Training", spec, profile=profile)
    assert code == 0, words
    return " ".join(words.split())


@pytest.mark.parametrize("profile", [KAI, VOLCANO], ids=["kai", "volcano"])
def test_a_job_says_how_many_workers_start_together(run: Run, profile: Values) -> None:
    made = job(run, SEVERAL, profile)
    assert made["metadata"]["annotations"][LEAST[profile["scheduler"]]] == "4"
    assert made["spec"]["template"]["spec"]["schedulerName"] == profile["scheduler"]
    assert LOUD not in said(run, SEVERAL, profile)


@pytest.mark.parametrize("profile", [KAI, VOLCANO], ids=["kai", "volcano"])
def test_one_worker_is_no_gang(run: Run, profile: Values) -> None:
    made = job(run, SEVERAL | {"workers": 1}, profile)
    assert LEAST[profile["scheduler"]] not in made["metadata"]["annotations"]


@pytest.mark.parametrize(
    "profile",
    [
        {"scheduler": "kai-scheduler"},
        {"installed": {"kai-scheduler": "0.20"}},
        {"scheduler": "bin-packing", "installed": {"volcano": "1.15"}},
    ],
)
def test_it_takes_the_scheduler_and_that_it_is_installed(run: Run, profile: Values) -> None:
    made = job(run, SEVERAL, profile)
    assert LEAST.keys().isdisjoint(made["metadata"]["annotations"])
    assert LOUD in said(run, SEVERAL, profile)


def test_a_queue_is_kais_where_kai_schedules(run: Run) -> None:
    spec = SEVERAL | {"queue": "research", "duration": {"max": "1h"}}
    made = job(run, spec, KAI)
    assert made["metadata"]["labels"]["kai.scheduler/queue"] == "research"
    assert "kueue" not in str(made)


def test_a_queue_is_volcanos_where_volcano_schedules(run: Run) -> None:
    made = job(run, SEVERAL | {"queue": "research"}, VOLCANO)
    pod = made["spec"]["template"]["metadata"]
    assert pod["annotations"]["scheduling.volcano.sh/queue-name"] == "research"
    assert "kueue" not in str(made)


def test_a_batch_waits_in_the_same_queues(run: Run) -> None:
    spec = BATCH | {"queue": "research", "run": "1", "shards": {"count": 4}}
    made = job(run, spec, KAI, "BatchInference")
    assert made["metadata"]["labels"]["kai.scheduler/queue"] == "research"
    made = job(run, spec, VOLCANO, "BatchInference")
    pod = made["spec"]["template"]["metadata"]
    assert pod["annotations"]["scheduling.volcano.sh/queue-name"] == "research"


def test_kueue_has_the_queues_wherever_it_is_installed(run: Run) -> None:
    """The scheduler is told of the gang all the same."""
    both = KAI | {"installed": {"kai-scheduler": "0.20", "kueue": "0.19"}}
    made = job(run, SEVERAL | {"queue": "research"}, both)
    assert made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "research"
    assert "kai.scheduler/queue" not in made["metadata"]["labels"]
    assert made["metadata"]["annotations"]["kai.scheduler/batch-min-member"] == "4"


def test_kai_sees_the_gangs_of_other_kinds_and_volcano_does_not(run: Run) -> None:
    for profile, loud in ((KAI, False), (VOLCANO, True)):
        installed = {**profile["installed"], "jobset": "0.12"}
        here = profile | {"installed": installed, "targets": {"gang": "jobset"}}
        made = job(run, SEVERAL, here)
        assert made["kind"] == "JobSet"
        assert LEAST[profile["scheduler"]] not in str(made)
        assert (LOUD in said(run, SEVERAL, here)) is loud


def test_volcano_does_not_start_a_jobset_together_that_it_queues(run: Run) -> None:
    here = VOLCANO | {
        "installed": {"volcano": "1.15", "jobset": "0.12"},
        "targets": {"gang": "jobset"},
    }
    spec = SEVERAL | {"queue": "research"}
    assert f"Volcano does not start the 4 workers together: {LOUD}" in said(run, spec, here)


def test_what_is_in_an_appwrapper_is_no_gang_to_a_scheduler(run: Run) -> None:
    here = KAI | {"installed": {"kai-scheduler": "0.20", "appwrapper": "1.2"}}
    spec = SEVERAL | {"wrap": "appwrapper"}
    assert LOUD in said(run, spec, here)
    assert "batch-min-member" not in str(job(run, spec, here))


SWITCHED: Values = {"kubernetes": "1.37", "installed": {"generic-workload": "1.37"}}


def test_kubernetes_starts_a_group_together_where_that_is_switched_on(run: Run) -> None:
    group, service, made = run.objects("Training", SEVERAL, **SWITCHED)
    assert (group["apiVersion"], group["kind"]) == ("scheduling.k8s.io/v1beta1", "PodGroup")
    assert group["spec"] == {"schedulingPolicy": {"gang": {"minCount": 4}}}
    names = {each["metadata"]["name"] for each in (group, service, made)}
    pod = made["spec"]["template"]["spec"]
    assert names == {pod["schedulingGroup"]["podGroupName"]} == {"work-1"}
    assert LOUD not in said(run, SEVERAL, SWITCHED)


def test_the_group_has_the_priority_of_its_pods(run: Run) -> None:
    here = SWITCHED | {"priorities": {"training": "gpu-training"}}
    group, _, made = run.objects("Training", SEVERAL, **here)
    pod = made["spec"]["template"]["spec"]
    assert group["spec"]["priorityClassName"] == pod["priorityClassName"] == "gpu-training"


@pytest.mark.parametrize(
    ("spec", "profile"),
    [
        ({"workers": 1}, {}),
        ({"queue": "research"}, {"installed": {"generic-workload": "1.37", "kueue": "0.19"}}),
        ({}, {"kubernetes": "1.36"}),
        ({}, {"scheduler": "bin-packing"}),
        ({}, {"installed": {}}),
    ],
)
def test_else_no_pod_is_in_a_group(run: Run, spec: Values, profile: Values) -> None:
    made = run.objects("Training", SEVERAL | spec, **SWITCHED | profile)
    assert "PodGroup" not in {each["kind"] for each in made}
    assert "schedulingGroup" not in str(made)


def test_what_kueue_alone_grants_is_refused(run: Run) -> None:
    shards = {"count": 8, "parallelism": 4, "minParallelism": 2}
    words = run.refused("BatchInference", BATCH | {"queue": "research", "shards": shards}, **KAI)
    assert "`shards.minParallelism` needs Kueue, and queue research is one of KAI" in words
    near = SEVERAL | {"queue": "research", "topology": {"level": "rack"}}
    levels = {"topology": {"levels": [{"name": "rack", "label": "example.com/rack"}]}}
    words = run.refused("Training", near, **VOLCANO | levels)
    assert "`topology` is for queues of Kueue, and for target volcano" in words


def test_only_kueue_bounds_the_time_of_all_tries(run: Run) -> None:
    here = KAI | {
        "installed": {"kai-scheduler": "0.20", "jobset": "0.12"},
        "targets": {"gang": "jobset"},
    }
    spec = SEVERAL | {"queue": "research", "duration": {"max": "1h"}}
    assert "only a queue limits the total" in said(run, spec, here)


def test_a_queue_without_anybody_is_refused(run: Run) -> None:
    words = run.refused("Training", SEVERAL | {"queue": "research"})
    assert 'write it in the profile, installed: {kueue: "0.19"}, or delete `queue`' in words


@pytest.mark.parametrize("profile", [KAI, VOLCANO], ids=["kai", "volcano"])
def test_a_queue_that_the_profile_does_not_list_is_refused(run: Run, profile: Values) -> None:
    """Of a scheduler's queues too, where the profile lists any."""
    queues = [{"name": "research", "namespaces": ["team"], "existing": True}]
    listed = {**profile, "queues": queues}
    assert job(run, SEVERAL | {"queue": "research"}, listed)
    code, _, words = run("render", "Training", SEVERAL | {"queue": "reserch"}, profile=listed)
    assert code == 1
    assert "the profile has no queue `reserch`" in words
    assert "did you mean `research`?" in words


@pytest.mark.parametrize("profile", [KAI, VOLCANO], ids=["kai", "volcano"])
def test_more_than_a_queue_may_ever_use_is_refused(run: Run, profile: Values) -> None:
    """Neither says anything: the workers pend for ever."""
    pool = {"name": "l4", "gpu": {"model": "L4", "count": 8}, "nodes": 4}
    queue = {"name": "research", "namespaces": ["team"], "pools": [{"pool": "l4", "gpus": 6}]}
    listed = {**profile, "pools": [pool], "queues": [queue]}
    spec = SEVERAL | {"queue": "research"}
    code, _, words = run("render", "Training", spec, profile=listed)
    assert code == 1
    assert "4 pods × 2 nvidia.com/gpu = 8, but queue research may use only 6" in " ".join(
        words.split()
    )
    assert job(run, spec | {"workers": 3}, listed)
    lent = queue | {"cohort": "all"}
    assert job(run, spec, {**listed, "queues": [lent]})
