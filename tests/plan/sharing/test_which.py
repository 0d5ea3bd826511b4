"""Which share of a GPU is given."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make, Refused
from tests.plan.sharing.conftest import Cluster
from tests.plan.sharing.ways import MIG, MPS, RENAMED, SMALL, chosen, devices


@pytest.mark.parametrize(
    ("memory", "resource"),
    [
        ("9Gi", "nvidia.com/mig-1g.10gb"),
        ("10Gi", "nvidia.com/mig-2g.20gb"),
        ("30Gi", "nvidia.com/mig-3g.40gb"),
        ("60Gi", "nvidia.com/gpu"),
    ],
)
def test_the_smallest_slice_that_is_large_enough(
    make: Make, cluster: Cluster, memory: str, resource: str
) -> None:
    """C-14, C-15: `10gb` has 9.5Gi, so 10Gi take the next."""
    made = make("Training", cluster(aw=None, am=MIG), gpu={"memory": memory})
    assert devices(made) == {resource: "1"}


def test_the_least_of_all_pools_comes_first(make: Make, cluster: Cluster) -> None:
    """C-14: 4Gi on a quarter of an L4 (5.6Gi), not on a slice of 9.5Gi nor on a whole T4."""
    made = make("BatchInference", cluster(am=MIG, t=None, l=MPS), gpu=SMALL)
    assert chosen(made) == ["l"]
    assert "pool am is left out: it offers MIG slices 1g.10gb, the first choice GPUs shared by" in (
        made.notes()
    )
    assert "pool t is left out: it offers whole GPUs" in made.notes()


def test_the_specs_order_of_models_comes_before_the_size(make: Make, cluster: Cluster) -> None:
    gpu = {**SMALL, "models": ["A100-80GB", "L4"]}
    assert chosen(make("BatchInference", cluster(am=MIG, l=MPS), gpu=gpu)) == ["am"]


def test_pools_that_agree_on_the_slice_serve_together(make: Make, cluster: Cluster) -> None:
    other = {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 7}}
    made = make("Training", cluster(am=MIG, an=other, aw=None), gpu={"memory": "8Gi"})
    assert chosen(made) == ["am", "an"]
    assert devices(made) == {"nvidia.com/mig-1g.10gb": "1"}


def test_pools_whose_smallest_differ_agree_on_what_both_have(make: Make, cluster: Cluster) -> None:
    """The first choice's slice decides; a pool that has it among others takes part."""
    small = {"mode": "mig", "strategy": "mixed", "profiles": {"2g.20gb": 3}}
    made = make("Training", cluster(an=small, am=MIG), gpu={"memory": "15Gi"})
    assert chosen(made) == ["an", "am"]


@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "nvidia.com/gpu.shared"])
def test_renamed_shares_are_asked_for_by_their_name(
    make: Make, words: ModuleType, resource: str
) -> None:
    """C-17: the profile may name the renamed resource itself, or leave that to `rename`."""
    pool = words.pool("t", "T4", sharing=RENAMED)
    pool["gpu"]["resource"] = resource
    made = make("BatchInference", words.cluster(pool), gpu={"memory": "3Gi"})
    assert devices(made) == {"nvidia.com/gpu.shared": "1"}


def test_without_memory_only_whole_gpus_are_given(
    make: Make, refused: Refused, cluster: Cluster
) -> None:
    """C-14: a share must be declared; the reason says how."""
    made = make("BatchInference", cluster(am=MIG, aw=None))
    assert chosen(made) == ["aw"]
    text = refused("BatchInference", cluster(am=MIG))
    assert "the workload does not set gpu.memory: to get one, set what it needs" in text


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"gpu": {**SMALL, "count": 2}}, "several shares do not add up to 2 GPUs"),
        ({"gpu": SMALL, "workers": 2}, "NCCL does not connect 2 workers across shares"),
        ({"gpu": {**SMALL, "count": 2, "interconnect": "nvlink"}}, "several shares do not add up"),
        (
            {"gpu": {"memory": "50Gi"}},
            "a MIG slice 3g.40gb has 39.2Gi, a pod requests 50Gi",
        ),
    ],
)
def test_what_takes_whole_gpus_says_why(
    refused: Refused, cluster: Cluster, spec: dict[str, Any], reason: str
) -> None:
    """C-15, C-20: several slices are no larger GPU."""
    assert reason in refused("Training", cluster(am=MIG), launcher="none", **spec)


def test_weights_that_a_slice_does_not_hold_leave_it_out(make: Make, cluster: Cluster) -> None:
    """C-53: whatever gpu.memory says, the weights must fit."""
    model = {"id": "m", "size": "16Gi", "source": {"pvc": "weights"}}
    made = make("Inference", cluster(am=MIG), gpu=SMALL, model=model)
    assert devices(made) == {"nvidia.com/mig-2g.20gb": "1"}
