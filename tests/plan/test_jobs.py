"""Jobs and CronJobs."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make, Refused

IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


@pytest.mark.parametrize("kind", ["Training", "FineTune", "BatchInference"])
def test_finite_work_is_a_job(make: Make, kind: str) -> None:
    """C-33, C-64: a plain Job, and no operator is required."""
    made = make(kind)
    assert made.kinds() == ["Job"]
    assert made.workload["apiVersion"] == "batch/v1"


def test_one_worker_is_a_plain_job(make: Make) -> None:
    job = make("Training").job
    assert not {"completionMode", "completions", "parallelism"} & job.keys()


def test_workers_are_an_indexed_job(make: Make) -> None:
    job = make("Training", workers=4).job
    assert (job["completionMode"], job["completions"], job["parallelism"]) == ("Indexed", 4, 4)


def test_a_disruption_is_no_failure_and_a_broken_command_fails_at_once(make: Make) -> None:
    job = make("Training").job
    codes = {"containerName": "main", "operator": "In", "values": [126, 127]}
    assert job["podFailurePolicy"]["rules"] == [
        IGNORE,
        {"action": "FailJob", "onExitCodes": codes},
    ]
    assert job["podReplacementPolicy"] == "Failed"
    assert make("Training").pod["restartPolicy"] == "Never"


def test_exit_codes_are_the_specs(make: Make) -> None:
    rules = make("Training", retries={"failOnExitCodes": [3, 2]}).job["podFailurePolicy"]["rules"]
    assert rules[1]["onExitCodes"]["values"] == [2, 3]
    none = make("Training", retries={"failOnExitCodes": []}).job["podFailurePolicy"]["rules"]
    assert none == [IGNORE]


def test_retries_of_a_gang_count_every_worker(make: Make) -> None:
    """When one worker fails all do, and the Job counts pods: 3 retries of 4 workers are 12."""
    assert make("Training", retries={"limit": 3}).job["backoffLimit"] == 3
    made = make("Training", retries={"limit": 3}, workers=4)
    assert made.job["backoffLimit"] == 12
    assert "3 retries × 4 workers" in made.reason("spec.backoffLimit")


def test_the_deadline_is_the_longest_run(make: Make) -> None:
    made = make("Training", duration={"expected": "1h", "max": "2h"})
    assert made.job["activeDeadlineSeconds"] == 7200
    assert "activeDeadlineSeconds" not in make("Training").job


def test_grace_is_long_enough_to_save(make: Make) -> None:
    """C-35: resume needs a checkpoint volume, an interval, and time to save."""
    made = make("Training", checkpoint={"pvc": "c", "every": "30m", "save": "5m"})
    assert made.pod["terminationGracePeriodSeconds"] == 330


def test_a_running_job_is_not_moved_to_save_a_node(make: Make) -> None:
    """C-51: consolidation must not evict training."""
    annotations = make("Training").template["metadata"]["annotations"]
    assert annotations["karpenter.sh/do-not-disrupt"] == "true"
    assert annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"] == "false"


def test_nothing_makes_a_synced_job_run_again(make: Make) -> None:
    """Neither a TTL nor `suspend`, which a queue sets."""
    job = make("Training").job
    assert not {"ttlSecondsAfterFinished", "suspend", "selector", "manualSelector"} & job.keys()


def test_spot_without_a_checkpoint_is_said(make: Make) -> None:
    """C-35: an interruption loses the whole run."""
    made = make("Training", capacity="spot")
    assert "spot nodes and no checkpoint: an interruption loses the whole run" in made.loud()


def test_notice_that_is_too_short_to_save_is_said(make: Make, words: ModuleType) -> None:
    """C-35: what is lost is the time since the last checkpoint."""
    profile = words.cluster(words.pool("spot", capacity="spot", notice="30s"))
    slow = {"pvc": "c", "every": "30m", "save": "2m"}
    made = make("Training", profile, capacity="spot", checkpoint=slow)
    assert "pool spot gives 30s of notice, but saving takes 2m" in made.loud()
    assert "up to 30m" in made.loud()
    quick = {**slow, "save": "20s"}
    assert "notice" not in make("Training", profile, capacity="spot", checkpoint=quick).loud()


def test_a_node_that_drains_for_less_than_saving_takes_is_said(
    make: Make, words: ModuleType
) -> None:
    """C-51: a node's own grace period ends what may not be disrupted, too."""
    how = {"nodeClass": {"name": "gpu", "group": "example.com", "kind": "Own"}}
    short = {**how, "terminationGracePeriod": "1m"}
    slow = {"pvc": "c", "every": "30m", "save": "2m"}
    for karpenter, told in ((short, True), (how, False)):
        pool = words.pool("a", karpenter=karpenter)
        profile = words.cluster(pool, installed={"karpenter": "1.14"})
        said = make("Training", profile, checkpoint=slow).loud()
        assert ("nodes of pool a drain for at most 1m, but saving takes 2m" in said) is told


def test_a_run_names_the_job(make: Make) -> None:
    assert make("Training", run="2026-06-01").workload["metadata"]["name"] == "work-2026-06-01"


def test_a_changed_template_is_a_new_job_and_the_same_one_is_not(make: Make) -> None:
    def name(**spec: Any) -> str:
        return make("Training", **spec).workload["metadata"]["name"]

    assert name() == name()
    assert len({name(), name(image="ghcr.io/example/train:2"), name(args=["-x"])}) == 3
    assert len({name(), name(retries={"limit": 9}), name(gpu={"models": ["T4"]})}) == 3
    assert name(owner="me") != name(), "a label of the pods is part of the template"


