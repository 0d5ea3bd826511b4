"""Workloads on TPU slices: all of one, kept together, and nobody else on it."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make, Refused

ACCELERATOR, TOPOLOGY = "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"
V5E = {"models": ["v5e"], "count": 4}


def tpu(name: str, topology: str | None, count: int = 4, **more: Any) -> dict[str, Any]:
    gpu = {"model": "TPU-v5e", "count": count, "resource": "google.com/tpu"}
    return {"name": name, "gpu": gpu | ({"topology": topology} if topology else {}), **more}


def gke(words: ModuleType, *pools: dict[str, Any]) -> dict[str, Any]:
    return words.cluster(*pools, provider="gke")


def test_the_pods_are_all_hosts_of_a_slice(make: Make, words: ModuleType) -> None:
    made = make("Training", gke(words, tpu("s", "4x4"), tpu("t", "2x4", 8)), gpu=V5E, workers=4)
    assert made.pod["nodeSelector"] == {ACCELERATOR: "tpu-v5-lite-podslice", TOPOLOGY: "4x4"}
    assert made.limits["google.com/tpu"] == made.requests["google.com/tpu"] == "4"
    assert made.job["completionMode"] == "Indexed" and made.job["completions"] == 4
    assert made.pod["subdomain"] == made.one("Service")["metadata"]["name"]
    assert made.one("Service")["spec"]["clusterIP"] == "None"
    notes = made.notes()
    assert "pool t is left out: its slices 2x4 have one host each, but 4 pods" in notes
    assert "TPU_WORKER_ID" in notes and "ulimit -l 68719476736" in notes
    assert "some may hold GPUs while the others are Pending" not in notes and "NCCL" not in notes


def test_a_run_has_its_slice_for_itself(make: Make, words: ModuleType) -> None:
    made = make("Training", gke(words, tpu("s", "4x4")), gpu=V5E, workers=4)
    name, key = made.workload["metadata"]["name"], "batch.kubernetes.io/job-name"
    hard = "requiredDuringSchedulingIgnoredDuringExecution"
    (near,) = made.pod["affinity"]["podAffinity"][hard]
    assert near["labelSelector"] == {"matchLabels": {key: name}}
    (apart,) = made.pod["affinity"]["podAntiAffinity"][hard]
    assert apart["labelSelector"]["matchExpressions"] == [
        {"key": key, "operator": "Exists"},
        {"key": key, "operator": "NotIn", "values": [name]},
    ]
    assert apart["namespaceSelector"] == {}
    assert near["topologyKey"] == apart["topologyKey"] == "cloud.google.com/gke-nodepool"
    alone = make("Training", gke(words, tpu("s", "2x2")), gpu=V5E)
    assert not {"podAffinity", "podAntiAffinity"} & alone.pod["affinity"].keys()


@pytest.mark.parametrize(
    ("pool", "spec", "reason"),
    [
        (("4x4", 4), {"workers": 2}, "its slice 4x4 is 4 hosts with 4 chips each, all or none"),
        (("4x4", 4), {"workers": 4, "gpu": {**V5E, "count": 2}}, "4 pods with 2 chips"),
        (("2x2", 4), {"workers": 4}, "its slices 2x2 have one host each"),
        (
            ("4x8", 4),
            {"workers": 4, "gpu": {**V5E, "topology": "4x4"}},
            "its slices are 4x8, but the spec requests 4x4",
        ),
        (("2x2", 4), {"gpu": {"count": 4}}, "its TPU-v5e runs only programs built for it: name it"),
        (("2x2", 4), {"gpu": {"models": ["v5p"]}}, "`gpu.models` does not list TPU-v5e"),
    ],
)
def test_a_part_of_a_slice_is_refused(
    refused: Refused,
    words: ModuleType,
    pool: tuple[str, int],
    spec: dict[str, Any],
    reason: str,
) -> None:
    fields = {"gpu": V5E, "launcher": "none", **spec}
    assert reason in refused("Training", gke(words, tpu("s", *pool)), **fields)


def test_a_topology_alone_asks_for_a_tpu(make: Make, refused: Refused, words: ModuleType) -> None:
    asked = {"count": 4, "topology": "2x2"}
    pools = gke(words, words.pool(), tpu("s", "2x2"))
    made = make("Training", pools, gpu=asked, launcher="none")
    assert made.pod["nodeSelector"][TOPOLOGY] == "2x2"
    assert "pool a100 is left out: it has no TPU slices" in made.notes()


def test_a_part_of_a_host_will_do_on_a_slice_of_one(make: Make, words: ModuleType) -> None:
    one = {"models": ["v5e"], "count": 1}
    made = make("Training", gke(words, tpu("s", "2x4", 8)), gpu=one)
    assert made.limits["google.com/tpu"] == "1" and made.pod["nodeSelector"][TOPOLOGY] == "2x4"


@pytest.mark.parametrize(
    ("models", "count", "workers", "topology"),
    [
        (["v5e"], 1, 1, "1x1"),
        (["v5e"], 8, 1, "2x4"),
        (["v5e"], 4, 2, "2x4"),
        (["v6e"], 4, 16, "8x8"),
        (["v5p"], 4, 16, "4x4x4"),
        (["Ironwood"], 4, 1, "2x2x1"),
    ],
)
def test_without_pools_the_arrangement_is_the_one_that_there_is(
    make: Make, words: ModuleType, models: list[str], count: int, workers: int, topology: str
) -> None:
    gpu = {"models": models, "count": count}
    made = make("Training", gke(words), gpu=gpu, workers=workers)
    assert made.pod["nodeSelector"][TOPOLOGY] == topology
    assert {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"} in (
        made.pod["tolerations"]
    )
    assert "nvidia" not in str(made.workload)


def test_without_pools_what_is_no_slice_is_refused(refused: Refused, words: ModuleType) -> None:
    text = refused("Training", gke(words), gpu=V5E, workers=3)
    assert "there is no slice of TPU-v5e of 3 hosts with 4 chips" in text
    v5p = {"models": ["v5p"], "count": 4}
    text = refused("Training", gke(words), gpu=v5p, workers=64)
    assert "64 hosts with 4 chips can be a slice 4x4x16 or 4x8x8" in text


def test_a_topology_that_we_do_not_know_is_said(make: Make, words: ModuleType) -> None:
    asked = {"models": ["v5p"], "count": 4, "topology": "8x8x4"}
    made = make("Training", gke(words), gpu=asked, workers=64)
    assert "gpuspec knows no slice 8x8x4 of TPU-v5p" in made.notes()
    asked["topology"] = "4x8x8"
    assert (
        "gpuspec knows no slice" not in make("Training", gke(words), gpu=asked, workers=64).notes()
    )


def test_one_process_drives_the_chips_of_a_host(make: Make, words: ModuleType) -> None:
    made = make("Training", gke(words, tpu("s", "4x4")), gpu=V5E, workers=4)
    assert made.main["command"] == ["python", "-m", "train"]
    names = set(made.env)
    assert not names & {"MASTER_ADDR", "WORLD_SIZE", "NNODES", "NODE_RANK", "CUDA_CACHE_PATH"}
    assert not [name for name in names if name.startswith(("NCCL", "PET", "CUDA", "NVIDIA"))]
    asked = make("Training", gke(words, tpu("s", "2x2")), gpu=V5E, launcher="torchrun")
    assert "--nproc-per-node=4" in asked.main["command"]


def test_a_server_has_the_chips_of_one_host(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    image = "docker.io/vllm/vllm-tpu:v0.20.0"
    whole = {"models": ["v5e"], "count": 8}
    made = make("Inference", gke(words, tpu("s", "2x4", 8)), gpu=whole, image=image)
    assert "--tensor-parallel-size 8" in " ".join(made.main["args"])
    assert made.pod["nodeSelector"][TOPOLOGY] == "2x4"
    pools = words.cluster(tpu("s", "4x4"), provider="gke", installed={"lws": "0.10"})
    text = refused("Inference", pools, gpu=V5E, nodes=4, target="lws", image=image)
    assert "a server on several hosts of a TPU slice is not supported" in text


def test_a_jobset_is_numbered_too(make: Make, words: ModuleType) -> None:
    pools = words.cluster(tpu("s", "4x4"), provider="gke", installed={"jobset": "0.12"})
    made = make("Training", pools, gpu=V5E, workers=4, target="jobset")
    (job,) = made.one("JobSet")["spec"]["replicatedJobs"]
    pod = job["template"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"][TOPOLOGY] == "4x4"
    hard = "requiredDuringSchedulingIgnoredDuringExecution"
    assert pod["affinity"]["podAffinity"][hard][0]["labelSelector"]["matchLabels"] == {
        "jobset.sigs.k8s.io/jobset-name": made.one("JobSet")["metadata"]["name"]
    }


def test_privileged_pods_need_no_word_of_the_limit(make: Make, words: ModuleType) -> None:
    made = make(
        "Training",
        gke(words, tpu("s", "2x2")),
        gpu=V5E,
        waivers={"root": "it raises its own lock limit", "capabilities": "to raise the lock limit"},
        user={"uid": 0},
        overrides=[
            {
                "kind": "Job",
                "patch": {
                    "spec": {
                        "template": {
                            "spec": {
                                "containers": [
                                    {
                                        "name": "main",
                                        "securityContext": {
                                            "capabilities": {"add": ["SYS_RESOURCE"]}
                                        },
                                    }
                                ]
                            }
                        }
                    }
                },
            }
        ],
    )
    assert "ulimit" not in made.notes()


def test_the_image_names_the_chips_too(make: Make, refused: Refused, words: ModuleType) -> None:
    image = "vllm/vllm-tpu:v0.12.0"
    pools = gke(words, tpu("s", "2x4", 8, allocatable={"cpu": 200, "memory": "1400Gi"}))
    made = make("Inference", pools, gpu={"count": 8}, image=image)
    assert made.limits["google.com/tpu"] == "8"
    text = refused("Inference", gke(words), gpu={"count": 8}, image=image)
    assert "says which TPU it runs on" in text
    alone = refused("Training", gke(words), gpu={"count": 4, "topology": "4x4"}, workers=4)
    assert alone == text
