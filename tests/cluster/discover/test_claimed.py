"""GPUs that nodes have by claims: pools from ResourceSlices, where no extended resource tells of any."""

from __future__ import annotations

import pytest

from tests.cluster.discover.conftest import Discover, Json, MakeNode
from tests.control_plane import slices
from tests.control_plane.amd_slices import amd_slice

MODEL = "H100-80GB"


def test_slices_make_a_pool_with_claims(node: MakeNode, found: Discover) -> None:
    """C-56: GPUs that no extended resource tells of are read off too."""
    nodes = [node(name, {}, gpus=None) for name in ("a", "b")]
    listed = [one for name in ("a", "b") for one in slices.whole(name, MODEL, 8)]
    pool = found(*nodes, *listed).pool
    assert (pool.gpu.model, pool.gpu.count, pool.nodes, pool.claimed) == (MODEL, 8, 2, True)


def test_partitions_are_the_layout_of_a_pool(node: MakeNode, found: Discover) -> None:
    layout = [("1g.10gb", 0), ("1g.10gb", 1), ("3g.40gb", 4)]
    listed = slices.divided("a", MODEL, layout, layout, [])
    sharing = found(node("a", {}, gpus=None), *listed).pool.sharing
    assert sharing is not None
    assert (sharing.profiles, sharing.gpus) == ({"1g.10gb": 2, "3g.40gb": 1}, 2)


def test_gpus_that_are_divided_on_demand_are_whole(node: MakeNode, found: Discover) -> None:
    result = found(node("a", {}, gpus=None), *slices.dynamic("a", MODEL, 4))
    assert (result.pool.gpu.count, result.pool.sharing) == (4, None)
    assert "its driver divides GPUs as claims request" in result.comments


def test_a_device_plugin_goes_first(node: MakeNode, found: Discover) -> None:
    pool = found(node("a"), *slices.whole("a", MODEL, 8)).pool
    assert (pool.gpu.count, pool.claimed) == (8, False)


def test_what_slices_list_and_a_profile_cannot_state_is_said(
    node: MakeNode, found: Discover
) -> None:
    both = [("1g.10gb", 0)], [("3g.40gb", 0)]
    listed: list[Json] = slices.divided("bad", MODEL, *both)
    notes = found(node("good"), node("bad", {}, gpus=None), *listed).notes
    assert "left out: bad: its GPUs are cut in different ways" in notes
    old = node("bad", {}, gpus=None, kubelet="v1.33.1")
    notes = found(node("good"), old, *slices.whole("bad", MODEL, 1)).notes
    assert "claims of a profile need Kubernetes 1.34, but its kubelet is 1.33" in notes


def test_only_the_newest_generation_of_a_pool_counts(node: MakeNode, found: Discover) -> None:
    (old,), (new,) = slices.whole("a", MODEL, 8), slices.whole("a", MODEL, 7)
    new["metadata"]["name"] += "-new"
    new["spec"]["pool"]["generation"] = 2
    assert found(node("a", {}, gpus=None), old, new).pool.gpu.count == 7


@pytest.mark.parametrize(
    ("count", "kind", "profile", "partition"),
    [
        (8, "amdgpu", None, None),
        (8, "amdgpu", "spx_nps1", None),
        (64, "amdgpu-partition", "cpx_nps4", "cpx_nps4"),
    ],
)
def test_slices_of_every_maker_whose_driver_names_its_gpus_make_a_pool(
    node: MakeNode,
    found: Discover,
    count: int,
    kind: str,
    profile: str | None,
    partition: str | None,
) -> None:
    result = found(node("a", {}, gpus=None), amd_slice("a", count, kind, profile))
    gpu = result.pool.gpu
    assert (gpu.model, gpu.count, gpu.partition) == ("MI300X", count, partition)
    assert (gpu.resource, result.pool.claimed) == ("amd.com/gpu", True)
    assert "getent group render video" in result.comments
    assert "skipped" not in result.notes


def test_what_a_driver_does_not_name_or_a_profile_has_no_room_for_is_left_out(
    node: MakeNode, found: Discover
) -> None:
    intel = amd_slice("bad", 4, "", None)
    intel["spec"]["driver"] = "gpu.intel.com"
    notes = found(node("good"), node("bad", {}, gpus=None), intel).notes
    assert "left out: bad: its slices list GPUs without a name" in notes
    notes = found(
        node("good"),
        node("bad", {}, gpus=None),
        amd_slice("bad", 9, "amdgpu-partition", "cpx_nps4"),
    ).notes
    assert "9 of cpx_nps4) match no partition mode of MI300X" in notes
    notes = found(node("good"), node("bad", {}, gpus=None), *slices.whole("bad", MODEL, 1025)).notes
    assert "1025 GPUs in one node are more than a profile can state (1024)" in notes
