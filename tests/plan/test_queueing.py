"""What a queue reads of a workload, and which workloads no queue can ever admit."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Made, Make, Refused, Values

Cluster = Callable[..., Values]

QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
TIME = "kueue.x-k8s.io/max-exec-time-seconds"
LEAST = "kueue.x-k8s.io/job-min-parallelism"
REQUIRED = "kueue.x-k8s.io/podset-required-topology"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
LEVELS = [
    {"name": "rack", "label": "example.com/rack"},
    {"name": "host", "label": "kubernetes.io/hostname"},
]


@pytest.fixture
def cluster(words: ModuleType) -> Cluster:
    """A profile of two pools of 8 × 8 A100 and T4, and queues that share the first."""

    def profile(*queues: Values, kueue: str = "0.19", **fields: Any) -> Values:
        listed = queues or (queue("research", {"pool": "a100", "gpus": 32}),)
        return words.cluster(
            words.pool("a100"),
            words.pool("t4", "T4", 4),
            installed={"kueue": kueue},
            queues=list(listed),
            **fields,
        )

    return profile


def queue(name: str, *pools: Values, **fields: Any) -> Values:
    return {"name": name, "namespaces": ["default"], "pools": list(pools), **fields}


def labels(made: Made) -> dict[str, str]:
    return made.workload["metadata"]["labels"]


def test_a_queue_is_named_as_any_object(make: Make, cluster: Cluster) -> None:
    """Dots too: the name is an object's and a label's value, both of which take them."""
    name = "gpu-mi355x-v1.8"
    profile = cluster(queue(name, {"pool": "a100", "gpus": 32}))
    assert labels(make("Training", profile, queue=name))[QUEUE] == name


def test_the_longest_run_counts_over_all_admissions_and_in_the_job(
    make: Make, cluster: Cluster
) -> None:
    """C-37: Kueue's limit adds up, the Job's own starts over with each admission, and comes first."""
    made = make("Training", cluster(), queue="research", duration={"max": "2h"})
    assert labels(made)[TIME] == "7260"
    assert made.job["activeDeadlineSeconds"] == 7200
    assert TIME not in labels(make("Training", cluster(), queue="research"))
    assert TIME not in labels(make("Training", duration={"max": "2h"})), "no queue, no label"


def test_a_priority_is_one_in_the_queue_one_on_the_nodes_or_both(
    make: Make, cluster: Cluster
) -> None:
    """C-37, C-38: a spec names one; the profile says which classes it is."""
    profile = cluster(
        priorities={
            "names": {"urgent": "gpu-urgent", "night": "gpu-night"},
            "training": "gpu-training",
            "queued": {"urgent": 1000, "cheap": 10},
        }
    )

    def both(name: str) -> tuple[str | None, str | None]:
        made = make("Training", profile, queue="research", priority=name)
        return labels(made).get(PRIORITY), made.pod["priorityClassName"]

    assert both("urgent") == ("urgent", "gpu-urgent")
    assert both("night") == (None, "gpu-night")
    assert both("cheap") == ("cheap", "gpu-training")
    assert PRIORITY not in labels(make("Training", profile, priority="urgent"))


def test_a_priority_of_queues_without_a_queue_is_refused(
    refused: Refused, cluster: Cluster
) -> None:
    profile = cluster(priorities={"queued": {"cheap": 10}})
    said = refused("Training", profile, priority="cheap")
    assert said == "priority `cheap` is only for queues, and there is no `queue`"


def test_a_priority_that_nothing_maps_is_refused(refused: Refused, cluster: Cluster) -> None:
    profile = cluster(priorities={"queued": {"urgent": 10}})
    said = refused("Training", profile, queue="research", priority="urgant")
    assert said == "the profile has no priority `urgant`"


@pytest.mark.parametrize(("required", "key"), [(True, REQUIRED), (False, PREFERRED)])
def test_workers_are_kept_close_by_the_pod_template(
    make: Make, cluster: Cluster, required: bool, key: str
) -> None:
    """C-37: topology-aware placement, by the label that the profile names."""
    profile = cluster(topology={"levels": LEVELS})
    asked = {"level": "rack", "required": required}
    made = make("Training", profile, queue="research", workers=2, topology=asked)
    annotations = made.template["metadata"]["annotations"]
    assert {k: v for k, v in annotations.items() if "topology" in k} == {key: "example.com/rack"}
    assert "topology" not in str(made.workload["metadata"])


def test_another_topology_is_another_job(make: Make, cluster: Cluster) -> None:
    """The template is immutable, and what it says of the topology follows from the spec alone."""
    profile = cluster(topology={"levels": LEVELS})

    def name(**topology: Any) -> str:
        made = make("Training", profile, queue="research", workers=2, topology=topology)
        return made.workload["metadata"]["name"]

    assert name(level="rack") == name(level="rack")
    assert len({name(level="rack"), name(level="rack", required=True), name(level="host")}) == 3


@pytest.mark.parametrize(
    ("fields", "asked", "said"),
    [
        ({}, {"level": "rack"}, "the profile has no topology of its nodes"),
        (
            {"topology": {"levels": LEVELS}},
            {"level": "rak"},
            "the profile has no topology level `rak`",
        ),
        (
            {"topology": {"levels": LEVELS}, "kueue": "0.13"},
            {"level": "rack"},
            "Kueue 0.13 does not place pods by topology; 0.14 and later do",
        ),
        (
            {"topology": {"levels": LEVELS, "pools": ["t4"]}},
            {"level": "rack"},
            "the topology has no nodes of pool a100, on which the workload can run",
        ),
        (
            {"topology": {"levels": LEVELS}},
            {"level": "host", "required": True},
            "2 workers × 8 GPUs = 16 on one node, and the largest has 8",
        ),
    ],
)
def test_a_topology_that_nobody_can_keep_to_is_refused(
    refused: Refused, cluster: Cluster, fields: Values, asked: Values, said: str
) -> None:
    """C-37: it would pend for ever, or be ignored."""
    spec = {"workers": 2, "gpu": {"count": 8}, "topology": asked}
    assert refused("Training", cluster(**fields), queue="research", **spec) == said


def test_a_version_without_a_minor_is_none_too_old(make: Make, cluster: Cluster) -> None:
    profile = cluster(topology={"levels": LEVELS}, kueue="v1")
    made = make("Training", profile, queue="research", workers=2, topology={"level": "rack"})
    assert PREFERRED in made.template["metadata"]["annotations"]


def test_a_batch_may_start_with_fewer_shards(make: Make, cluster: Cluster) -> None:
    """C-37: partial admission, where it is asked for, and only of shards."""
    shards = {"count": 8, "parallelism": 8, "minParallelism": 2}
    made = make("BatchInference", cluster(), queue="research", shards=shards)
    assert made.workload["metadata"]["annotations"][LEAST] == "2"
    assert made.workload["metadata"]["annotations"]["gpuspec.dev/image"]
    plain = make("BatchInference", cluster(), queue="research", shards={"count": 8})
    assert LEAST not in plain.workload["metadata"]["annotations"]
    assert LEAST not in str(make("Training", cluster(), queue="research", workers=2).objects)


def test_a_cronjob_says_it_all_on_its_jobs(make: Make, cluster: Cluster) -> None:
    """C-37: Kueue reads the Job that the CronJob makes."""
    profile = cluster(priorities={"queued": {"urgent": 1000}})
    made = make(
        "BatchInference",
        profile,
        queue="research",
        priority="urgent",
        schedule={"cron": "@daily"},
        duration={"max": "1h"},
        shards={"count": 8, "parallelism": 8, "minParallelism": 2},
    )
    assert made.workload["kind"] == "CronJob"
    metadata = made.workload["spec"]["jobTemplate"]["metadata"]
    found = {k: v for k, v in metadata["labels"].items() if k.startswith("kueue")}
    assert found == {QUEUE: "research", PRIORITY: "urgent", TIME: "3660"}
    assert metadata["annotations"] == {LEAST: "2"}
    assert "kueue" not in str(made.workload["metadata"])


def test_nothing_that_kueue_owns_is_written(make: Make, cluster: Cluster) -> None:
    """C-37: neither `suspend`, nor selectors and tolerations of the flavor it will choose."""
    profile = cluster(topology={"levels": LEVELS})
    made = make("Training", profile, queue="research", workers=2, topology={"level": "rack"})
    assert "suspend" not in made.job
    assert not {"nodeSelector", "schedulingGates"} & made.pod.keys()


def test_a_queue_that_is_not_there_is_refused(
    refused: Refused, make: Make, cluster: Cluster, words: ModuleType
) -> None:
    """C-37: Kueue takes the Job, and it pends for ever."""
    said = refused("Training", cluster(), queue="reserch")
    assert said == "the profile has no queue `reserch`"
    profile = words.cluster(words.pool(), installed={"kueue": "0.19"})
    assert make("Training", profile, queue="reserch"), "the profile lists none: it cannot know"


def test_a_queue_of_other_namespaces_is_refused(refused: Refused, cluster: Cluster) -> None:
    """C-37: a LocalQueue is looked for in the workload's own namespace."""
    said = refused("Training", cluster(), queue="research", namespace="elsewhere")
    assert said == "queue research admits from namespace default, not from elsewhere"


