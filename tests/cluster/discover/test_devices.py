"""Which GPUs a node has and how they are handed out."""

from __future__ import annotations

import pytest

from tests.cluster.discover.conftest import Discover, MakeNode, there

MIXED = {
    "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB",
    "nvidia.com/gpu.memory": "81920",
    "nvidia.com/mig.strategy": "mixed",
}


def test_whole_gpus_are_counted_by_the_resource(node: MakeNode, found: Discover) -> None:
    pool = found(node()).pool
    assert (pool.gpu.model, pool.gpu.count, pool.gpu.resource) == ("H100-80GB", 8, "nvidia.com/gpu")
    assert pool.sharing is None


@pytest.mark.parametrize(
    ("labels", "model"),
    [
        ({"nvidia.com/gpu.product": "Tesla-T4"}, "T4"),
        ({"cloud.google.com/gke-accelerator": "nvidia-l4"}, "L4"),
        ({"karpenter.k8s.aws/instance-gpu-name": "l40s"}, "L40S"),
        ({"eks.amazonaws.com/instance-gpu-name": "h200"}, "H200-141GB"),
        ({"k8s.amazonaws.com/accelerator": "nvidia-a10g"}, "A10G"),
        ({"karpenter.azure.com/sku-gpu-name": "T4"}, "T4"),
        ({"gpu.nvidia.com/class": "H100"}, "H100-80GB"),
        # A memory label decides between models of one name.
        (
            {
                "karpenter.k8s.aws/instance-gpu-name": "a100",
                "karpenter.k8s.aws/instance-gpu-memory": "81920",
            },
            "A100-80GB",
        ),
        ({"gpu.nvidia.com/class": "A100", "gpu.nvidia.com/vram": "80"}, "A100-80GB"),
        # So does the instance type.
        (
            {
                "k8s.amazonaws.com/accelerator": "nvidia-tesla-a100",
                "node.kubernetes.io/instance-type": "p4de.24xlarge",
            },
            "A100-80GB",
        ),
    ],
)
def test_labels_name_the_model(
    labels: dict[str, str], model: str, node: MakeNode, found: Discover
) -> None:
    result = found(node(labels=labels))
    assert result.pool.gpu.model == model
    assert "taken" not in result.comments.partition("pools")[2]
    assert set(labels) >= set(result.pool.labels) > set()


def test_the_smaller_of_two_possible_models_is_taken_and_said(
    node: MakeNode, found: Discover
) -> None:
    result = found(node(labels={"k8s.amazonaws.com/accelerator": "nvidia-tesla-a100"}))
    assert result.pool.gpu.model == "A100-40GB"
    assert "can mean A100-40GB, A100-80GB: the one with least memory" in result.comments


@pytest.mark.parametrize(
    ("instance", "model"),
    [
        ("g6.8xlarge", "L4"),
        ("p4d.24xlarge", "A100-40GB"),
        ("Standard_NC16as_T4_v3", "T4"),
        ("Standard_NC48ads_A100_v4", "A100-80GB"),
    ],
)
def test_without_labels_the_instance_type_or_its_family_names_the_model(
    instance: str, model: str, node: MakeNode, found: Discover
) -> None:
    result = found(node(labels={"node.kubernetes.io/instance-type": instance}))
    assert result.pool.gpu.model == model
    assert f"no label names the GPU; {instance} machines have this one" in result.comments


def test_an_unknown_gpu_is_the_nearest_of_its_generation_and_named_after_itself(
    node: MakeNode, found: Discover
) -> None:
    labels = {
        "nvidia.com/gpu.product": "NVIDIA-GeForce-RTX-4090",
        "nvidia.com/gpu.memory": "24564",
        "nvidia.com/gpu.family": "ada-lovelace",
    }
    result = found(node(labels=labels))
    assert result.pool.name == "nvidia-geforce-rtx-4090"
    assert result.pool.gpu.model == "L4"
    assert "NVIDIA-GeForce-RTX-4090 is not in our table" in result.comments


@pytest.mark.parametrize(
    "labels",
    [
        {"nvidia.com/gpu.product": "NVIDIA-X1"},
        {
            "nvidia.com/gpu.product": "NVIDIA-X1",
            "nvidia.com/gpu.memory": "400000",
            "nvidia.com/gpu.family": "hopper",
        },
        # The name is known, the memory is of none that is called so.
        {"nvidia.com/gpu.product": "NVIDIA-H100", "nvidia.com/gpu.memory": "160000"},
        # The memory is that of a slice, near to that of a smaller GPU.
        {
            "nvidia.com/gpu.product": "NVIDIA-X1-MIG-1g.24gb",
            "nvidia.com/gpu.memory": "23000",
            "nvidia.com/gpu.family": "ampere",
        },
        {},
        {"kubernetes.azure.com/accelerator": "nvidia"},
    ],
)
def test_a_gpu_of_which_nothing_is_known_is_left_out_and_never_invented(
    labels: dict[str, str], node: MakeNode, found: Discover
) -> None:
    result = found(node("known"), node("strange", labels))
    assert result.pool.nodes == 1
    assert "left out: strange: " in result.notes
    assert "not in our table" in result.notes
    assert "; write its pool by hand" in result.notes


