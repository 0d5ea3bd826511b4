"""Huge pages and resources of other device plugins: what pods ask for, and which pools have it."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make, Refused, Values

FUSE = "smarter-devices/fuse"
BOTH: Values = {"hugepages": {"2Mi": "4Gi", "1Gi": "8Gi"}, "extended": {FUSE: 1}}


def having(words: ModuleType, name: str = "a100", **more: Values) -> Values:
    """A pool whose nodes have more than CPU and memory."""
    found: Values = words.pool(name)
    found["allocatable"] |= more
    return found


def test_they_are_asked_for_with_limits_that_equal_requests(make: Make, words: ModuleType) -> None:
    pool = having(words, hugepages={"2Mi": "64Gi", "1Gi": "64Gi"}, extended={FUSE: 20})
    made = make("Training", words.cluster(pool), resources=BOTH)
    for amounts in (made.requests, made.limits):
        assert amounts["hugepages-2Mi"] == "4Gi"
        assert amounts["hugepages-1Gi"] == "8Gi"
        assert amounts[FUSE] == "1"
    assert "pods pend" not in made.loud()


def test_a_pool_that_has_too_few_or_does_not_say_so_beside_one_that_does_is_left_out(
    make: Make, words: ModuleType
) -> None:
    pools = (
        having(words, extended={FUSE: 1}, hugepages={"2Mi": "2Gi"}),
        having(words, "some", extended={FUSE: 4}, hugepages={"2Mi": "64Gi"}),
        words.pool("none"),
    )
    asked = {"hugepages": {"2Mi": "4Gi"}, "extended": {FUSE: 1}}
    made = make("Training", words.cluster(*pools), resources=asked)
    assert "it can run on pool some" in made.notes()
    assert (
        "pool a100 is left out: its nodes have 2Gi of hugepages-2Mi, a pod requests 4Gi"
        in made.notes()
    )
    assert "pool none is left out: its nodes have no hugepages-2Mi" in made.notes()


def test_where_no_pool_tells_it_is_asked_for_and_said(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(words.pool()), resources={"extended": {FUSE: 2}})
    assert made.limits[FUSE] == "2"
    assert f"no pool says that its nodes have {FUSE} (allocatable.extended)" in made.loud()


def test_nothing_is_said_of_nodes_of_which_nothing_is_known(make: Make) -> None:
    made = make("Training", gpu={"models": ["L4"]}, resources={"extended": {FUSE: 2}})
    assert "pods pend" not in made.loud()


def test_huge_pages_are_added_to_those_of_the_fabric(make: Make, words: ModuleType) -> None:
    rdma = {"resource": "vpc.amazonaws.com/efa", "count": 4, "hugepages": "5120Mi"}
    pool = having(words, hugepages={"2Mi": "64Gi"}) | {"rdma": rdma}
    made = make(
        "Training",
        words.cluster(pool),
        workers=2,
        gpu={"count": 8},
        resources={"hugepages": {"2Mi": "1Gi"}},
    )
    assert made.limits["hugepages-2Mi"] == "6144Mi"


def test_a_queue_that_is_derived_covers_what_the_pool_has(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    queues = [{"name": "q", "namespaces": ["default"], "pools": [{"pool": "a100", "gpus": 8}]}]
    rest: Values = {"installed": {"kueue": "0.19"}, "queues": queues}
    has = words.cluster(having(words, extended={FUSE: 20}), **rest)
    made = make("Training", has, queue="q", resources={"extended": {FUSE: 20}})
    assert made.limits[FUSE] == "20"
    few = words.cluster(having(words, extended={FUSE: 20}) | {"nodes": 4}, **rest)
    said = refused("Training", few, queue="q", workers=2, resources={"extended": {FUSE: 20}})
    assert FUSE in said


@pytest.mark.parametrize("field", ["hugepages", "extended"])
def test_explain_says_that_the_spec_asks_for_it(make: Make, words: ModuleType, field: str) -> None:
    made = make("Training", words.cluster(words.pool()), resources={field: BOTH[field]})
    name = "hugepages-2Mi" if field == "hugepages" else FUSE
    (found,) = {
        (one.reason, str(one.origin).split(" ")[0])
        for one in made.rendering.explanations()
        if name in one.path and "limits" in one.path
    }
    assert found == ("set in the spec; the limit equals the request", "spec")