def test_a_queue_without_the_pools_is_refused(refused: Refused, cluster: Cluster) -> None:
    """C-37: no flavor of the queue is one that the pods can run on."""
    said = refused("Training", cluster(), queue="research", gpu={"models": ["T4"]})
    assert said == "queue research admits to pool a100, and the workload can run only on t4"


def test_what_is_larger_than_the_queue_is_refused_with_the_sum(
    refused: Refused, make: Make, cluster: Cluster
) -> None:
    """C-37: quota, with the arithmetic."""
    eight = {"count": 8}
    assert make("Training", cluster(), queue="research", workers=4, gpu=eight)
    said = refused("Training", cluster(), queue="research", workers=5, gpu=eight)
    assert said == (
        "5 pods × 8 nvidia.com/gpu = 40, but queue research may use only 32 of pool a100"
    )


def test_host_memory_counts_like_gpus(refused: Refused, make: Make, cluster: Cluster) -> None:
    """C-37: a queue has CPU and memory for the share of its GPUs, and no more."""
    one = queue("research", {"pool": "a100", "gpus": 1})
    assert make("Training", cluster(one), queue="research")
    said = refused("Training", cluster(one), queue="research", resources={"memory": "200Gi"})
    assert said == (
        "1 pod × 200Gi memory = 200Gi, but queue research may use only 128Gi of pool a100"
    )


