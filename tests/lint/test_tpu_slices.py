"""GPU519, GPU520 and GPU521: beyond what their pages show."""

from typing import Any

import pytest

from tests.lint.pages import raised
from tests.lint.plain import an, text

ACCELERATOR, TOPOLOGY = "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"
V5E, V5P = "tpu-v5-lite-podslice", "tpu-v5p-slice"
CODES = ("GPU519", "GPU520", "GPU521")


def pod(chips: int, accelerator: str = "", topology: str = "", **more: Any) -> dict[str, Any]:
    """A pod's spec with so many chips."""
    selector = {ACCELERATOR: accelerator, TOPOLOGY: topology}
    limits = {"google.com/tpu": chips}
    main = {"name": "m", "image": "example.com/app:1", "resources": {"limits": limits}}
    wanted = {key: value for key, value in selector.items() if value}
    return {"nodeSelector": wanted, "containers": [main], **more}


def job(pods: int, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Job of so many pods."""
    told = {"parallelism": pods, "completions": pods, "template": {"spec": spec}}
    return an("batch/v1", "Job", spec=told | more)


def said(one: dict[str, Any], *codes: str) -> list[str]:
    """What the rules say."""
    wanted = codes or CODES
    return [each.found.message for each in raised(text(one)) if each.rule.code in wanted]


@pytest.mark.parametrize(
    ("chips", "accelerator", "topology", "words"),
    [
        (8, V5E, "4x4", "a host of a slice `4x4` has 4"),
        (16, V5E, "", f"a host of `{V5E}` has 8"),
        (8, "", "2x2", "a whole slice `2x2` has 4"),
        (2, V5P, "2x2x2", "a host of the slice has 4"),
    ],
)
def test_chips_that_no_host_has(chips: int, accelerator: str, topology: str, words: str) -> None:
    (message,) = said(job(2, pod(chips, accelerator, topology)), "GPU519")
    assert words in message


@pytest.mark.parametrize(
    ("pods", "chips", "accelerator", "topology"),
    [
        (1, 8, V5E, "2x4"),  # one machine of eight
        (2, 4, V5E, "2x4"),  # or two of four
        (1, 4, V5E, "2x4"),  # half of the one of eight
        (16, 4, V5P, "4x4x4"),
        (8, 4, V5E, "4x4"),  # two slices
        (3, 4, V5E, ""),
        (3, 4, "tpu-v9-slice", "5x5"),
    ],
)
def test_what_may_be_is_not_said(pods: int, chips: int, accelerator: str, topology: str) -> None:
    assert said(job(pods, pod(chips, accelerator, topology))) == []


def test_pods_left_over() -> None:
    (message,) = said(job(6, pod(4, V5E, "4x4")))
    assert message.startswith("the slice `4x4` has 4 hosts, but there are 6 pods")
    assert "the extra pods wait" in message


def test_leaders_and_workers_are_counted_together() -> None:
    def group(size: int) -> dict[str, Any]:
        spec = {"spec": pod(4, V5E, "4x4")}
        told = {"size": size, "leaderTemplate": spec, "workerTemplate": spec}
        one = {"replicas": 1, "leaderWorkerTemplate": told}
        return an("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec=one)

    assert said(group(4)) == []
    assert len(said(group(3))) == 1


def test_a_program_may_take_a_part() -> None:
    spec = pod(4, V5E, "4x4")
    spec["containers"][0]["env"] = [{"name": "TPU_PROCESS_BOUNDS", "value": "1,1,1"}]
    assert said(job(1, spec)) == []


def test_a_pod_alone_may_be_joined_by_others() -> None:
    assert said(an("v1", "Pod", spec=pod(4, V5E, "4x4"))) == []


@pytest.mark.parametrize(
    ("accelerator", "topology", "words"),
    [
        (V5E, "4x4x4", "has no topology `4x4x4`"),
        (V5P, "4x4", "has no topology `4x4`"),
        (V5E, "16", "`16` is not a topology of chips"),
        ("", "4x4", "node auto-provisioning creates no such slice"),
    ],
)
def test_arrangements_that_there_are_not(accelerator: str, topology: str, words: str) -> None:
    (message,) = said(job(4, pod(4, accelerator, topology)), "GPU521")
    assert words in message


def test_several_accelerators_or_a_class_are_enough() -> None:
    expression = {"key": ACCELERATOR, "operator": "In", "values": [V5E, "tpu-v6e-slice"]}
    terms = [{"matchExpressions": [expression]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    assert said(job(4, pod(4, "", "4x4", affinity={"nodeAffinity": required}))) == []
    named = pod(4, "", "4x4")
    named["nodeSelector"]["cloud.google.com/compute-class"] = "tpu"
    assert said(job(4, named)) == []


def jobset(parallelism: int, *, exclusive: str | None, replicas: int = 1) -> dict[str, Any]:
    """A JobSet whose Jobs are each bound to a slice of two hosts."""
    job_spec = {"parallelism": parallelism, "completions": parallelism}
    template = {"spec": {**job_spec, "template": {"spec": pod(4, "tpu-v4-podslice", "2x2x2")}}}
    jobs = [{"name": "slice", "replicas": replicas, "template": template}]
    made = an("jobset.x-k8s.io/v1alpha2", "JobSet", spec={"replicatedJobs": jobs})
    if exclusive:
        annotations = {"alpha.jobset.sigs.k8s.io/exclusive-topology": exclusive}
        made["metadata"]["annotations"] = annotations
    return made


NODE_POOL = "cloud.google.com/gke-nodepool"


@pytest.mark.parametrize(
    ("parallelism", "replicas", "words"),
    [
        (4, 1, "puts 4 pods on one slice `2x2x2`, which has 2 hosts: 2 of them stay Pending"),
        (1, 2, "puts 1 pod on one slice `2x2x2`, which has 2 hosts: the program starts only"),
    ],
)
def test_a_job_that_has_a_node_pool_of_its_own(parallelism: int, replicas: int, words: str) -> None:
    (message,) = said(jobset(parallelism, exclusive=NODE_POOL, replicas=replicas), "GPU520")
    assert words in message


@pytest.mark.parametrize("exclusive", [None, "topology.kubernetes.io/zone"])
def test_a_job_that_may_have_several_node_pools(exclusive: str | None) -> None:
    assert said(jobset(4, exclusive=exclusive)) == []
    assert said(jobset(2, exclusive=NODE_POOL, replicas=3)) == []


def test_a_group_that_has_a_node_pool_of_its_own() -> None:
    def group(size: int) -> dict[str, Any]:
        template = {"size": size, "workerTemplate": {"spec": pod(4, V5E, "4x4")}}
        spec = {"replicas": 2, "leaderWorkerTemplate": template}
        made = an("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec=spec)
        key = "leaderworkerset.sigs.k8s.io/exclusive-topology"
        made["metadata"]["annotations"] = {key: NODE_POOL}
        return made

    assert said(group(4)) == []
    assert "puts 8 pods on one slice" in said(group(8), "GPU520")[0]
    assert "puts 2 pods on one slice" in said(group(2), "GPU520")[0]


def test_hosts_of_rays_workers() -> None:
    def cluster(hosts: int | None, replicas: int) -> dict[str, Any]:
        workers = {"groupName": "tpu", "replicas": replicas, "maxReplicas": replicas}
        workers |= {"numOfHosts": hosts} if hosts else {}
        workers |= {"rayStartParams": {}, "template": {"spec": pod(4, "tpu-v6e-slice", "4x4")}}
        head = {"rayStartParams": {}, "template": {"spec": {"containers": [{"name": "h"}]}}}
        spec = {"headGroupSpec": head, "workerGroupSpecs": [workers]}
        return an("ray.io/v1", "RayCluster", spec=spec)

    assert said(cluster(4, 2), "GPU520") == []
    assert "puts 1 pod on one slice" in said(cluster(None, 4), "GPU520")[0]
    assert "puts 8 pods on one slice" in said(cluster(8, 1), "GPU520")[0]