def test_labels_that_disagree_are_resolved_by_the_first_labeller_and_said(
    node: MakeNode, h100: dict[str, str], found: Discover
) -> None:
    result = found(node(labels=h100 | {"cloud.google.com/gke-accelerator": "nvidia-l4"}))
    assert result.pool.gpu.model == "H100-80GB"
    assert "cloud.google.com/gke-accelerator" not in result.pool.labels
    assert "its label cloud.google.com/gke-accelerator names another GPU" in result.comments


def test_a_model_bound_to_arm_hosts_is_not_believed_on_amd64(
    node: MakeNode, found: Discover
) -> None:
    strange = node("x", {"nvidia.com/gpu.product": "NVIDIA-GB200"})
    assert "left out: x: GB200 sits on arm64 hosts" in found(node(), strange).notes


@pytest.mark.parametrize(
    ("labels", "resource", "advertised", "expected"),
    [
        # -SHARED and replicas, without and with the strategy's label.
        (
            {"product": "Tesla-T4-SHARED", "count": "2", "replicas": "4"},
            "gpu",
            8,
            ("time-slicing", 4),
        ),
        (
            {"product": "Tesla-T4-SHARED", "replicas": "4", "sharing-strategy": "time-slicing"},
            "gpu",
            8,
            ("time-slicing", 4),
        ),
        (
            {"product": "Tesla-T4-SHARED", "replicas": "4", "sharing-strategy": "mps"},
            "gpu",
            8,
            ("mps", 4),
        ),
        # Renamed: no suffix.
        ({"product": "Tesla-T4", "replicas": "4"}, "gpu.shared", 8, ("time-slicing", 4)),
    ],
)
def test_shares_are_told_from_gpus(
    labels: dict[str, str],
    resource: str,
    advertised: int,
    expected: tuple[str, int],
    node: MakeNode,
    found: Discover,
) -> None:
    said = {f"nvidia.com/gpu.{key}": value for key, value in labels.items()}
    have = {f"nvidia.com/{resource}": str(advertised)}
    pool = found(node(labels=said, gpus=0 if resource != "gpu" else None, **have)).pool
    assert pool.gpu.count == 2
    assert (there(pool.sharing).mode, there(pool.sharing).replicas) == expected
    assert there(pool.sharing).rename == (resource == "gpu.shared")
    assert pool.gpu.resource == f"nvidia.com/{resource}"


def test_gke_says_sharing_by_its_own_labels(node: MakeNode, found: Discover) -> None:
    labels = {
        "cloud.google.com/gke-accelerator": "nvidia-l4",
        "cloud.google.com/gke-gpu-sharing-strategy": "mps",
        "cloud.google.com/gke-max-shared-clients-per-gpu": "3",
    }
    pool = found(node(labels=labels, gpus=6)).pool
    assert (pool.gpu.count, there(pool.sharing).mode, there(pool.sharing).replicas) == (2, "mps", 3)
    assert labels.items() <= pool.labels.items()


def test_more_devices_than_the_machine_has_are_shares_and_said(
    node: MakeNode, found: Discover
) -> None:
    labels = {
        "karpenter.k8s.aws/instance-gpu-name": "l4",
        "karpenter.k8s.aws/instance-gpu-count": "1",
    }
    result = found(node(labels=labels, gpus=4))
    assert (result.pool.gpu.count, there(result.pool.sharing).replicas) == (1, 4)
    assert "4 nvidia.com/gpu on 1 GPUs are taken for time-slicing" in result.comments


def test_gpu_feature_discovery_is_believed_that_nothing_is_shared(
    node: MakeNode, h100: dict[str, str], found: Discover
) -> None:
    result = found(node(labels=h100 | {"nvidia.com/gpu.count": "2"}, gpus=4))
    assert (result.pool.gpu.count, result.pool.sharing) == (4, None)
    assert "labels count 2 GPUs, but 4 are advertised" in result.comments


