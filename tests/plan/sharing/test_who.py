"""Who is given a share of a GPU."""

import pytest

from tests.plan.conftest import Make, Refused, Values
from tests.plan.sharing.conftest import Cluster
from tests.plan.sharing.ways import MIG, MPS, OWN, SMALL, SMALL_MODEL, TURNS, chosen, devices


@pytest.mark.parametrize("kind", ["Training", "FineTune", "BatchInference", "Inference"])
@pytest.mark.parametrize("tenancy", ["trusted", "untrusted"])
def test_mig_is_for_everybody(make: Make, cluster: Cluster, kind: str, tenancy: str) -> None:
    """C-15: hardware keeps slices apart, under strict latency and for strangers too."""
    made = make(kind, cluster(am=MIG), gpu={"memory": "20Gi"}, tenancy=tenancy)
    assert devices(made) == {"nvidia.com/mig-3g.40gb": "1"}


REFUSALS = [
    ("Training", {}, "training uses a whole GPU"),
    (
        "FineTune",
        {"baseModel": {"id": "b", "size": "1Gi", "source": {"pvc": "w"}}},
        "training uses a whole GPU",
    ),
    ("BatchInference", {"tenancy": "untrusted"}, "its tenancy is untrusted"),
    ("Inference", {**OWN, "latency": "strict"}, "its latency is strict"),
    ("Inference", {**OWN, "tenancy": "untrusted"}, "its tenancy is untrusted"),
]


@pytest.mark.parametrize("how", [MPS, TURNS])
@pytest.mark.parametrize(("kind", "spec", "reason"), REFUSALS)
def test_what_must_not_share_is_refused_with_the_alternative(
    refused: Refused, cluster: Cluster, how: Values, kind: str, spec: Values, reason: str
) -> None:
    """C-17, C-18."""
    text = refused(kind, cluster(l=how), gpu=SMALL, **spec)
    assert reason in text and "a MIG slice or whole GPUs" in text
    assert ("waivers.timeSlicing" in text) == (how is TURNS)


@pytest.mark.parametrize(("kind", "spec", "reason"), REFUSALS)
def test_a_waiver_lets_it_take_turns_and_stands_on_the_object(
    make: Make, refused: Refused, cluster: Cluster, kind: str, spec: Values, reason: str
) -> None:
    """C-17: the written reason is an annotation of the object, never of a pod template."""
    said = {**spec, "gpu": SMALL, "waivers": {"timeSlicing": "short experiments"}}
    made = make(kind, cluster(l=TURNS), **said)
    key = "gpuspec.dev/waiver-time-slicing"
    assert made.workload["metadata"]["annotations"][key] == "short experiments"
    assert key not in str(made.template)
    # It is for time-slicing alone.
    assert reason in refused(kind, cluster(l=MPS), **said)


def test_a_waiver_that_is_not_made_use_of_keeps_its_reason(make: Make, cluster: Cluster) -> None:
    """C-17: a MIG slice needs none, and the next profile may."""
    waivers = {"timeSlicing": "short experiments"}
    made = make("Training", cluster(am=MIG), gpu=SMALL, waivers=waivers)
    key = "gpuspec.dev/waiver-time-slicing"
    assert made.workload["metadata"]["annotations"][key] == "short experiments"
    assert "the waiver is not used: MIG slices 1g.10gb" in made.notes()
    assert "time-slicing" not in made.loud()


@pytest.mark.parametrize(
    ("kind", "spec", "why"),
    [
        ("Training", {}, "the workload does not set gpu.memory"),
        ("FineTune", {"gpu": {"memory": "4Gi", "count": 2}}, "several shares do not add up"),
        ("Training", {"gpu": {"memory": "4Gi"}, "workers": 2}, "NCCL does not connect 2 workers"),
        ("BatchInference", {"gpu": SMALL}, "the workload can be time-sliced without it"),
    ],
)
def test_a_waiver_that_nothing_could_use_is_said(
    make: Make, kind: str, spec: Values, why: str
) -> None:
    """C-17."""
    made = make(kind, waivers={"timeSlicing": "short experiments"}, **spec)
    assert "waiver time-slicing is not needed: " in made.loud()
    assert why in made.loud()


def test_trusted_work_that_nobody_waits_for_shares(make: Make, cluster: Cluster) -> None:
    """C-17, C-18."""
    for how in (MPS, TURNS):
        assert chosen(make("BatchInference", cluster(l=how), gpu=SMALL)) == ["l"]
        assert chosen(make("Inference", cluster(l=how), gpu=SMALL, **OWN)) == ["l"]


def test_servers_that_fill_the_gpu_are_not_time_sliced(
    make: Make, refused: Refused, cluster: Cluster
) -> None:
    """C-17: vLLM and its like take a fraction of the whole GPU; MPS holds them to their part."""
    spec = {"gpu": SMALL, "latency": "relaxed", "model": SMALL_MODEL}
    assert "vLLM fills the memory it sees" in refused("Inference", cluster(l=TURNS), **spec)
    assert chosen(make("Inference", cluster(l=MPS), **spec)) == ["l"]


def test_mps_on_gke_is_not_for_restricted_pods(refused: Refused, cluster: Cluster) -> None:
    """C-18: its pods need hostIPC, which Pod Security forbids."""
    assert "hostIPC" in refused("BatchInference", cluster("gke", l=MPS), gpu=SMALL)


def test_mps_brings_its_own_shared_memory(refused: Refused, make: Make, cluster: Cluster) -> None:
    """C-18: the device plugin mounts /dev/shm; a second mount there does not start."""
    spec = {"gpu": SMALL, "resources": {"shm": "1Gi"}}
    assert "delete resources.shm" in refused("BatchInference", cluster(l=MPS), **spec)
    assert chosen(make("BatchInference", cluster(l=TURNS), **spec)) == ["l"]
