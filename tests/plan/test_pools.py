"""Which pools carry a workload, and what is said of the others."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make, Refused

ARCH = {"key": "kubernetes.io/arch", "operator": "In"}


def test_an_ambiguous_name_means_what_the_pools_have(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(words.pool("h", "H100-80GB")), gpu={"models": ["H100"]})
    assert "NVIDIA-H100-80GB-HBM3" in str(made.terms)
    assert "94" not in str(made.terms)


def test_an_ambiguous_name_without_pools_lists_the_choices(refused: Refused) -> None:
    text = refused("Training", gpu={"models": ["H100", "A100"]})
    assert '"H100" can mean H100-80GB, H100-94GB, H100-96GB' in text
    assert '"A100" can mean A100-40GB, A100-80GB' in text


@pytest.mark.parametrize(
    ("gpu", "reason"),
    [
        ({"models": ["T4"]}, "`gpu.models` does not list A100-80GB"),
        ({"count": 16}, "its nodes have 8 GPUs, a pod requests 16"),
        ({"memory": "100Gi"}, "its A100-80GB has 80Gi, a pod requests 100Gi per GPU"),
        ({"computeCapability": "9.0"}, "compute capability 8.0, below 9.0"),
        ({"interconnect": "rdma"}, "it has no RDMA fabric"),
    ],
)
def test_a_pool_that_does_not_meet_the_envelope_says_why(
    refused: Refused, words: ModuleType, gpu: dict[str, Any], reason: str
) -> None:
    text = refused("Training", words.cluster(words.pool()), gpu=gpu, launcher="none")
    assert text.startswith("pool a100: ") and reason in text


def test_gpus_that_must_be_joined_need_nvlink(refused: Refused, words: ModuleType) -> None:
    joined = {"count": 2, "interconnect": "nvlink"}
    t4 = words.cluster(words.pool("t4", "T4", 4))
    assert "its T4 has no NVLink" in refused("Training", t4, gpu=joined, launcher="none")


def test_weights_that_do_not_fit_leave_a_pool_out(make: Make, words: ModuleType) -> None:
    """C-53: weights against memory × GPUs."""
    model = {"id": "m", "size": "60Gi", "source": {"pvc": "weights"}}
    profile = words.cluster(words.pool("t4", "T4"), words.pool())
    made = make("Inference", profile, model=model)
    assert "pool t4 is left out: its T4 has 15Gi, the weights need 60Gi on each of 1 GPU" in (
        made.notes()
    )


def test_a_base_model_is_spread_over_all_workers(make: Make, words: ModuleType) -> None:
    base = {"id": "m", "size": "120Gi", "source": {"pvc": "weights"}}
    made = make("FineTune", words.cluster(words.pool("t4", "T4")), baseModel=base, workers=8, gpu={
        "count": 2
    })  # fmt: skip
    assert "it can run on pool t4" in made.notes()


def test_memory_as_on_the_box_means_that_box(make: Make, words: ModuleType) -> None:
    """An 80 GB H100 reports 79.6Gi; who writes 80Gi means it."""
    profile = words.cluster(words.pool("h100", "H100-80GB"))
    assert "it can run on pool h100" in make("Training", profile, gpu={"memory": "80Gi"}).notes()


def test_a_real_gap_is_no_rounding(refused: Refused, words: ModuleType) -> None:
    """A 24 GB L4 has 22.5Gi: a workload that needs 24Gi does not fit."""
    text = refused("Training", words.cluster(words.pool("l4", "L4")), gpu={"memory": "24Gi"})
    assert "its L4 has 22.5Gi" in text


def test_the_smallest_gpu_that_is_large_enough_comes_first(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool(), words.pool("l4", "L4", 4), words.pool("t4", "T4", 4))
    made = make("Training", profile, gpu={"memory": "20Gi"})
    assert made.rendering.resolution.pools[0].pool.name == "l4"


def test_the_specs_order_of_models_is_the_order_of_pools(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool("t4", "T4"), words.pool())
    made = make("Training", profile, gpu={"models": ["A100-80GB", "T4"]})
    assert [chosen.pool.name for chosen in made.rendering.resolution.pools] == ["a100", "t4"]


def test_pools_that_disagree_on_the_device_are_left_out(make: Make, words: ModuleType) -> None:
    other = words.pool("renamed")
    other["gpu"]["resource"] = "example.com/gpu"
    made = make("Training", words.cluster(words.pool(), other))
    assert "pool renamed is left out: it advertises example.com/gpu" in made.notes()


def test_pools_that_need_another_runtime_class_are_left_out(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool(runtimeClass="nvidia"), words.pool("plain"))
    made = make("Training", profile)
    assert made.pod["runtimeClassName"] == "nvidia"
    assert "pool plain is left out: it needs another runtimeClassName" in made.notes()


def test_unlike_workers_are_said(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool(), words.pool("h100", "H100-80GB"))
    made = make("Training", profile, workers=2)
    assert "may run on A100-80GB and H100-80GB: the slowest sets the pace" in made.loud()


def test_named_models_that_do_not_meet_the_envelope_are_dropped_without_pools_too(
    make: Make, refused: Refused
) -> None:
    gpu = {"models": ["T4", "A100-80GB"], "memory": "40Gi"}
    made = make("Training", gpu=gpu)
    assert "Tesla-T4" not in str(made.terms) and "A100" in str(made.terms)
    assert "left out: T4 has 15Gi, a pod requests 40Gi per GPU" in made.notes()
    # Each demand is met by one of them, both by none.
    both = {"models": ["T4", "V100-32GB"], "memory": "20Gi", "computeCapability": "7.5"}
    text = refused("Training", gpu=both)
    assert "T4 has 15Gi" in text and "V100-32GB has compute capability 7.0" in text


def test_an_image_without_an_architecture_is_taken_to_be_amd64(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    """C-65: the image's architecture must match the node's."""
    grace = words.pool("grace", "GH200-96GB", 1, architecture="arm64")
    made = make("Training", words.cluster(grace, words.pool()))
    assert ARCH | {"values": ["amd64"]} in made.terms[0]
    assert "grace is left out: its CPUs are arm64, and the image is taken to be amd64" in (
        made.notes()
    )
    odd = words.cluster(words.pool("odd", architecture="arm64"))
    assert "its CPUs are arm64" in refused("Training", odd)


def test_where_every_gpu_sits_on_arm_hosts_the_image_is_arm_too(
    make: Make, words: ModuleType
) -> None:
    """C-65: Grace Hopper has no other hosts."""
    grace = words.pool("grace", "GH200-96GB", 1, architecture="arm64")
    profile = words.cluster(words.pool(), grace)
    made = make("Training", profile, gpu={"models": ["GH200-96GB"]})
    assert ARCH | {"values": ["arm64"]} in made.terms[0]
    assert ARCH | {"values": ["arm64"]} in make("Training", gpu={"models": ["GH200-96GB"]}).terms[0]


def test_an_image_for_arm_goes_to_arm_hosts(make: Make, words: ModuleType) -> None:
    """C-65: said by the spec, it decides between pools."""
    grace = words.pool("grace", "GH200-96GB", 1, architecture="arm64")
    made = make("Training", words.cluster(words.pool(), grace), architecture="arm64")
    assert ARCH | {"values": ["arm64"]} in made.terms[0]
    assert [chosen.pool.name for chosen in made.rendering.resolution.pools] == ["grace"]


def test_all_reasons_of_a_refusal_come_at_once(refused: Refused, words: ModuleType) -> None:
    text = refused(
        "Inference",
        words.cluster(words.pool(), namespaces=[{"name": "default"}], kubernetes="1.33"),
        priority="urgent",
        warm=1,
        waivers={"root": "the image needs it"},
        volumes=[{"mount": "/art", "image": "ghcr.io/example/art:1"}],
    )
    for part in ("priority `urgent`", "warm placeholders", "enforces restricted", "as a volume"):
        assert part in text


def test_another_makers_gpus_are_asked_for_by_their_own_resource(make: Make) -> None:
    made = make("Training", gpu={"models": ["MI300X", "H100-80GB"]})
    assert "nvidia.com/gpu" not in made.limits
    assert made.limits["amd.com/gpu"] == made.requests["amd.com/gpu"] == "1"
    assert [taint["key"] for taint in made.pod["tolerations"]] == ["amd.com/gpu"]
    assert "NVIDIA" not in str(made.terms)


def test_more_pods_than_the_pools_have_gpus_is_said(make: Make, words: ModuleType) -> None:
    few = words.cluster(words.pool(nodes=2))
    spec = {"gpu": {"count": 8}, "launcher": "none"}
    said = [note.text for note in make("Training", few, workers=3, **spec).rendering.notes]
    assert any("3 pods × 8 GPUs = 24, and a100 has 16" in text for text in said)
    said = [note.text for note in make("Training", few, workers=2, **spec).rendering.notes]
    assert not any(" and a100 has " in text for text in said)


def test_workers_of_one_fabric_in_several_zones_are_said(make: Make, words: ModuleType) -> None:
    rdma = {"resource": "rdma/hca"}
    for zones, loud in ((["a", "b"], True), (["a"], False)):
        cluster = words.cluster(words.pool(zones=zones, rdma=rdma))
        made = make("Training", cluster, workers=2, gpu={"count": 8}, launcher="none")
        assert any("pool a100 spans a, b" in n.text for n in made.rendering.notes) is loud