@pytest.mark.parametrize(
    ("product", "resource"),
    [("Tesla-T4", "nvidia.com/gpu.shared"), ("Tesla-T4-SHARED", "nvidia.com/gpu")],
)
def test_shares_of_unknown_number_are_never_taken_for_gpus(
    product: str, resource: str, node: MakeNode, found: Discover
) -> None:
    strange = node("x", {"nvidia.com/gpu.product": product}, gpus=None, **{resource: "8"})
    assert f"left out: x: its GPUs are shared ({resource}: 8)" in found(node(), strange).notes


def test_more_shares_than_a_profile_can_state_are_left_out(
    node: MakeNode, h100: dict[str, str], found: Discover
) -> None:
    shared = node("x", h100 | {"nvidia.com/gpu.replicas": "100"}, gpus=800)
    assert "left out: x: 100 shares of a GPU are more than" in found(node(), shared).notes


@pytest.mark.parametrize(
    ("labels", "slices", "gpus", "layout", "remark"),
    [
        ({}, 56, 8, {"1g.10gb": 7}, False),
        ({"nvidia.com/mig.config": "all-1g.10gb"}, 14, 2, {"1g.10gb": 7}, False),
        ({"cloud.google.com/gke-accelerator-count": "2"}, 8, 2, {"1g.10gb": 4}, False),
        ({"node.kubernetes.io/instance-type": "p5.48xlarge"}, 32, 8, {"1g.10gb": 4}, False),
        ({"nvidia.com/mig.config": "four-each"}, 8, 2, {"1g.10gb": 4}, True),
    ],
)
def test_single_strategy_gives_gpus_and_their_layout(
    labels: dict[str, str],
    slices: int,
    gpus: int,
    layout: dict[str, int],
    remark: bool,
    node: MakeNode,
    found: Discover,
) -> None:
    product = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"}
    result = found(node(labels=product | labels, gpus=slices))
    sharing = there(result.pool.sharing)
    assert result.pool.gpu.count == gpus
    assert (sharing.mode, sharing.strategy, sharing.profiles) == ("mig", "single", layout)
    assert ("are taken for those of" in result.comments) == remark


HALF = {"nvidia.com/mig-1g.10gb": "4", "nvidia.com/mig-3g.40gb": "2"}


def test_mixed_strategy_beside_whole_gpus_makes_one_pool_of_both(
    node: MakeNode, found: Discover
) -> None:
    labels = MIXED | {"nvidia.com/gpu.count": "8", "nvidia.com/gpu.replicas": "1"}
    pool = found(node(labels=labels, gpus=6, **HALF)).pool
    sharing = there(pool.sharing)
    assert (pool.gpu.count, sharing.gpus, sharing.strategy) == (8, 2, "mixed")
    assert sharing.profiles == {"1g.10gb": 2, "3g.40gb": 1}
    assert there(pool.allocatable).cpu == 64


def test_nodes_that_lack_a_gpu_are_two_pools_that_share_the_host(
    node: MakeNode, found: Discover
) -> None:
    labels = MIXED | {"nvidia.com/gpu.count": "8", "nvidia.com/gpu.replicas": "1"}
    lame = node(labels=labels, gpus=5, **HALF)
    lame["status"]["capacity"] = lame["status"]["allocatable"] | {"nvidia.com/gpu": "6"}
    result = found(lame)
    whole, cut = result.pools["a100-80gb"], result.pools["a100-80gb-mig"]
    assert (whole.gpu.count, whole.sharing, cut.gpu.count) == (5, None, 2)
    assert there(whole.allocatable).cpu == 48
    assert there(cut.allocatable).cpu == 16
    assert "hand out 2 more GPUs in another way" in result.comments


@pytest.mark.parametrize("count", [{}, {"nvidia.com/gpu.count": "1"}])
def test_mixed_strategy_without_a_good_count_takes_the_fewest_gpus_that_hold_the_slices(
    count: dict[str, str], node: MakeNode, found: Discover
) -> None:
    have = {"nvidia.com/mig-3g.40gb": "4"}
    result = found(node(labels=MIXED | count, gpus=None, **have))
    assert (result.pool.gpu.count, there(result.pool.sharing).profiles) == (2, {"3g.40gb": 2})
    assert "taken for those of 2 GPUs" in result.comments