def test_sidecars_count_as_the_queue_counts_them(
    refused: Refused, make: Make, cluster: Cluster
) -> None:
    one = queue("research", {"pool": "a100", "gpus": 1})
    side = {"name": "log", "image": "log:1", "resources": {"cpu": "1", "memory": "1Gi"}}
    assert make("Training", cluster(one), queue="research", sidecars=[side])
    own = {"memory": "128Gi"}
    said = refused("Training", cluster(one), queue="research", sidecars=[side], resources=own)
    assert said.startswith("1 pod × 129Gi memory = 129Gi")


BORROWED = {
    "all that is lent": ({}, {}, 32 + 16),
    "so much at most": ({"borrow": 8}, {}, 32 + 8),
    "what the other lends": ({}, {"lend": 8}, 32 + 8),
    "the lesser of the two": ({"borrow": 16}, {"lend": 8}, 32 + 8),
}


@pytest.mark.parametrize(("mine", "theirs", "most"), BORROWED.values(), ids=BORROWED)
def test_a_cohort_lends(
    make: Make, refused: Refused, cluster: Cluster, mine: Values, theirs: Values, most: int
) -> None:
    """C-37: what a queue may use is its own and what its cohort lends it of the same pool."""
    profile = cluster(
        queue("research", {"pool": "a100", "gpus": 32, **mine}, cohort="gpu"),
        queue("product", {"pool": "a100", "gpus": 16, **theirs}, cohort="gpu"),
        queue("apart", {"pool": "a100", "gpus": 16}),
        queue("small", {"pool": "t4", "gpus": 24}, cohort="gpu"),
    )
    assert make("Training", profile, queue="research", workers=most)
    said = refused("Training", profile, queue="research", workers=most + 1)
    assert (
        f"queue research may use only {most} (32 its own, {most - 32} borrowed) of pool a100"
        in said
    )


