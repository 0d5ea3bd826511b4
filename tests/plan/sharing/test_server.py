"""What a model server is told of its share."""

import pytest

from tests.plan.conftest import Make, Refused, Values
from tests.plan.sharing.conftest import Cluster
from tests.plan.sharing.ways import MIG, MPS, OWN, SMALL, SMALL_MODEL, TURNS, chosen

WAIVED = {"timeSlicing": "its share is told"}


@pytest.mark.parametrize(
    ("runtime", "image", "said"),
    [
        ("vllm", "vllm/vllm-openai:v0.33.0", ["--gpu-memory-utilization", "0.225"]),
        ("sglang", "lmsysorg/sglang:v0.5.9", ["--mem-fraction-static", "0.2"]),
        ("tgi", "ghcr.io/huggingface/text-generation-inference:3.0.1", ["--cuda-memory-fraction", "0.225"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", [MPS, TURNS])
def test_a_server_is_told_its_share(
    make: Make, cluster: Cluster, runtime: str, image: str, said: list[str], how: Values
) -> None:
    """C-17, C-18: a quarter of the GPU, less what the server does not count."""
    spec = {"runtime": runtime, "image": image, "model": SMALL_MODEL, "latency": "relaxed"}
    waivers = WAIVED if how is TURNS else {}
    made = make("Inference", cluster(l=how), gpu=SMALL, waivers=waivers, **spec)
    args = made.main["args"]
    assert args[args.index(said[0]) :][:2] == said
    assert "1/4 of a GPU shared by" in made.reason("spec.template.spec.containers[0].args")


def test_nim_hands_its_share_on_to_vllm(make: Make, refused: Refused, cluster: Cluster) -> None:
    """C-18: from 2.0 on; an older or unknown image would take all it can."""
    spec = {"runtime": "nim", "gpu": SMALL, "model": SMALL_MODEL, "latency": "relaxed"}
    made = make("Inference", cluster(l=MPS), image="nvcr.io/nim/nvidia/llm:2.1.6", **spec)
    assert made.env["NIM_PASSTHROUGH_ARGS"] == "--gpu-memory-utilization 0.225"
    for image in ("nvcr.io/nim/meta/llama:1.8.0", "nvcr.io/nim/meta/llama:latest"):
        text = refused("Inference", cluster(l=MPS), image=image, **spec)
        assert "uses more than a share by default" in text and "2.0.0 or newer" in text
    waived = {**spec, "image": "nvcr.io/nim/meta/llama:1.8.0", "waivers": WAIVED}
    assert "no option limits NVIDIA NIM for LLMs to its share" in (
        make("Inference", cluster(l=TURNS), **waived).loud()
    )


@pytest.mark.parametrize(
    ("runtime", "image"),
    [
        ("lmdeploy", "openmmlab/lmdeploy:v0.16.0"),
        ("trtllm", "nvcr.io/nvidia/tensorrt-llm/release:1.2.0"),
    ],
)
def test_one_that_cannot_be_told_its_share_is_given_none_by_mps(
    refused: Refused, cluster: Cluster, runtime: str, image: str
) -> None:
    """C-18: its fraction is of what the weights leave free, not of the GPU."""
    spec = {"runtime": runtime, "image": image, "model": SMALL_MODEL, "latency": "relaxed"}
    text = refused("Inference", cluster(l=MPS), gpu=SMALL, **spec)
    assert "uses more than a share and has no option to limit it" in text


@pytest.mark.parametrize("how", [MIG, None])
def test_a_slice_looks_like_a_small_gpu(make: Make, cluster: Cluster, how: Values | None) -> None:
    """C-15: there the server's own fraction is right."""
    made = make("Inference", cluster(a=how), gpu=SMALL, model=SMALL_MODEL)
    assert "--gpu-memory-utilization" not in made.main["args"]


@pytest.mark.parametrize(
    "args", [["--gpu-memory-utilization=0.2"], ["--gpu_memory_utilization", "0.2"]]
)
def test_the_specs_own_fraction_wins_and_is_said(
    make: Make, cluster: Cluster, args: list[str]
) -> None:
    spec = {"gpu": SMALL, "model": SMALL_MODEL, "latency": "relaxed", "args": args}
    made = make("Inference", cluster(l=MPS), **spec)
    assert "0.225" not in made.main["args"]
    assert "it must keep vLLM within 1/4 of a GPU by mps" in made.loud()


def test_what_neighbours_do_to_a_server_is_said(make: Make, cluster: Cluster) -> None:
    spec = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.9", "model": SMALL_MODEL}
    made = make("Inference", cluster(l=MPS), gpu=SMALL, latency="relaxed", **spec)
    assert "its fraction is of the memory that is free when it starts" in made.loud()


def test_pools_that_share_otherwise_are_told_another_fraction(make: Make, cluster: Cluster) -> None:
    spec = {"gpu": SMALL, "model": SMALL_MODEL, "latency": "relaxed"}
    profile = cluster(l=MPS, lb={"mode": "mps", "replicas": 3})
    assert chosen(make("Inference", profile, **spec)) == ["l"]
    assert chosen(make("Inference", profile, gpu=SMALL, **OWN)) == ["l", "lb"]
