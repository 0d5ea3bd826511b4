"""What goes with a share, and what stays unused."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make
from tests.plan.sharing.conftest import Cluster
from tests.plan.sharing.ways import MIG, MPS, SMALL, SMALL_MODEL


def test_a_share_takes_its_part_of_the_host(make: Make, words: ModuleType) -> None:
    """C-13: 16 CPUs and 128Gi for a GPU; a quarter of them."""
    made = make("BatchInference", words.cluster(words.pool("l", "L4", 4, sharing=MPS)), gpu=SMALL)
    assert made.requests["cpu"] == "4"
    assert made.requests["memory"] == "32Gi"
    assert "1/16 of the 64 CPUs" in made.reason(
        "spec.template.spec.containers[0].resources.requests.cpu"
    )


def test_an_uneven_layout_divides_the_host_by_memory(make: Make, words: ModuleType) -> None:
    """C-13: of 2 × 9.5Gi, 19.5Gi and 39.5Gi the middle one has a quarter."""
    pool = words.pool("a", sharing=MIG)
    made = make("BatchInference", words.cluster(pool), gpu={"memory": "15Gi"})
    assert made.requests["cpu"] in ("3", "4")
    assert words.number(made.requests["memory"]) == pytest.approx(32 * 2**30, rel=0.05)
    assert "with MIG slices 2g.20gb, by their memory" in made.notes() + made.reason(
        "spec.template.spec.containers[0].resources.requests.cpu"
    )


def test_a_pod_that_takes_more_than_its_part_strands_shares(make: Make, words: ModuleType) -> None:
    pool = words.pool("l", "L4", 4, sharing=MPS)
    made = make("BatchInference", words.cluster(pool), gpu=SMALL, resources={"cpu": 16})
    assert "fits 4 such pods, not 16" in made.loud()
    assert "12 GPU shares of it stay idle" in made.loud()


def test_a_whole_gpu_for_a_small_need_is_said_loudly(
    make: Make, words: ModuleType, cluster: Cluster
) -> None:
    """C-14: 2 of 80Gi; a slice would do."""
    made = make("BatchInference", cluster(a=None), gpu={"memory": "2Gi"})
    assert "a whole A100-80GB for 2Gi: 78Gi of its 80Gi stay unused" in made.loud()
    assert "a MIG slice 1g.10gb (9.5Gi, 7 on a GPU) would do" in made.loud()
    t4 = make("BatchInference", cluster(t=None), gpu={"memory": "2Gi"}).loud()
    assert "shared by mps it would serve 7 such pods" in t4
    gke = make("BatchInference", cluster("gke", t=None), gpu={"memory": "2Gi"}).loud()
    assert "shared by time-slicing it would serve 7 such pods" in gke


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("BatchInference", {"gpu": {"memory": "8Gi"}}),
        ("BatchInference", {}),
        ("Training", {"gpu": {"memory": "2Gi"}}),
        ("Training", {"gpu": {"memory": "2Gi", "count": 2}, "launcher": "none"}),
    ],
)
def test_a_gpu_that_nobody_else_could_use_is_not_called_waste(
    make: Make, cluster: Cluster, kind: str, spec: dict[str, Any]
) -> None:
    """C-14: most of a T4; nothing declared; training, which shares nothing but MIG."""
    assert "stay unused" not in make(kind, cluster(t=None), **spec).notes()


def test_a_server_uses_all_that_it_is_given(make: Make, cluster: Cluster) -> None:
    """C-14: vLLM fills a GPU with its cache, so the word is a quiet one."""
    made = make("Inference", cluster(a=None), gpu=SMALL, model=SMALL_MODEL)
    assert "vLLM takes for itself" in made.notes()
    assert "vLLM takes for itself" not in made.loud()
