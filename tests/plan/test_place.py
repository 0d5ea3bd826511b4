"""Pools, zones and regions that a spec names: what binds pods to them, and what is refused."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Made, Make, Refused, Values

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"


def told(made: Made) -> list[dict[str, list[str]]]:
    """Key to values of each alternative, without the CPU architecture."""
    return [
        {one["key"]: one["values"] for one in term if one["key"] != "kubernetes.io/arch"}
        for term in made.terms
    ]


def preferences(made: Made) -> list[tuple[int, str, list[str]]]:
    affinity = made.pod["affinity"]["nodeAffinity"]
    terms = affinity.get("preferredDuringSchedulingIgnoredDuringExecution", ())
    return [
        (term["weight"], one["key"], one["values"])
        for term in terms
        for one in term["preference"]["matchExpressions"]
    ]


def test_a_spec_names_the_pools_and_pods_go_to_no_other(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool(), words.pool("b"), words.pool("t4", "T4"))
    made = make("Training", profile, place={"pools": ["b", "t4"]})
    assert told(made) == [{"example.com/pool": ["b", "t4"]}]
    assert "pool a100 is left out: the spec allows only b or t4" in made.notes()
    reasons = [
        one.reason
        for one in made.rendering.explanations()
        if str(one.origin) == "spec spec.place.pools"
    ]
    assert reasons
    assert all("only nodes of b or t4, by example.com/pool" in reason for reason in reasons)


def test_a_single_node_is_a_pool_and_is_bound_by_its_name(make: Make, words: ModuleType) -> None:
    def node(name: str, address: str) -> Values:
        labels = {"kubernetes.io/hostname": address, "example.com/gpu-name": "Tesla-A100-80G"}
        found: Values = words.pool(name, labels=labels, nodes=1)
        return found

    profile = words.cluster(node("node6", "10.0.0.6"), node("node7", "10.0.0.7"))
    made = make("Training", profile, gpu={"models": ["A100-80GB"]}, place={"pools": ["node7"]})
    assert told(made) == [{"kubernetes.io/hostname": ["10.0.0.7"]}]


def test_the_only_pool_binds_too_once_it_is_named(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool())
    assert told(make("Training", profile)) == [{}]
    assert told(make("Training", profile, place={"pools": ["a100"]})) == [
        {"example.com/pool": ["a100"]}
    ]


def test_labels_that_tell_a_pool_only_together_are_all_written(
    make: Make, words: ModuleType
) -> None:
    def pool(name: str, model: str, room: str) -> Values:
        labels = {"nvidia.com/gpu.product": model, "example.com/room": room}
        found: Values = words.pool(name, labels=labels)
        return found

    sxm, pcie = "NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-80GB-PCIe"
    profile = words.cluster(pool("a", sxm, "1"), pool("b", sxm, "2"), pool("c", pcie, "1"))
    made = make("Training", profile, place={"pools": ["a"]})
    assert told(made) == [{"nvidia.com/gpu.product": [sxm], "example.com/room": ["1"]}]
    both = make("Training", profile, place={"pools": ["a", "b"]})
    assert told(both) == [{"nvidia.com/gpu.product": [sxm]}]


def test_pools_that_different_labels_tell_are_alternatives(make: Make, words: ModuleType) -> None:
    profile = words.cluster(
        words.pool("a", labels={"example.com/pool": "a"}),
        words.pool("b", labels={"example.com/room": "2"}),
        words.pool("c", labels={"example.com/rack": "7"}),
    )
    made = make("Training", profile, place={"pools": ["a", "b"]})
    assert told(made) == [{"example.com/pool": ["a"]}, {"example.com/room": ["2"]}]


def test_pools_in_zones_of_their_own_are_told_by_them(make: Make, words: ModuleType) -> None:
    profile = words.cluster(
        words.pool("a", labels={}, zones=["z1"]), words.pool("b", labels={}, zones=["z2", "z3"])
    )
    assert told(make("Training", profile, place={"pools": ["b"]})) == [{ZONE: ["z2", "z3"]}]


def test_pods_are_kept_off_pools_that_are_never_wanted(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(words.pool(), words.pool("b")), place={"never": ["b"]})
    (term,) = made.terms
    assert {"key": "example.com/pool", "operator": "NotIn", "values": ["b"]} in term
    assert "the spec excludes it" in made.notes()


def test_pools_are_tried_in_the_order_that_the_spec_gives(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool(), words.pool("b"), words.pool("c"))
    made = make("Training", profile, place={"prefer": ["c", "a100"]})
    assert preferences(made) == [
        (100, "example.com/pool", ["c"]),
        (90, "example.com/pool", ["a100"]),
    ]
    assert told(made) == [{}]


def test_a_preferred_pool_that_takes_no_pod_is_said(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool(), words.pool("t4", "T4"))
    made = make("Training", profile, gpu={"models": ["A100-80GB"]}, place={"prefer": ["t4"]})
    assert "place.prefer: no pod can run on pool t4: `gpu.models` does not list T4" in made.loud()


def test_zones_and_regions_are_required_and_leave_out_pools_elsewhere(
    make: Make, words: ModuleType
) -> None:
    profile = words.cluster(
        words.pool("a", zones=["z1", "z2"], region="ORD1"),
        words.pool("b", labels={ZONE: "z3", REGION: "LGA1"}),
    )
    made = make("Training", profile, place={"zones": ["z2"], "regions": ["ORD1"]})
    assert told(made) == [{ZONE: ["z2"], REGION: ["ORD1"]}]
    other = make("Training", profile, place={"regions": ["LGA1"]})
    assert told(other) == [{REGION: ["LGA1"]}]


def test_zones_bind_without_pools_too(make: Make) -> None:
    made = make("Training", gpu={"models": ["L4"]}, place={"zones": ["z2"]})
    assert [term[ZONE] for term in told(made)] == [["z2"]]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"pools": ["a10"]}, "the profile has no pool `a10`"),
        ({"never": ["x"]}, "the profile has no pool `x`"),
        ({"zones": ["z9"]}, "the profile has no zone `z9`"),
        (
            {"regions": ["ORD1"]},
            "the profile does not say whether its nodes are in ORD1: write its `region`",
        ),
    ],
)
def test_names_that_the_profile_has_not_are_refused(
    refused: Refused, words: ModuleType, place: Values, said: str
) -> None:
    profile = words.cluster(words.pool(zones=["z1"]), words.pool("b", zones=["z2"]))
    assert said in refused("Training", profile, place=place)


def test_a_profile_without_pools_is_told_to_have_none(refused: Refused) -> None:
    assert "the profile has no pool, and the spec names `a`" in refused(
        "Training", place={"pools": ["a"]}
    )


@pytest.mark.parametrize(
    ("labels", "place", "said"),
    [
        (
            {"x": "1"},
            {"pools": ["a"]},
            "no label distinguishes the nodes of pool a from those of b",
        ),
        (
            {"x": "1"},
            {"prefer": ["a"]},
            "no label distinguishes the nodes of pool a from those of b",
        ),
        (
            {"x": "1"},
            {"never": ["b"]},
            "no label distinguishes the nodes of pool b from those of a",
        ),
    ],
)
def test_pools_that_nothing_tells_apart_are_refused_with_what_is_missing(
    refused: Refused, words: ModuleType, labels: Values, place: Values, said: str
) -> None:
    profile = words.cluster(words.pool("a", labels=labels), words.pool("b", labels=labels))
    assert said in refused("Training", profile, place=place)


def test_a_pool_without_labels_cannot_be_bound_to(refused: Refused, words: ModuleType) -> None:
    profile = words.cluster(words.pool("a", labels={}))
    said = refused("Training", profile, place={"pools": ["a"]})
    assert "the profile lists no label of pool a that could select its nodes" in said


def test_a_pool_that_could_not_take_the_pods_need_not_be_told_apart(
    make: Make, words: ModuleType
) -> None:
    """AMD's devices are another resource: a pod that asks for NVIDIA's lands there never."""
    amd: dict[str, Any] = {"model": "MI300X", "count": 8, "resource": "amd.com/gpu"}
    profile = words.cluster(
        words.pool("a", labels={"x": "1"}), words.pool("b", labels={"x": "1"}, gpu=amd)
    )
    made = make("Training", profile, place={"pools": ["a"]})
    assert told(made) == [{"x": ["1"]}]


def test_a_server_is_bound_with_its_zones_spread_and_fits_there(
    make: Make, words: ModuleType
) -> None:
    profile = words.cluster(words.pool(zones=["z1"]), words.pool("b", zones=["z1", "z2"]))
    made = make("Inference", profile, replicas=2, place={"pools": ["b"], "zones": ["z2"]})
    assert told(made) == [{"example.com/pool": ["b"], ZONE: ["z2"]}]
