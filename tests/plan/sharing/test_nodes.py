"""Where pods with a share, or beside shares, may go."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make, Values
from tests.plan.sharing.conftest import Cluster
from tests.plan.sharing.ways import (
    MPS,
    OWN,
    RENAMED,
    SINGLE,
    SMALL,
    TURNS,
    chosen,
    devices,
    expression,
)


def test_slices_that_look_like_gpus_are_told_by_the_product(make: Make, cluster: Cluster) -> None:
    """C-15: `single` advertises nvidia.com/gpu; the suffix of the label tells."""
    made = make("Training", cluster(a=SINGLE, aw=None), gpu={"memory": "8Gi"})
    assert devices(made) == {"nvidia.com/gpu": "1"}
    (product,) = expression(made, "nvidia.com/gpu.product")
    assert product["operator"] == "In"
    assert all(value.endswith("-MIG-1g.10gb") for value in product["values"])


def test_shares_that_look_like_gpus_are_told_by_the_product(make: Make, cluster: Cluster) -> None:
    made = make("BatchInference", cluster(t=TURNS), gpu={"memory": "3Gi"})
    assert expression(made, "nvidia.com/gpu.product")[0]["values"] == ["Tesla-T4-SHARED"]
    renamed = make("BatchInference", cluster(t=RENAMED), gpu={"memory": "3Gi"})
    assert not expression(renamed, "nvidia.com/gpu.product")


def test_the_pools_own_label_is_used_as_it_stands(make: Make, words: ModuleType) -> None:
    labels = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"}
    pool = words.pool("a", sharing=SINGLE, labels=labels)
    made = make("Training", words.cluster(pool), gpu={"memory": "8Gi"})
    assert expression(made, "nvidia.com/gpu.product")[0]["values"] == [*labels.values()]


@pytest.mark.parametrize(
    ("pool", "labels"),
    [
        ({"a": SINGLE}, {"gke-gpu-partition-size": "1g.10gb"}),
        ({"t": TURNS}, {"gke-gpu-sharing-strategy": "time-sharing", "gke-max-shared-clients-per-gpu": "4"}),
    ],
)  # fmt: skip
def test_gke_tells_by_labels_of_its_own(
    make: Make, cluster: Cluster, pool: Values, labels: dict[str, str]
) -> None:
    """C-15: GKE's partition label; the accelerator's is the same for whole GPUs."""
    made = make("BatchInference", cluster("gke", **pool), gpu={"memory": "3Gi"})
    for key, value in labels.items():
        (found,) = expression(made, f"cloud.google.com/{key}")
        assert (found["operator"], found["values"]) == ("In", [value])
    assert devices(made) == {"nvidia.com/gpu": "1"}


@pytest.mark.parametrize("provider", ["none", "gke"])
@pytest.mark.parametrize("how", [SINGLE, TURNS])
def test_whole_gpus_are_kept_off_shared_nodes(
    make: Make, words: ModuleType, provider: str, how: Values
) -> None:
    """C-15, C-17: nvidia.com/gpu is not a GPU everywhere."""
    pools = [words.pool("w"), words.pool("s", sharing=how, labels={})]
    made = make("Training", words.cluster(*pools, provider=provider))
    assert chosen(made) == ["w"]
    away = [e for e in made.terms[0] if e["operator"] == "NotIn"]
    product = expression(made, "nvidia.com/gpu.product")
    if provider == "gke":
        assert away and away[0]["key"].startswith("cloud.google.com/gke-")
    else:
        assert (
            not away and product and "-MIG-" not in str(product) and "-SHARED" not in str(product)
        )


def test_a_pod_of_two_gpus_is_kept_off_a_node_with_two_shares(
    make: Make, words: ModuleType
) -> None:
    """C-20: one GPU in four shares advertises four."""
    pools = [words.pool("w"), words.pool("s", count=1, sharing=TURNS)]
    made = make("Training", words.cluster(*pools), gpu={"count": 2}, launcher="none")
    assert {"key": "example.com/pool", "operator": "NotIn", "values": ["s"]} in made.terms[0]


def test_more_pods_than_shares_are_said(make: Make, words: ModuleType) -> None:
    pool = words.pool("l", "L4", 1, sharing=MPS, nodes=1)
    made = make("Inference", words.cluster(pool), gpu=SMALL, replicas=5, **OWN)
    assert "5 pods × 1 GPU share = 5, and l has 4" in made.loud()
