"""An image that is built for one maker's devices goes to that maker's pools."""

from types import ModuleType
from typing import Any

from tests.plan.conftest import Make, Refused

ROCM = "docker.io/vllm/vllm-openai-rocm:v0.33.0"
CUDA = "vllm/vllm-openai:v0.33.0"
AMD: dict[str, Any] = {"model": "MI300X", "count": 8, "resource": "amd.com/gpu", "groups": [44]}


def both(words: ModuleType) -> dict[str, Any]:
    """A cluster with GPUs of NVIDIA and of AMD."""
    return dict(words.cluster(words.pool("a100"), {**words.pool("amd"), "gpu": AMD}))


def test_the_image_chooses_the_pool(make: Make, words: ModuleType) -> None:
    assert "amd.com/gpu" in make("Inference", both(words), image=ROCM).limits
    assert "nvidia.com/gpu" in make("Inference", both(words), image=CUDA).limits
    notes = make("Inference", both(words), image=ROCM).notes()
    assert "the image is built for devices of AMD, and A100-80GB is none" in notes


def test_no_pool_of_the_images_maker_is_a_refusal(refused: Refused, words: ModuleType) -> None:
    said = refused("Inference", words.cluster(words.pool()), image=ROCM)
    assert "the image is built for devices of AMD, and A100-80GB is none" in said
    said = refused("Inference", image=CUDA, gpu={"models": ["MI300X"]})
    assert "the image is built for devices of NVIDIA, and MI300X is none" in said


def test_without_pools_the_image_says_whose_devices(make: Make) -> None:
    made = make("Inference", image=ROCM, gpu={"memory": "100Gi"})
    assert "amd.com/gpu" in made.limits
    (term,) = made.terms
    (named,) = [one for one in term if one["key"] == "amd.com/gpu.product-name"]
    assert "AMD_Instinct_MI300X_OAM" in named["values"]
    assert "AMD_Instinct_MI210" not in named["values"]
    assert make("Inference", image=ROCM).pod["tolerations"][0]["key"] == "amd.com/gpu"