def test_gpus_that_are_cut_differently_are_said_to_have_what_all_have(
    node: MakeNode, found: Discover
) -> None:
    labels = MIXED | {"nvidia.com/gpu.count": "2"}
    have = {"nvidia.com/mig-1g.10gb": "7", "nvidia.com/mig-3g.40gb": "1"}
    result = found(node(labels=labels, gpus=None, **have))
    assert there(result.pool.sharing).profiles == {"1g.10gb": 3}
    assert "the 2 GPUs are not cut alike (7 of 1g.10gb, 1 of 3g.40gb in all)" in result.comments
    have = {"nvidia.com/mig-7g.80gb": "1", "nvidia.com/mig-3g.40gb": "1"}
    other = node("x", labels, gpus=None, **have)
    assert "left out: x: its GPUs are cut in different ways" in found(node(), other).notes


@pytest.mark.parametrize(
    ("labels", "have"),
    [
        ({"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED"}, {}),
        (
            {
                "cloud.google.com/gke-accelerator": "nvidia-h100-80gb",
                "cloud.google.com/gke-gpu-partition-size": "1g.10gb",
                "cloud.google.com/gke-max-shared-clients-per-gpu": "2",
            },
            {},
        ),
        (MIXED | {"nvidia.com/mig-1g.10gb.replicas": "2"}, {"nvidia.com/mig-1g.10gb": "14"}),
        (MIXED, {"nvidia.com/mig-1g.10gb.shared": "14"}),
    ],
)
def test_slices_that_are_shared_as_well_are_not_said_to_be_isolated(
    labels: dict[str, str],
    have: dict[str, str],
    node: MakeNode,
    found: Discover,
) -> None:
    result = found(node(), node("x", labels, gpus=None if have else 14, **have))
    assert result.pool.sharing is None
    assert "left out: x: its MIG slices are shared in time as well" in result.notes


def test_profiles_that_the_model_does_not_have_are_left_out(
    node: MakeNode, found: Discover
) -> None:
    mixed = node("x", MIXED, gpus=None, **{"nvidia.com/mig-1g.5gb": "7"})
    single = node("y", {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.5gb"})
    notes = found(node(), mixed, single).notes
    assert "left out: x: 1g.5gb is not a known MIG profile of A100-80GB" in notes
    assert "left out: y: 1g.5gb is not a known MIG profile of H100-80GB" in notes


def test_amds_partitions_are_pools_of_their_own(node: MakeNode, found: Discover) -> None:
    labels = {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}
    whole = node("w", labels, gpus=None, **{"amd.com/gpu": "8"})
    named = node("s", labels, gpus=None, **{"amd.com/cpx_nps4": "64"})
    told = {**labels, "amd.com/gpu.compute-memory-partition": "dpx_nps2"}
    plain = node("t", told, gpus=None, **{"amd.com/gpu": "16"})
    gpus = {pool.name: pool.gpu for pool in found(whole, named, plain).spec.pools}
    assert {(gpu.count, gpu.resource, gpu.partition) for gpu in gpus.values()} == {
        (8, "amd.com/gpu", None),
        (64, "amd.com/cpx_nps4", "cpx_nps4"),
        (16, "amd.com/gpu", "dpx_nps2"),
    }
    assert len(gpus) == 3


def test_a_partition_that_lost_a_device_counts_whole_gpus(node: MakeNode, found: Discover) -> None:
    labels = {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}
    one = node("s", labels, gpus=None, **{"amd.com/cpx_nps4": "63"})
    one["status"]["capacity"]["amd.com/cpx_nps4"] = "64"
    result = found(one)
    assert result.pool.gpu.count == 56
    assert "63 of 64 amd.com/cpx_nps4 can be allocated" in result.text + result.notes


def test_a_partition_that_the_model_has_not_is_left_out(node: MakeNode, found: Discover) -> None:
    labels = {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}
    odd = node("s", labels, gpus=None, **{"amd.com/tpx_nps1": "24"})
    result = found(node(), odd)
    assert "24 amd.com/tpx_nps1 do not match partition tpx_nps1 of MI300X" in result.notes


def test_intels_turns_are_counted_by_its_label(node: MakeNode, found: Discover) -> None:
    labels = {"gpu.intel.com/product": "Flex_170", "gpu.intel.com/device.count": "2"}
    shared = found(node("f", labels, gpus=None, **{"gpu.intel.com/i915": "8"})).pool
    assert shared.gpu.count == 2 and shared.sharing is not None
    assert (shared.sharing.mode, shared.sharing.replicas) == ("time-slicing", 4)
    whole = found(node("f", labels, gpus=None, **{"gpu.intel.com/i915": "2"})).pool
    assert (whole.gpu.count, whole.gpu.resource, whole.sharing) == (2, "gpu.intel.com/i915", None)
    odd = node("g", labels, gpus=None, **{"gpu.intel.com/i915": "7"})
    assert "7 gpu.intel.com/i915 on 2 GPUs" in found(node(), odd).notes