def test_all_pods_go_to_one_pool(
    make: Make, refused: Refused, cluster: Cluster, words: ModuleType
) -> None:
    """C-37: quotas of two pools do not add up: a workload is admitted to one flavor."""
    profile = words.cluster(
        words.pool("one"),
        words.pool("two"),
        installed={"kueue": "0.19"},
        queues=[queue("q", {"pool": "one", "gpus": 4}, {"pool": "two", "gpus": 6})],
    )
    assert make("Training", profile, queue="q", workers=6)
    said = refused("Training", profile, queue="q", workers=7)
    assert "may use only 4 of pool one" in said
    assert "may use only 6 of pool two" in said


def test_shards_wait_their_turn_and_only_those_at_a_time_count(
    make: Make, refused: Refused, cluster: Cluster
) -> None:
    small = cluster(queue("q", {"pool": "a100", "gpus": 4}))
    assert make("BatchInference", small, queue="q", shards={"count": 64, "parallelism": 4})
    assert "8 pods × 1" in refused("BatchInference", small, queue="q", shards={"count": 64})
    fewer = {"count": 64, "parallelism": 8, "minParallelism": 2}
    assert make("BatchInference", small, queue="q", shards=fewer)


def test_the_fabric_is_part_of_the_quota(make: Make, cluster: Cluster, words: ModuleType) -> None:
    """C-37: as many devices as pods of any size ask for, or the workload pends for ever."""
    rdma = {"resource": "rdma/ib", "hugepages": "2Gi"}
    for per_gpu, of in ((False, 1), (True, 4), (True, 8)):
        profile = words.cluster(
            words.pool("a100", rdma={**rdma, "count": of, "perGpu": per_gpu}),
            installed={"kueue": "0.19"},
            queues=[queue("q", {"pool": "a100", "gpus": 16})],
        )
        for gpus in (1, 2, 4, 8):
            made = make("Training", profile, queue="q", workers=16 // gpus, gpu={"count": gpus})
            assert (
                "queue q can admit the workload on pool a100: 16 nvidia.com/gpu of its 16"
                in made.notes()
            )


OTHERS = {"other model": ("H100-80GB", 8), "fewer GPUs on a node": ("A100-80GB", 4)}


@pytest.mark.parametrize("other", OTHERS)
def test_a_queue_is_told_of_pools_that_it_could_not_tell_apart(
    make: Make, words: ModuleType, other: str
) -> None:
    """C-37: Kueue knows a flavor's labels and quota: not the model, nor how many GPUs a node has."""
    model, count = OTHERS[other]
    parts = [{"pool": name, "gpus": 16} for name in ("other", "a100")]
    profile = words.cluster(
        words.pool("a100"),
        words.pool("other", model, count),
        installed={"kueue": "0.19"},
        queues=[queue("research", *parts), queue("narrow", parts[1])],
    )
    asked = {"models": ["A100-80GB"], "count": 8}
    kept_off = {"key": "example.com/pool", "operator": "NotIn", "values": ["other"]}
    made = make("Training", profile, gpu=asked, queue="research")
    assert all(kept_off in term for term in made.terms)
    assert "NotIn" not in str(make("Training", profile, gpu=asked, queue="narrow").terms)
    assert "NotIn" not in str(make("Training", profile, gpu=asked).terms)


def test_a_label_of_the_flavor_that_names_the_model_is_enough(
    make: Make, words: ModuleType
) -> None:
    """C-37: the affinity by models then says it to the queue too."""
    named = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    profile = words.cluster(
        words.pool("a100"),
        words.pool("h100", "H100-80GB", labels=named),
        installed={"kueue": "0.19"},
        queues=[queue("q", *({"pool": name, "gpus": 16} for name in ("h100", "a100")))],
    )
    made = make("Training", profile, gpu={"models": ["A100-80GB"], "count": 8}, queue="q")
    assert "NotIn" not in str(made.terms)


def test_a_pool_that_no_label_tells_a_queue_of_is_said(make: Make, words: ModuleType) -> None:
    profile = words.cluster(
        words.pool("a100"),
        words.pool("h100", "H100-80GB", labels={}),
        installed={"kueue": "0.19"},
        queues=[queue("q", *({"pool": name, "gpus": 16} for name in ("h100", "a100")))],
    )
    made = make("Training", profile, gpu={"models": ["A100-80GB"], "count": 8}, queue="q")
    assert "the queue may admit the workload to it, and the pods stay Pending there" in made.loud()