def test_the_digest_depends_on_no_version_of_the_tool(
    make: Make, words: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = words.cluster(words.pool(), provenance="full")
    before = make("Training", profile)
    monkeypatch.setattr("gpuspec.plan.provenance.__version__", "99.0.0")
    after = make("Training", profile)
    assert before.workload["metadata"]["name"] == after.workload["metadata"]["name"]
    assert after.workload["metadata"]["annotations"]["gpuspec.dev/version"] == "99.0.0"


def test_the_digest_depends_on_no_name_that_is_put_in(make: Make) -> None:
    """Rank 0's address holds the Job's name, which is the digest of what holds it."""
    made = make("Training", workers=2)
    name = made.workload["metadata"]["name"]
    assert made.env["MASTER_ADDR"] == f"{name}-0.{name}"
    assert "00000000" not in str(made.objects)


def test_a_queue_admits_the_job(make: Make, words: ModuleType) -> None:
    """C-37: the label on the Job; suspend is the queue's affair."""
    profile = words.cluster(words.pool(), installed={"kueue": "0.19"})
    made = make("Training", profile, queue="research")
    assert made.workload["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "research"
    assert "kueue" not in str(made.template)
    assert "has quota for: cpu, memory, ephemeral-storage, nvidia.com/gpu" in made.notes()


def test_a_queue_without_a_controller_is_refused(refused: Refused, words: ModuleType) -> None:
    """C-37: the Job would start at once, past every quota."""
    text = refused("Training", words.cluster(words.pool()), queue="research")
    assert text == "the spec names queue research, but the profile has no queue controller"


def test_workers_without_a_queue_may_start_in_part(make: Make, words: ModuleType) -> None:
    """C-36: all workers or none, or a word about it."""
    assert "no queue admits the 2 workers together" in make("Training", workers=2).loud()
    profile = words.cluster(installed={"kueue": "0.19"})
    assert "no queue" not in make("Training", profile, workers=2, queue="research").loud()


def test_a_batch_is_retried_shard_by_shard(make: Make) -> None:
    """C-34: indexed shards, each with retries of its own."""
    made = make("BatchInference", shards={"count": 64, "retries": 2, "maxFailed": 3})
    job = made.job
    assert (job["completionMode"], job["completions"], job["parallelism"]) == ("Indexed", 64, 8)
    assert (job["backoffLimitPerIndex"], job["maxFailedIndexes"]) == (2, 3)
    assert "backoffLimit" not in job
    assert job["podReplacementPolicy"] == "Failed"
    assert made.env["SHARD_COUNT"] == "64"


def test_shards_at_a_time_are_the_specs_or_all_up_to_eight(make: Make) -> None:
    assert make("BatchInference", shards={"count": 3}).job["parallelism"] == 3
    assert make("BatchInference", shards={"count": 64, "parallelism": 32}).job["parallelism"] == 32


def test_a_schedule_makes_a_cronjob(make: Make) -> None:
    """C-33: finite work by the clock."""
    schedule = {"cron": "0 2 * * *", "timeZone": "Europe/Berlin", "startingDeadline": "1h"}
    made = make("BatchInference", schedule=schedule)
    assert made.kinds() == ["CronJob"]
    spec = made.workload["spec"]
    assert made.workload["metadata"]["name"] == "work"
    assert (spec["schedule"], spec["timeZone"]) == ("0 2 * * *", "Europe/Berlin")
    assert (spec["concurrencyPolicy"], spec["startingDeadlineSeconds"]) == ("Forbid", 3600)
    assert "suspend" not in spec
    assert make("BatchInference", schedule={**schedule, "suspended": True}).workload["spec"][
        "suspend"
    ]


def test_the_queue_of_a_scheduled_batch_stands_on_its_jobs(make: Make, words: ModuleType) -> None:
    """C-37: a CronJob is not admitted, its Jobs are."""
    profile = words.cluster(installed={"kueue": "0.19"})
    made = make("BatchInference", profile, schedule={"cron": "@daily"}, queue="batch")
    label = "kueue.x-k8s.io/queue-name"
    assert made.workload["spec"]["jobTemplate"]["metadata"]["labels"][label] == "batch"
    assert label not in made.workload["metadata"]["labels"]


@pytest.mark.parametrize("kind", ["Training", "FineTune", "BatchInference"])
def test_finite_work_may_say_how_long_it_takes_to_end(make: Make, kind: str) -> None:
    made = make(kind, grace="10s")
    assert made.pod["terminationGracePeriodSeconds"] == 10
    assert "grace" not in made.loud()


def test_a_grace_period_that_no_checkpoint_fits_into_is_said(make: Make) -> None:
    kept = {"checkpoint": {"pvc": "kept", "every": "1h", "save": "2m"}}
    made = make("Training", grace="30s", **kept)
    assert made.pod["terminationGracePeriodSeconds"] == 30
    assert "grace is 30s, but saving takes 2m: an interruption loses up to 1h" in made.loud()
    assert "grace is" not in make("Training", grace="2m", **kept).loud()


@pytest.mark.parametrize("kind", ["Training", "BatchInference", "Inference"])
def test_when_the_image_is_pulled(make: Make, kind: str) -> None:
    helper = {"name": "own", "image": "ghcr.io/example/own:1"}
    assert "imagePullPolicy" not in make(kind).main
    made = make(kind, pullPolicy="always", sidecars=[helper])
    assert made.main["imagePullPolicy"] == "Always"
    assert "imagePullPolicy" not in made.helper("own")
    made = make(kind, sidecars=[helper | {"pullPolicy": "always"}])
    assert "imagePullPolicy" not in made.main
    assert made.helper("own")["imagePullPolicy"] == "Always"
